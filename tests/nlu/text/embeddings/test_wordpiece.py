import pytest

from dialogue.nlu.text.embeddings.wordpiece import MAX_TOKENS, token_ids, vocabulary


def pieces(text: str) -> list[str]:
    named = {number: piece for piece, number in vocabulary().items()}
    return [named[number] for number in token_ids(text)][1:-1]


def test_the_vocabulary_is_the_whole_one() -> None:
    assert len(vocabulary()) == 30_522
    assert (vocabulary()["[PAD]"], vocabulary()["[CLS]"], vocabulary()["[SEP]"]) == (0, 101, 102)


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("Unaffable!", ["una", "##ffa", "##ble", "!"]),
        ("naïve CAFÉ", ["naive", "cafe"]),
        ("don't", ["don", "'", "t"]),
        ("€5.20", ["€", "##5", ".", "20"]),
        ("中文", ["中", "文"]),
        ("zero\u200bwidth", ["zero", "##wi", "##dt", "##h"]),
        ("a" * 101, ["[UNK]"]),
        ("", []),
    ],
)
def test_a_text_is_cut_as_bert_cuts_it(text: str, cut: list[str]) -> None:
    assert pieces(text) == cut


def test_a_long_text_is_cut_off() -> None:
    assert len(token_ids("word " * 1_000)) == MAX_TOKENS
