"""Conditions as authors would not write them: refused with a column, or evaluated to a value, and nothing else."""

from datetime import UTC, date, datetime
from decimal import Decimal

from hypothesis import strategies as st

from campaigns.support.campaign import Campaign, Tally
from campaigns.support.fuzzing import fuzz
from dialogue.engine.expressions.conditions import (
    Condition,
    ConditionRefused,
    ExpressionTooCostly,
    Kind,
    TypedValue,
)
from dialogue.engine.expressions.signatures import FUNCTIONS

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
VALUES: dict[str, TypedValue] = {
    "amount": Decimal("8450.00"),
    "city": "Rome",
    "member": True,
    "day": date(2026, 12, 14),
    "tags": ["a", Decimal(2)],
    "orders": [
        {"order_id": "W1", "total": Decimal("20.00"), "placed": date(2026, 11, 1), "items": [{"price": Decimal(3)}]},
        {"order_id": "W2", "total": None, "placed": None, "items": []},
    ],
    "order": {"order_id": "W1", "total": Decimal("20.00"), "address": {"zip": None}},
    "empty": None,
    "gate.action": "approve",
}
MANY: dict[str, TypedValue] = {
    "many": [{"parts": [Decimal(number) for number in range(1_000)]} for _ in range(1_000)],
    "other": [{"parts": [Decimal(number) for number in range(1_000)]} for _ in range(1_000)],
    "words": "x" * 50_000,
}
"""Values of the largest size that a slot can hold, for hostile texts."""
ORDER = Kind(
    "object",
    fields={
        "order_id": Kind("text"),
        "total": Kind("number"),
        "placed": Kind("date"),
        "items": Kind("list", item=Kind("object", fields={"price": Kind("number", integer=True)})),
    },
)
KINDS = {
    "amount": Kind("number"),
    "city": Kind("text"),
    "member": Kind("boolean"),
    "day": Kind("date"),
    "tags": Kind("list"),
    "orders": Kind("list", item=ORDER),
    "order": Kind(
        "object",
        fields={
            "order_id": Kind("text"),
            "total": Kind("number"),
            "address": Kind("object", fields={"zip": Kind("text")}),
        },
    ),
    "empty": Kind("number"),
    "gate.action": Kind("text", frozenset({"approve", "reject"})),
}
_LITERALS = ("0", "1", "2.5", "9" * 30, "'Rome'", '"a and b"', "''", "true", "false", "[1, 'a']", "('x', 2)")
_SIGNS = ("==", "!=", "<", "<=", ">", ">=", "in", "not in", "and", "or", "+", "-", "*", "/", "%")
_STRANGE = (
    "**", "=", "&&", "|", "!", "~", ".", "..", "__class__", "()", "[0]", "{}", ";", "\\", "`", "'", '"', "\0", "\ud800",
    "lambda:0", "import os", "x if y else z", "🦜", "1e400", "0x1F", "amount.real", "\n", "None", "NOT", "2025-02-30",
)  # fmt: skip
_HEAVY = [
    "(", "not ", "+1", "-", "[", "amount+", "9*9*", "a.", "'", "len(", " ", "((a)", "or a ", "any(orders, ", "sum(",
    "if(", "first(", ").a", "30d", "1d+", ".a", "item.", "min(1, ", "first_filled(a, ",
]  # fmt: skip
_FIELDS = (
    "order.order_id",
    "order.address.zip",
    "order.nothing",
    "item",
    "item.total",
    "total",
    "placed",
    "items",
    "price",
)

_ATOMS = st.one_of(
    st.sampled_from(sorted(VALUES)),
    st.sampled_from(_LITERALS),
    st.sampled_from(_FIELDS),
    st.sampled_from(["today()", "now()", "30d", "1h30m", "10s", "orders.total"]),
)
_UNARY = ["({})", "not {}", "-{}", "({}).order_id"] + [
    f"{name}({{}})" for name, signature in sorted(FUNCTIONS.items()) if signature.least == 1
]
_BINARY = [
    f"{name}({{}}, {{}})" for name, signature in sorted(FUNCTIONS.items()) if signature.least <= 2 <= signature.most
]


def _grown(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    joined = st.tuples(parts, st.sampled_from(_SIGNS), parts).map(" ".join)
    wrapped = st.tuples(st.sampled_from(_UNARY), parts)
    called = st.tuples(st.sampled_from(_BINARY), parts, parts)
    of_orders = st.tuples(st.sampled_from(_BINARY), st.just("orders"), parts)
    chosen = st.tuples(st.just("if({}, {}, {})"), parts, parts, parts)
    return st.one_of(
        joined,
        *(call.map(lambda parts_: parts_[0].format(*parts_[1:])) for call in (wrapped, called, of_orders, chosen)),
    )


_WELL_FORMED = st.recursive(_ATOMS, _grown, max_leaves=12)


@st.composite
def _damaged(draw: st.DrawFn) -> str:
    """A condition with up to three places damaged."""
    text = draw(_WELL_FORMED)
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(text)))
        text = text[:place] + draw(st.sampled_from((*_STRANGE, *_SIGNS, ""))) + text[place + draw(st.integers(0, 3)) :]
    return text


_TESTS = st.tuples(_ATOMS, st.sampled_from(_SIGNS[:8]), _ATOMS).map(" ".join)
_ORDINARY = st.one_of(_WELL_FORMED, _TESTS, _damaged(), st.text(max_size=60))


_MANY_ATOMS = st.sampled_from(["many", "parts", "words", "item", "1", "'x'", "[many, words]", "other"])


def _costly_parts(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    called = st.tuples(st.sampled_from(_BINARY), st.sampled_from(["many", "parts"]) | parts, parts)
    joined = st.tuples(st.sampled_from(["{} == {}", "{} in {}", "{} + {}", "{} and {}", "{} > {}"]), parts, parts)
    wrapped = st.tuples(st.sampled_from(_UNARY), parts)
    return st.one_of(called, called, joined, wrapped).map(lambda pieces: pieces[0].format(*pieces[1:]))


_COSTLY = st.recursive(_MANY_ATOMS, _costly_parts, max_leaves=10)
"""List functions over the largest lists."""


@st.composite
def _hostile(draw: st.DrawFn) -> str:
    """Texts that are made to cost much."""
    piece = draw(st.sampled_from(_HEAVY))
    powers = [
        "9**9**9",
        "'x'*10**9",
        "9" * 400 + "*" + "9" * 90,
        "*".join(["9" * 30] * 16),
        "%".join(["1"] * 249),
    ]
    return draw(st.sampled_from(["", "amount", "1"])) + draw(
        st.one_of(st.sampled_from(powers), st.one_of(st.integers(10, 120), st.integers(120, 30_000)).map(piece.__mul__))
    )


def evaluate(text: str) -> str:
    """What comes of a condition: refused at once, refused for its kinds, or a value."""
    try:
        condition = Condition(text)
    except ConditionRefused as why:
        assert str(why) and 1 <= why.column <= len(text) + 1, f"column {why.column} of {len(text)}"
        return "refused"
    outcome = _value(condition)
    assert Condition(str(condition)) == condition
    return "wrong kinds" if _is_of_wrong_kinds(condition) else outcome


def _value(condition: Condition) -> str:
    before = repr(VALUES)
    value, holds = condition.evaluate(VALUES, NOW), condition.holds(VALUES, NOW)
    condition.evaluate({}, NOW)
    assert holds is (value is True)
    assert repr(VALUES) == before
    if value is None:
        return "empty"
    return "true or false" if isinstance(value, bool) else "value"


def _is_of_wrong_kinds(condition: Condition) -> bool:
    try:
        condition.check_as_expression(KINDS)
    except ConditionRefused as why:
        assert str(why) and why.column >= 1
        return True
    return False


def evaluate_many(text: str) -> str:
    """What comes of a condition over the largest lists and texts."""
    try:
        Condition(text).evaluate(MANY, NOW)
    except ConditionRefused:
        return "refused"
    except ExpressionTooCostly:
        return "given up"
    return "value"


ORDINARY = " or ".join(["amount > 5000 and amount < 9000"] * 10)
"""About the longest that somebody would write."""


ORDINARY_LOOP = f"any(many, {' or '.join(['count(parts) > 5000 or len(words) < 9'] * 4)})"
"""A test of a thousand entries, a tenth of what one evaluation may cost."""


def _run(size: int, chance: int, tally: Tally) -> None:
    hostile = size // 20
    fuzz(_ORDINARY, evaluate, size - hostile, chance, tally)
    fuzz(_hostile(), evaluate, hostile, chance, tally, ordinary=ORDINARY)
    fuzz(_COSTLY, evaluate_many, size // 100, chance, tally, ordinary=ORDINARY_LOOP)


CAMPAIGN = Campaign(
    name="conditions",
    passes_when="refused with a column or evaluated, slots unchanged; hostile texts at most 40 times an ordinary one",
    ci=2_500,
    full=50_000,
    outcomes=("refused", "wrong kinds", "empty", "true or false", "value", "hostile"),
    run=_run,
    computes=True,
)
