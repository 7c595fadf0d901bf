"""What the host keeps for understanding: answers that were paid for, spending, and a bell; each as a port."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

import pytest

from dialogue.engine.ports.commands import CannotHandle, Command, SetSlot, StartFlow
from dialogue.engine.understanding import Understanding, Usage
from dialogue.nlu import build_nlu
from dialogue.nlu.budgets import Budget, Limits, Prices, Spending
from dialogue.nlu.llm.component import breaker_for
from dialogue.nlu.llm.ports import NO_STORES, ConversationStores
from dialogue.nlu.settings import NLUSettings
from tests.support.nlu.recorded_server import Answer, Recorded, commands, recorded_server
from tests.support.nlu.situations import assistant_named, situation

LIBRARY, BANK = assistant_named("library"), assistant_named("bank")
USUAL = Budget()
ODD = "it was on my sister's mind, the thing with Middlemarch, you know"


@dataclass
class KeptAnswers:
    kept: dict[str, tuple[Command, ...]] = field(default_factory=dict)
    shared: list[bool] = field(default_factory=list)

    async def recall(self, key: str) -> tuple[Command, ...] | None:
        return self.kept.get(key)

    async def keep(self, key: str, commands: Sequence[Command], *, shared: bool) -> None:
        self.kept[key] = tuple(commands)
        self.shared.append(shared)


@dataclass
class CountingPurse:
    so_far: Spending = field(default_factory=Spending)
    budget: Budget = field(default_factory=Budget)
    at_address: Spending = field(default_factory=Spending)

    async def conversation_spending(self) -> Spending:
        return self.so_far

    async def address_spending(self) -> Spending:
        return self.at_address

    async def charge(self, usage: Usage, seconds: float) -> None:
        self.so_far += self.budget.spending_of(usage, seconds)


@dataclass
class HeardBell:
    heard: list[str] = field(default_factory=list)

    async def key_refused(self, model: str) -> None:
        self.heard.append(f"refused {model}")

    async def key_works(self, model: str) -> None:
        self.heard.append(f"works {model}")


@pytest.fixture
def server() -> Iterator[Recorded]:
    with recorded_server() as recorded:
        yield recorded
    breaker_for.cache_clear()


async def understood(
    server: Recorded,
    text: str,
    *stack: str,
    backing: ConversationStores = NO_STORES,
    budget: Budget = USUAL,
    name: str = "library",
) -> Understanding:
    settings = NLUSettings(model="openai/tiny", api_base=server.address, api_key="key", budget=budget)
    assistant = assistant_named(name)
    return (
        await build_nlu(assistant, "llm", settings).with_stores(backing).understand(text, situation(assistant, *stack))
    )


async def test_the_same_message_in_the_same_place_is_paid_for_once(server: Recorded) -> None:
    server.will_say(commands(("start_flow", "reserve_book"), ("set_slot", "title", "Middlemarch")))
    backing = ConversationStores(answers=KeptAnswers())

    first = await understood(server, ODD, backing=backing)
    second = await understood(server, ODD, backing=backing)

    assert (
        first.commands == second.commands == (StartFlow("reserve_book"), SetSlot("title", "Middlemarch", "Middlemarch"))
    )
    assert len(server.asked) == 1
    assert (second.path[-1].part, second.usage.calls) == ("cache", 0)


async def test_elsewhere_in_the_conversation_it_is_another_question(server: Recorded) -> None:
    server.will_say(commands(("start_flow", "pay_fine")))
    backing = ConversationStores(answers=KeptAnswers())

    await understood(server, ODD, backing=backing)
    await understood(server, ODD, "reserve_book?title", backing=backing)

    assert len(server.asked) == 2


async def test_only_an_answer_without_values_is_for_everybody(server: Recorded) -> None:
    answers = KeptAnswers()
    server.will_say(
        commands(("start_flow", "reserve_book"), ("set_slot", "title", "Middlemarch")),
        commands(("start_flow", "pay_fine")),
    )

    await understood(server, ODD, backing=ConversationStores(answers=answers))
    await understood(server, f"{ODD}?", backing=ConversationStores(answers=answers))

    assert answers.shared == [False, True]


async def test_a_message_with_a_sensitive_value_is_not_kept(server: Recorded) -> None:
    answers = KeptAnswers()
    server.will_say(commands(("start_flow", "transfer_money"), ("set_slot", "iban", "<iban_1>")))

    await understood(
        server,
        "move something to DE89 3704 0044 0532 0130 00 for me",
        backing=ConversationStores(answers=answers),
        name="bank",
    )

    assert answers.kept == {}


async def test_a_bad_answer_is_not_kept(server: Recorded) -> None:
    answers = KeptAnswers()
    server.will_say("no JSON at all")

    await understood(server, ODD, backing=ConversationStores(answers=answers))

    assert answers.kept == {}


async def test_every_call_is_charged_failed_ones_too(server: Recorded) -> None:
    budget = Budget(prices=Prices(Decimal("10"), Decimal("50")))
    purse = CountingPurse(budget=budget)
    server.will_say("no JSON", commands(("start_flow", "pay_fine")))

    await understood(server, ODD, backing=ConversationStores(spending=purse), budget=budget)

    assert (purse.so_far.calls, purse.so_far.tokens) == (2, 240)
    assert purse.so_far.money == Decimal("0.004")
    assert purse.so_far.seconds > 0


SPENT = {
    "calls": (Limits(calls=3), Spending(calls=3)),
    "tokens": (Limits(tokens=500), Spending(tokens=501)),
    "seconds": (Limits(seconds=2.0), Spending(seconds=2.5)),
    "money": (Limits(money=Decimal("0.10")), Spending(money=Decimal("0.10"))),
}


@pytest.mark.parametrize(("name", "limits", "spent"), [(name, *pair) for name, pair in SPENT.items()])
async def test_a_conversation_that_has_spent_all_is_understood_without_the_model(
    server: Recorded, name: str, limits: Limits, spent: Spending
) -> None:
    backing = ConversationStores(spending=CountingPurse(spent))

    plain = await understood(server, "I want to pay my fine", backing=backing, budget=Budget(conversation=limits))
    odd = await understood(server, ODD, backing=backing, budget=Budget(conversation=limits))

    assert server.asked == []
    assert (plain.commands, odd.commands) == ((StartFlow("pay_fine"),), (CannotHandle("not understood"),))
    notes = [entry.note for entry in odd.path if entry.part == "llm"]
    assert notes == [f"not asked: no more {name} for this conversation"]


async def test_one_message_takes_no_more_calls_than_a_turn_may(server: Recorded) -> None:
    server.will_say("no JSON")

    await understood(server, ODD, budget=Budget(turn=Limits(calls=1)))

    assert len(server.asked) == 1


async def test_a_second_pass_is_left_out_when_the_first_took_all_tokens(server: Recorded) -> None:
    server.will_say(Answer(status=500), commands(("start_flow", "pay_fine")))

    understanding = await understood(server, "I want to pay my fine", budget=Budget(turn=Limits(tokens=1)))

    assert understanding.commands == (StartFlow("pay_fine"),)
    assert len(server.asked) == 2


async def test_a_refused_key_is_told_and_one_that_works_too(server: Recorded) -> None:
    bell = HeardBell()
    server.will_say(Answer(status=401), commands(("chitchat",)))

    await understood(server, ODD, backing=ConversationStores(alerts=bell))
    breaker_for.cache_clear()
    await understood(server, ODD, backing=ConversationStores(alerts=bell))

    assert bell.heard == ["refused openai/tiny", "works openai/tiny"]


async def test_what_an_address_has_used_up_in_a_day_is_not_there_for_its_next_conversation(server: Recorded) -> None:
    budget = Budget(address=Limits(calls=3))
    purse = CountingPurse(budget=budget, at_address=Spending(calls=3))

    found = await understood(server, ODD, backing=ConversationStores(spending=purse), budget=budget)

    assert server.asked == []
    assert "not asked: no more calls for this address today" in [entry.note for entry in found.path]
