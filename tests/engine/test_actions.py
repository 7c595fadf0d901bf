"""Registered actions and their double."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from dialogue.engine.actions import (
    ActionCall,
    ActionContext,
    ActionFailed,
    ActionMissing,
    ActionRegistry,
    Failed,
    RegisteredActions,
    StubbedActions,
    Succeeded,
    Unknown,
)
from dialogue.engine.language.compiler import ActionContract

CONTRACT = ActionContract.model_validate({"inputs": {"a": "text"}, "outputs": {"b": "text"}})
registry = ActionRegistry()


@registry.action("greet")
async def _greet(inputs: dict[str, Any], *, key: str, conversation: str) -> dict[str, Any]:
    return {"b": f"{inputs['a']} {key} {conversation}"}


@registry.action("plain")
def _plain(inputs: dict[str, Any], *, key: str, conversation: str) -> dict[str, Any]:
    return {"b": "plain"}


@registry.action("breaks")
async def _breaks(inputs: dict[str, Any], *, key: str, conversation: str) -> dict[str, Any]:
    raise ConnectionError("gone")


@registry.action("refuses")
async def _refuses(inputs: dict[str, Any], *, key: str, conversation: str) -> dict[str, Any]:
    raise ActionFailed("no funds")


@registry.action("sleeps")
async def _sleeps(inputs: dict[str, Any], *, key: str, conversation: str) -> dict[str, Any]:
    await asyncio.sleep(60)
    return {}


def _call(name: str, seconds: float = 60) -> ActionCall:
    return ActionCall("k1", name, {"a": "x"}, CONTRACT, timeout=timedelta(seconds=seconds))


async def test_an_action_gets_its_inputs_and_its_key():
    actions = RegisteredActions(registry, "c1")
    assert await actions.run(_call("greet")) == Succeeded({"b": "x k1 c1"})
    assert await actions.run(_call("plain")) == Succeeded({"b": "plain"})


async def test_an_action_that_says_so_has_failed():
    assert await RegisteredActions(registry).run(_call("refuses")) == Failed("no funds")


async def test_after_any_other_exception_nobody_knows_whether_it_happened():
    assert await RegisteredActions(registry).run(_call("breaks")) == Unknown("ConnectionError: gone")


async def test_an_action_that_takes_too_long_is_in_doubt_and_not_failed():
    assert await RegisteredActions(registry).run(_call("sleeps", seconds=0.05)) == Unknown(
        "timeout: no result within 0.05 seconds"
    )


async def test_an_action_that_nobody_registered_is_missing():
    with pytest.raises(ActionMissing):
        await registry.call("nothing", {}, key="k", conversation="c")


async def test_a_missing_action_has_not_failed_so_that_no_flow_takes_it_for_an_answer():
    with pytest.raises(ActionMissing):
        await RegisteredActions(registry).run(replace(_call("greet"), name="nothing"))


async def test_the_first_stub_that_fits_answers_and_without_one_the_outputs_are_empty():
    actions = StubbedActions({"greet": [{"when": {"a": "y"}, "raises": "no"}, {"returns": {"b": "hi"}}]})
    assert await actions.run(_call("greet")) == Succeeded({"b": "hi"})
    assert await actions.run(_call("other")) == Succeeded({"b": None})
    assert actions.inputs_of("greet") == [{"a": "x"}]


async def test_why_an_action_failed_is_logged_with_the_line_of_its_code(caplog: pytest.LogCaptureFixture):
    await RegisteredActions(registry, "c1").run(_call("refuses"))
    await RegisteredActions(registry, "c1").run(_call("breaks"))

    assert "action refuses of conversation c1: no funds" in caplog.text
    assert "action breaks of conversation c1: ConnectionError: gone" in caplog.text
    assert "test_actions.py" in caplog.text and "in _breaks" in caplog.text
    assert "in run" not in caplog.text


@registry.action("quotes")
async def _quotes(inputs: dict[str, Any], *, key: str, conversation: str) -> dict[str, Any]:
    raise ValueError(f"no account {inputs['a'].replace(' ', '')}\nERROR forged line")


async def test_a_reason_neither_quotes_a_sensitive_value_nor_forges_a_line_of_the_log(
    caplog: pytest.LogCaptureFixture,
):
    secret = replace(_call("quotes"), inputs={"a": "DE89 3704 0044"}, sensitive=frozenset({"a"}))

    outcome = await RegisteredActions(registry, "c1").run(secret)

    assert outcome == Unknown("ValueError: no account ••••\nERROR forged line")
    assert "DE8937040044" not in caplog.text
    assert "\nERROR forged" not in caplog.text


async def test_an_action_of_another_version_than_the_contract_s_is_missing_and_not_called():
    newer = replace(_call("greet"), contract=CONTRACT.model_copy(update={"version": 2}))
    with pytest.raises(ActionMissing, match="greet, version 2"):
        await RegisteredActions(registry).run(newer)


def test_two_functions_under_one_name_are_named_and_the_same_one_twice_is_none():
    own = ActionRegistry()
    own.action("greet")(_greet)
    own.action("greet")(_greet)
    assert own.mismatch("greet", CONTRACT) == ""

    own.action("greet")(_plain)

    said = own.mismatch("greet", CONTRACT)
    assert "two functions are registered as `greet`" in said
    assert "._greet and " in said and said.endswith("._plain")


class _Greeter:
    """A callable object, whose signature is that of `__call__`."""

    def __call__(
        self, inputs: dict[str, Any], *, key: str, conversation: str, context: ActionContext
    ) -> dict[str, Any]:
        return {"b": f"{context.user} {context.conversation}"}


async def test_an_action_gets_the_context_if_it_takes_one():
    own = ActionRegistry()

    @own.action("who")
    async def _who(inputs: dict[str, Any], *, key: str, conversation: str, context: ActionContext) -> dict[str, Any]:
        return {"b": f"{context.user} {context.verified} {context.claims['tier']}"}

    own.action("greeter")(_Greeter())
    context = ActionContext("c1", user="customer-7", verified=True, claims={"tier": "gold"})
    actions = RegisteredActions(own, "c1", context=context)

    assert await actions.run(_call("who")) == Succeeded({"b": "customer-7 True gold"})
    assert await actions.run(_call("greeter")) == Succeeded({"b": "customer-7 c1"})
    assert await RegisteredActions(own, "c1").run(_call("greeter")) == Succeeded({"b": "c1"})


def test_both_signatures_fit_the_contract():
    own = ActionRegistry()
    own.action("old")(_plain)
    own.action("new")(_Greeter())
    own.action("wrong")(lambda inputs, context: {})

    assert own.mismatch("old", CONTRACT) == own.mismatch("new", CONTRACT) == ""
    assert own.mismatch("wrong", CONTRACT) != ""
