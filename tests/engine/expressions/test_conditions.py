from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from dialogue.engine.expressions.conditions import Condition, ConditionRefused, Kind, TypedValue
from tests.support import hostile

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
VALUES: dict[str, TypedValue] = {
    "amount": Decimal("8450.00"),
    "people": Decimal(3),
    "known": False,
    "verified": True,
    "edition": "audio",
    "name": "Ana",
    "due": date(2026, 12, 14),
    "items": ["a", "b"],
    "approval.action": "reject",
    "empty": None,
}


def holds(text):
    return Condition(text).holds(VALUES, NOW)


@pytest.mark.parametrize(
    "text",
    [
        "amount > 5000",
        "amount > 5000 or not known",
        "amount >= 8450 and amount <= 8450.00",
        "amount == 8450",
        "people == 3",
        "not known",
        "verified",
        "verified == true",
        "edition == 'audio'",
        'edition != "print"',
        "edition in ['audio', 'print']",
        "edition not in ('print', 'large_print')",
        "'a' in items",
        "'ud' in edition",
        "len(items) == 2",
        "len(name) < 4",
        "lower(name) == 'ana'",
        "filled(name) and not filled(empty)",
        "due > today()",
        "due == '2026-12-14'",
        "now() > '2026-11-23T08:00+00:00'",
        "amount * 2 - 100 == 16800",
        "1 + 2 * 3 == 7",
        "(1 + 2) * 3 == 9",
        "10 / 4 == 2.5",
        "7 % 4 == 3",
        "-people < 0",
        "'a or b' == \"a or b\"",
        "approval.action == 'reject'",
        "not (verified and known)",
        "known or verified and true",
    ],
)
def test_it_holds(text):
    assert holds(text) is True


@pytest.mark.parametrize(
    "text",
    [
        "empty > 1",
        "empty < 1",
        "empty == 1",
        "empty != 1",
        "empty in [1]",
        "empty not in [1]",
        "missing == 'x'",
        "empty",
        "amount / 0 == 1",
        "amount / 0 != 1",
        "amount % 0 == 0",
        "len(empty) == 0",
        "lower(empty) == ''",
        "empty + 1 > 0",
        "amount",
        "name",
        "name > 5",
        "due == 'soon'",
        "name == true",
    ],
)
def test_what_is_empty_or_cannot_be_compared_is_false_and_never_an_error(text):
    assert holds(text) is False


def test_an_expression_gives_its_typed_value():
    assert Condition("amount * 2").evaluate(VALUES, NOW) == Decimal("16900.00")
    assert Condition("edition").evaluate(VALUES, NOW) == "audio"
    assert Condition("today()").evaluate(VALUES, NOW) == date(2026, 11, 23)
    assert Condition("empty + 1").evaluate(VALUES, NOW) is None


def test_it_knows_the_names_that_it_reads():
    assert Condition("amount > 5 or approval.action == 'x'").slots == {"amount", "approval.action"}


def test_evaluating_changes_nothing():
    values = dict(VALUES)

    Condition("len(items) > 0 and amount + 1 > 0").holds(values, NOW)

    assert values == VALUES


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("", 1, "empty"),
        ("   ", 1, "empty"),
        ("amount >", 9, "ends too early"),
        ("amount = 5", 8, "Write `==`"),
        ("amount && known", 8, "Write `and`"),
        ("amount || known", 8, "Write `or`"),
        ("!known", 1, "Write `not`"),
        ("slots.clear()", 1, "no function `slots.clear`"),
        ("__class__", 1, "`__class__` is not a name"),
        ("name.__class__", 1, "reads an attribute"),
        ("a..b", 1, "reads an attribute"),
        ("9**9**9", 2, "no power"),
        ("'x'*10**9", 7, "no power"),
        ("exec('1')", 1, "no function `exec`"),
        ("len()", 1, "takes one value"),
        ("today(1)", 1, "takes nothing"),
        ("filled(1)", 1, "takes the name of a slot"),
        ("True", 1, "lowercase: `true`"),
        ("x == null", 6, "not filled(slot)"),
        ("1 < x < 5", 7, "two values at a time"),
        ("'open", 1, "Close the quotes"),
        ("(amount > 5", 12, "`)` is missing"),
        ("amount > 5)", 11, "Found `)`"),
        ("amount amount", 8, "Found `amount`"),
        ("[x for x in items]", 4, "Found `for`"),
        ("x := 1", 3, "is not allowed"),
        ("lambda: 1", 7, "is not allowed"),
        ("amount > 1_000", 10, "`1_000` is not a name"),
        ("x; y", 2, "is not allowed"),
        ("in", 1, "where a value is expected"),
    ],
)
def test_whatever_is_no_condition_is_refused_at_its_column(text, column, said):
    with pytest.raises(ConditionRefused) as refused:
        Condition(text)

    assert refused.value.column == column
    assert said in str(refused.value)


def test_five_hundred_characters_are_read_and_more_are_not():
    fits = "1" + "+1" * 249

    assert Condition(fits + " ").evaluate({}, NOW) == 250
    with pytest.raises(ConditionRefused, match="501 characters"):
        Condition(fits + "  ")


@pytest.mark.parametrize(
    "text", ["(" * 21 + "1" + ")" * 21, "not " * 21 + "x", "-" * 21 + "1", "len(" * 21 + "x" + ")" * 21]
)
def test_over_twenty_levels_are_refused(text):
    with pytest.raises(ConditionRefused, match="nested more than 20 levels deep"):
        Condition(text)


@pytest.mark.parametrize("text", hostile.CONDITIONS)
def test_hostile_conditions_are_refused(text):
    with pytest.raises(ConditionRefused):
        Condition(text)


def test_a_product_of_huge_numbers_is_compared():
    assert Condition(hostile.HUGE_NUMBERS).holds({}, NOW)


KINDS = {
    "amount": Kind("number"),
    "name": Kind("text"),
    "edition": Kind("text", frozenset({"print", "audio"})),
    "known": Kind("boolean"),
    "due": Kind("date"),
    "at": Kind("datetime"),
    "items": Kind("list"),
}


@pytest.mark.parametrize(
    "text",
    [
        "amount > 5 and not known",
        "due >= today()",
        "due > '2026-01-01'",
        "at < now()",
        "edition in ['print', 'audio']",
        "len(items) > 2",
        "'x' in items",
        "known == false",
    ],
)
def test_kinds_that_fit_are_let_through(text):
    Condition(text).check_as_test(KINDS)


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("amount", 1, "not a test"),
        ("amount > 'a'", 8, "A number cannot be compared with a text"),
        ("known > false", 7, "has no order"),
        ("amount and known", 1, "a number where a boolean"),
        ("not name", 5, "a text where a boolean"),
        ("name - 1 > 2", 1, "a text where a number"),
        ("'x' * 10 == 1", 1, "a text where a number"),
        ("due > 5", 5, "A date cannot be compared with a number"),
        ("due > '2025-02-30'", 7, "`2025-02-30` is not a date"),
        ("due == now()", 5, "A date cannot be compared with a datetime"),
        ("edition == 'adio'", 12, "Did you mean `audio`?"),
        ("edition in ['print', 'cassette']", 22, "not one of the options"),
        ("amount in 5", 8, "looks into a list"),
        ("amount in ['a']", 12, "cannot be compared"),
        ("len(amount) > 1", 1, "takes a text or a list"),
        ("lower(amount) == 'a'", 1, "takes a text"),
    ],
)
def test_kinds_that_do_not_fit_are_found_before_any_conversation(text, column, said):
    with pytest.raises(ConditionRefused) as refused:
        Condition(text).check_as_test(KINDS)

    assert refused.value.column == column
    assert said in str(refused.value)
