"""The examples from which the span extractor learns: values are where they are said to be; a seed decides the rest."""

import gzip
import json
from itertools import islice
from pathlib import Path
from random import Random

from training.examples import Example, in_clauses, slot_texts, varied, with_slips
from training.generated_sentences import generated
from training.public_turns import multidogo_examples, sgd_training
from training.written_turns import written_examples

TITLE = {"title": ("title",)}


def test_the_same_seed_makes_the_same_sentences():
    first, second = (list(generated(Random(4), 50)) for _ in range(2))

    assert first == second


def test_values_of_generated_sentences_are_of_their_slots_and_do_not_overlap():
    for example in (varied(Random(1), each) for each in generated(Random(4), 500)):
        ends = [0, *(end for _, _, end in sorted(example.spans, key=lambda span: span[1]))]
        starts = [start for _, start, _ in sorted(example.spans, key=lambda span: span[1])]
        assert all(end <= start for end, start in zip(ends, starts, strict=False))
        assert ends[-1] <= len(example.text)
        assert {slot for slot, _, _ in example.spans} | example.awaited <= set(example.slots)


def test_words_around_a_value_move_it():
    example = Example("Call it Harbour", TITLE, (("title", 8, 15),))

    for seed in range(30):
        longer = in_clauses(Random(seed), example)
        ((_, start, end),) = longer.spans
        assert longer.text[start:end] == "Harbour"


def test_slips_leave_values_alone():
    texts = {with_slips(Random(seed), "call it Harbour", [("title", 8, 15)]) for seed in range(20)}

    assert len(texts) > 1
    assert all(text.endswith(" Harbour") for text in texts)


def test_a_slot_is_described_in_several_ways():
    texts = slot_texts(Random(0), "pickup_place", "Where to meet", (), ["gate 12", "the castle"])

    assert {"pickup place", "Where to meet", "pickup place: Where to meet"} < set(texts)


def test_labels_of_words_become_values(tmp_path: Path):
    turns = ["conversationId\tturnNumber\tutteranceId\tutterance\tslot-labels\tintent"]
    turns += [
        f"a\t1\tu\tit is number {number} red road\tO O O address address address\tcontentonly" for number in range(40)
    ]
    turns += ["a\t2\tu\tthree words here\tO O\tcontentonly"]
    (tmp_path / "multidogo").mkdir()
    (tmp_path / "multidogo" / "shop.train.tsv").write_text("\n".join(turns))

    examples = multidogo_examples(tmp_path, Random(0), ("shop",))

    assert len(examples) == 40
    ((slot, start, end),) = examples[7].spans
    assert (slot, examples[7].text[start:end], examples[7].awaited) == ("address", "7 red road", frozenset({"address"}))


def test_dialogues_of_services_that_are_measured_are_left_out(tmp_path: Path):
    folder = tmp_path / "sgd"
    folder.mkdir()
    (folder / "schema.json").write_text(json.dumps([service("Measured_1")]))
    (folder / "schema_train.json").write_text(json.dumps([service("Measured_1"), service("Trained_1")]))
    dialogues = [dialogue(["Trained_1"], "to Oslo"), dialogue(["Trained_1", "Measured_1"], "to Rome")]
    (folder / "train.jsonl.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, dialogues)).encode()))

    assert [example.text for example in islice(sgd_training(tmp_path, Random(0)), 5)] == ["to Oslo"]


def service(name: str) -> dict[str, object]:
    slot = {"name": "city", "description": "City to go to", "is_categorical": False}
    return {"service_name": name, "slots": [slot]}


def dialogue(services: list[str], text: str) -> dict[str, object]:
    frame = {"service": services[0], "user_acts": [["INFORM", "city", [text[3:]]]], "spans": [["city", 3, 7]]}
    return {"services": services, "turns": [{"user": text, "system_acts": [], "frames": [frame]}]}


def test_values_of_written_messages_are_found_in_their_words():
    examples = written_examples(Random(0))

    assert any(example.spans and example.awaited for example in examples)
    assert any(example.spans and not example.awaited for example in examples)
    for example in examples:
        taken = [index for _, start, end in example.spans for index in range(start, end)]
        assert len(taken) == len(set(taken))
        assert all(example.text[start:end].strip() == example.text[start:end] for _, start, end in example.spans)
        assert {slot for slot, _, _ in example.spans} | example.awaited <= set(example.slots)
