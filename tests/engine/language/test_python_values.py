"""What actions return in Python's own types, and what they are given in them."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel

from dialogue.engine.actions import ActionCall, ActionRegistry, RegisteredActions, Succeeded
from dialogue.engine.language.compiler import ActionContract

ADDRESS = {"type": "object", "fields": {"street": {"type": "text"}, "since": {"type": "date", "required": False}}}
NOTE = {"type": "text", "required": False}
NOON = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)


class Size(enum.Enum):
    LARGE = "large"


class Address(BaseModel):
    street: str
    since: date | None = None


@dataclass
class Parcel:
    weight: Decimal
    size: Size


async def ran(returned: Any, outputs: Mapping[str, Any]) -> Any:
    """The outcome of an action that returns this."""
    registry = ActionRegistry()

    @registry.action("act")
    async def act(inputs: dict[str, Any], *, key: str, conversation: str) -> Any:
        return returned

    call = ActionCall("k1", "act", {}, ActionContract.model_validate({"inputs": {}, "outputs": outputs}))
    return await RegisteredActions(registry, now=NOON, timezone="Europe/Rome").run(call)


@pytest.mark.parametrize(
    ("slot", "returned", "stored"),
    [
        ("money", Decimal("12.50"), "12.50"),
        ("money", Decimal("12"), "12.00"),
        ("number", Decimal("0.0000001"), 1e-07),
        ("integer", Decimal("3.0"), 3),
        ("text", Decimal("12.50"), "12.50"),
        ("date", date(2026, 11, 30), "2026-11-30"),
        ("time", time(9, 30), "09:30"),
        ("datetime", datetime(2026, 11, 30, 9, 30, tzinfo=UTC), "2026-11-30T09:30:00+00:00"),
        ("datetime", datetime(2026, 11, 30, 9, 30), "2026-11-30T09:30:00+01:00"),
        ("text", None, None),
        ("text", Size.LARGE, "large"),
        ("text", UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        ({"type": "choice", "options": ["small", "large"]}, Size.LARGE, "large"),
        ({"type": "list", "items": {"type": "money"}}, (Decimal("1.5"), Decimal("2")), ["1.50", "2.00"]),
        (
            ADDRESS,
            Address(street="Mill Lane", since=date(2020, 1, 2)),
            {"street": "Mill Lane", "since": "2020-01-02"},
        ),
        (
            {"type": "object", "fields": {"weight": {"type": "number"}, "size": {"type": "text"}}},
            Parcel(Decimal("2.5"), Size.LARGE),
            {"weight": 2.5, "size": "large"},
        ),
    ],
)
async def test_what_python_means_by_the_type_is_stored_as_the_type(slot: Any, returned: Any, stored: Any):
    assert await ran({"result": returned}, {"result": slot}) == Succeeded({"result": stored})


@pytest.mark.parametrize("returned", [None, {}])
async def test_an_action_without_outputs_returns_none_or_nothing_in_a_dict(returned: Any):
    assert await ran(returned, {"result": "text"}) == Succeeded({})


async def test_all_outputs_may_come_as_one_model():
    outcome = await ran(Address(street="Mill Lane"), {"street": "text", "since": "optional date"})
    assert outcome == Succeeded({"street": "Mill Lane", "since": None})


@pytest.mark.parametrize(
    ("slot", "returned", "named"),
    [
        ("money", "abc", "`result` does not fit the type money: “abc” is not an amount of money."),
        ("money", Decimal("NaN"), "`result` does not fit the type money"),
        ("integer", Decimal("1.5"), "`result` does not fit the type integer"),
        ("date", datetime(2026, 11, 30, 9, 30), "`result` does not fit the type date"),
        ("text", object(), "`result` does not fit the type text: a value of the Python type object cannot be stored"),
        ("text", {1, 2}, "a value of the Python type set cannot be stored"),
    ],
)
async def test_an_output_that_does_not_fit_is_named_and_the_action_has_happened(slot: str, returned: Any, named: str):
    outcome = await ran({"result": returned}, {"result": slot})
    assert isinstance(outcome, Succeeded)
    assert named in outcome.misfit


async def test_an_action_that_returns_no_names_is_told_what_to_return():
    outcome = await ran("TR-1", {"reference": "text"})
    assert isinstance(outcome, Succeeded)
    assert "value of the Python type str; return a dict" in outcome.misfit


async def test_a_sensitive_output_that_does_not_fit_is_named_without_its_value():
    outcome = await ran({"pin": "12x4"}, {"pin": {"type": "integer", "sensitive": True}})
    assert isinstance(outcome, Succeeded)
    assert "`pin` does not fit the type integer" in outcome.misfit
    assert "12x4" not in outcome.misfit


async def test_a_misspelt_output_is_named_in_the_log(caplog: pytest.LogCaptureFixture):
    assert await ran({"referenc": "TR-1"}, {"reference": "text"}) == Succeeded({})
    assert "`referenc` is not an output of the contract. Did you mean `reference`?" in caplog.text


async def test_inputs_arrive_as_the_python_types_of_the_contract():
    registry, given = ActionRegistry(), {}

    @registry.action("act")
    def act(inputs: dict[str, Any], *, key: str, conversation: str) -> None:
        given.update(inputs)

    types = {
        "amount": "money", "seats": "integer", "weight": "number", "day": "date", "at": "time", "since": "datetime",
        "sure": "boolean", "name": "text", "days": {"type": "list", "items": {"type": "date"}},
        "order": {"type": "object", "fields": {"price": {"type": "money"}, "note": NOTE}},
    }  # fmt: skip
    stored = {
        "amount": "12.50", "seats": 3, "weight": 2.5, "day": "2026-11-30", "at": "09:30",
        "since": "2026-11-30T09:30:00+01:00", "sure": False, "name": "7", "days": ["2026-11-30"],
        "order": {"price": "1.00", "note": None},
    }  # fmt: skip
    contract = ActionContract.model_validate({"inputs": types, "outputs": {}})
    await RegisteredActions(registry).run(ActionCall("k1", "act", stored, contract))

    assert given == {
        "amount": Decimal("12.50"),
        "seats": 3,
        "weight": 2.5,
        "day": date(2026, 11, 30),
        "at": time(9, 30),
        "since": datetime.fromisoformat("2026-11-30T09:30:00+01:00"),
        "sure": False,
        "name": "7",
        "days": [date(2026, 11, 30)],
        "order": {"price": Decimal("1.00"), "note": None},
    }
    assert [type(given[name]) for name in ("amount", "seats", "weight")] == [Decimal, int, float]
