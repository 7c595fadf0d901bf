"""The ledger: an action under one key happens once, as far as anybody can know."""

from collections.abc import Mapping
from typing import Any

import pytest

from dialogue.engine.actions import ActionCall, Failed, Outcome, Succeeded, Unknown
from dialogue.engine.language.compiler import ActionContract
from dialogue.models import ActionRun
from dialogue.turns import lease
from dialogue.turns.accept import open_conversation
from dialogue.turns.actions.ledger import InputsChanged, LedgeredActions
from dialogue.turns.lease import Lease, LeaseLost
from dialogue.turns.process.database import in_thread
from tests.support.releases import GREETER, publish

pytestmark = pytest.mark.django_db(transaction=True)


class Teller:
    """Hands that count what they did."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.calls: list[Mapping[str, Any]] = []

    async def run(self, call: ActionCall) -> Outcome:
        self.calls.append(call.inputs)
        return self.outcome


@pytest.fixture
def held() -> Lease:
    publish(GREETER)
    mine = lease.claim(open_conversation("greeter")[0].pk, "me")
    assert mine is not None
    return mine


def call(*, idempotent: bool = False, amount: int = 5) -> ActionCall:
    contract = ActionContract(idempotent=idempotent)
    return ActionCall(key="c/f-1/send/1", name="send_money", inputs={"amount": amount}, contract=contract)


async def test_a_result_that_is_known_is_given_again_without_a_call(held: Lease) -> None:
    teller = Teller(Succeeded({"reference": "TR-1"}))
    await LedgeredActions(teller, held).run(call())

    again = await LedgeredActions(teller, held).run(call())

    assert again == Succeeded({"reference": "TR-1"})
    assert len(teller.calls) == 1


async def test_a_doubt_about_an_action_that_may_be_repeated_is_followed_by_another_try(held: Lease) -> None:
    teller = Teller(Unknown("timeout"))
    await LedgeredActions(teller, held).run(call(idempotent=True))
    teller.outcome = Succeeded({"reference": "TR-1"})

    again = await LedgeredActions(teller, held).run(call(idempotent=True))

    assert again == Succeeded({"reference": "TR-1"})
    assert len(teller.calls) == 2


@pytest.mark.parametrize("outcome", [Failed("no funds"), Unknown("timeout")])
async def test_a_failure_and_a_doubt_are_remembered_too(held: Lease, outcome: Outcome) -> None:
    teller = Teller(outcome)
    await LedgeredActions(teller, held).run(call())

    assert await LedgeredActions(teller, held).run(call()) == outcome
    assert len(teller.calls) == 1


async def test_an_action_that_died_while_it_ran_is_unknown_and_not_called_again(held: Lease) -> None:
    teller = Teller(Succeeded({}))
    await LedgeredActions(teller, held).run(call())
    await ActionRun.objects.aupdate(state=ActionRun.State.RUNNING)

    found = await LedgeredActions(teller, held).run(call())

    assert isinstance(found, Unknown) and len(teller.calls) == 1
    assert (await ActionRun.objects.aget()).state == ActionRun.State.UNKNOWN


async def test_an_idempotent_action_that_died_while_it_ran_is_repeated(held: Lease) -> None:
    teller = Teller(Succeeded({}))
    await LedgeredActions(teller, held).run(call(idempotent=True))
    await ActionRun.objects.aupdate(state=ActionRun.State.RUNNING)

    assert await LedgeredActions(teller, held).run(call(idempotent=True)) == Succeeded({})
    assert len(teller.calls) == 2


@pytest.mark.parametrize(("idempotent", "state"), [(True, "running"), (False, "intended")])
async def test_only_what_may_be_repeated_begins_as_it_is_meant(held: Lease, idempotent: bool, state: str) -> None:
    await in_thread(LedgeredActions(Teller(Succeeded({})), held)._record_intent)(call(idempotent=idempotent))

    assert (await ActionRun.objects.aget()).state == state


async def test_an_action_that_was_only_intended_is_called(held: Lease) -> None:
    teller = Teller(Succeeded({}))
    await in_thread(LedgeredActions(teller, held)._record_intent)(call())

    await LedgeredActions(teller, held).run(call())

    assert len(teller.calls) == 1


async def test_other_inputs_under_the_same_key_are_refused(held: Lease) -> None:
    teller = Teller(Succeeded({}))
    await LedgeredActions(teller, held).run(call())

    with pytest.raises(InputsChanged):
        await LedgeredActions(teller, held).run(call(amount=6))


async def test_a_runner_that_lost_its_lease_calls_nothing(held: Lease) -> None:
    teller = Teller(Succeeded({}))
    zombie = Lease(held.conversation, held.owner, held.epoch - 1)

    with pytest.raises(LeaseLost):
        await LedgeredActions(teller, zombie).run(call())
    assert teller.calls == []


async def test_a_reading_with_other_inputs_under_the_same_key_is_simply_read_again(held: Lease) -> None:
    contract = ActionContract(effect="none")
    reader = Teller(Succeeded({"price": 80}))
    await LedgeredActions(reader, held).run(ActionCall("c/f-1/find/1", "find", {"city": "Rome"}, contract))
    reader.outcome = Succeeded({"price": 90})

    outcome = await LedgeredActions(reader, held).run(ActionCall("c/f-1/find/1", "find", {"city": "Oslo"}, contract))

    assert outcome == Succeeded({"price": 90})
    assert (await ActionRun.objects.aget()).inputs == {"city": "Oslo"}


async def test_a_reading_whose_process_died_is_repeated(held: Lease) -> None:
    contract = ActionContract(effect="none")
    reader = Teller(Succeeded({"price": 80}))
    reading = ActionCall("c/f-1/find/1", "find", {"city": "Rome"}, contract)
    await in_thread(LedgeredActions(reader, held)._record_intent)(reading)

    assert await LedgeredActions(reader, held).run(reading) == Succeeded({"price": 80})
