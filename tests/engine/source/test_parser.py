from decimal import Decimal

import pytest

from dialogue.engine.source.parser import Mark, SourceRefused, read_source


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("1:30", "1:30"),
        ("1_000", "1_000"),
        ("2026-11-23", "2026-11-23"),
        ("2025-02-30", "2025-02-30"),
        ("true", True),
        ("False", False),
        ("~", None),
        ("", None),
        ("42", 42),
        ("-7", -7),
        ("0", 0),
        ("1.10", Decimal("1.10")),
        (".5", Decimal("0.5")),
        ("1e3", Decimal("1e3")),
        ('"01234"', "01234"),
        ("'true'", "true"),
        ("l'été", "l'été"),
        ("mañana", "mañana"),
    ],
)
def test_scalars_mean_what_yaml_1_2_says(scalar, value):
    tree = read_source(f"key: {scalar}\n").tree

    assert tree == {"key": value}
    assert type(tree["key"]) is type(value)


def test_lists_become_tuples_and_block_texts_keep_their_lines():
    tree = read_source("a: [1, two]\nb: |\n  one\n  two\n").tree

    assert tree == {"a": (1, "two"), "b": "one\ntwo\n"}


def test_every_key_and_value_knows_its_line_and_column():
    source = read_source('flow: pay\nsteps:\n  - {step: ask, slot: "amount"}\n')

    assert source.key_at(("steps",)) == Mark(2, 1)
    assert source.value_at(("steps", 0)) == Mark(3, 5)
    assert source.key_at(("steps", 0, "slot")) == Mark(3, 17)
    assert source.value_at(("steps", 0, "slot")) == Mark(3, 23, quoted=True)


def test_a_path_that_is_not_there_is_found_at_what_is_around_it():
    source = read_source("steps:\n  - {step: ask}\n")

    assert source.value_at(("steps", 0, "slot")) == Mark(2, 5)


def test_a_byte_order_mark_and_windows_line_ends_are_read_like_any_other():
    source = read_source("\ufeffflow: pay\r\ntitle: Pay\r\n")

    assert source.tree == {"flow": "pay", "title": "Pay"}
    assert source.key_at(("title",)) == Mark(2, 1)


def test_a_document_of_the_largest_size_is_read_and_one_byte_more_is_not():
    prefix = "a: "
    fits = prefix + "b" * (256 * 1024 - len(prefix))

    assert read_source(fits).tree["a"].startswith("bbb")
    with pytest.raises(SourceRefused, match="the limit is 262,144"):
        read_source(fits + "b")


def test_the_size_is_counted_in_bytes():
    with pytest.raises(SourceRefused, match="bytes"):
        read_source("a: " + "ñ" * (128 * 1024))


def test_thirty_levels_are_read_and_thirty_one_are_not():
    deepest = "a: " + "[" * 29 + "]" * 29

    assert read_source(deepest).tree
    with pytest.raises(SourceRefused, match="nested more than 30 levels deep"):
        read_source("a: " + "[" * 30 + "]" * 30)


def test_twenty_thousand_values_are_read_and_more_are_not():
    assert len(read_source("a: [" + "1," * 19_990 + "]").tree["a"]) == 19_990
    with pytest.raises(SourceRefused, match="more than 20,000 values"):
        read_source("a: [" + "1," * 20_000 + "]")
