"""libyaml reads plain documents, and only what it reads as the reader in Python does."""

from random import Random

import pytest

from dialogue.engine.source import parser as source
from dialogue.engine.source.fast_parser import NotPlainYaml, fast_events
from dialogue.library.demo.seed import ASSISTANTS_FOLDER

DOCUMENTS = [file.read_text() for file in sorted(ASSISTANTS_FOLDER.glob("*/*.yaml"))]
ODD = " \n:-,[]{}#&*!|>'\"%@?\\~="
PIECES = [*ODD, "\n  ", "\n- ", ": ", "- ", "? ", "---", "\n...\n", "\r\n", "|\n ", "{a: b}", '"a":b']


@pytest.mark.parametrize("text", DOCUMENTS)
def test_documents_as_authors_write_them_are_plain(text):
    quick = source._build_source(text, fast_events(text), source.Limits())

    assert quick == source._build_source(text, source._slow_events(text), source.Limits())


@pytest.mark.parametrize(
    "text",
    [
        "a:\tb",
        "a: b\u2028c: d",
        "? a\n: b",
        "{? a: b}",
        "---\na: b",
        "a: b\n...\n",
        "%YAML 1.1\n---\na: b",
        'a: ["b":c]',
        "a: |2#b\n   c",
        "a: >-\n \n  b",
        "a: [b",
        "a: b: c",
    ],
)
def test_what_the_two_read_differently_or_not_at_all_is_left_to_the_reader_in_python(text):
    with pytest.raises(NotPlainYaml):
        list(fast_events(text))


@pytest.mark.parametrize("text", ["a: &b c", "a: *b", "a: !b c", "a: 012", "a: 1\na: 2", "<<: {a: 1}", "- a"])
def test_what_is_refused_is_refused_in_the_words_of_the_reader_in_python(text):
    with pytest.raises(source.SourceRefused) as strict:
        source._build_source(text, source._slow_events(text), source.Limits())
    with pytest.raises(source.SourceRefused) as said:
        source.read_source(text)

    assert str(said.value) == str(strict.value)


def test_a_document_that_was_damaged_is_read_the_same_or_not_read():
    chance = Random("Ursula")
    for _ in range(400):
        text = _damaged(chance.choice(DOCUMENTS), chance)
        try:
            quick = source._build_source(text, fast_events(text), source.Limits())
        except (NotPlainYaml, source.SourceRefused):
            continue

        assert quick == source._build_source(text, source._slow_events(text), source.Limits()), text


def _damaged(text, chance):
    lines = text.splitlines(keepends=True)
    first = chance.randrange(len(lines))
    kept = "".join(lines[first : first + 12])
    for _ in range(chance.choice([1, 1, 2, 3])):
        place = chance.randrange(len(kept) + 1)
        kept = kept[:place] + chance.choice(PIECES) + kept[place + chance.choice([0, 0, 1, 2]) :]
    return kept


def test_a_value_that_is_not_there_stands_where_its_key_does():
    read = source.read_source("a:\n  b:\n  c: 1\n")

    assert read.value_at(("a", "b")) == source.Mark(2, 3)


def test_without_libyaml_documents_are_read_all_the_same(monkeypatch):
    monkeypatch.setattr("dialogue.engine.source.fast_parser._LOADER", None)

    assert source.read_source("a: [b, 1]").tree == {"a": ("b", 1)}


@pytest.mark.parametrize(
    ("text", "line"),
    [("\n".join(f"k{number}: 1" for number in range(20_001)), 10_000), ("a: [" + ",".join("1" * 20_001) + "]", 1)],
    ids=["keys", "list"],
)
def test_too_many_values_are_refused_while_they_are_read_and_not_read_once_more(monkeypatch, text, line):
    def slowly(_text):
        raise AssertionError("the reader in Python was asked too")

    monkeypatch.setattr("dialogue.engine.source.parser._slow_events", slowly)
    with pytest.raises(source.SourceRefused) as refused:
        source.read_source(text)

    assert (refused.value.rule, refused.value.line) == ("too_many_nodes", line)
