"""Answers in a model's words: every value is kept, whatever the model makes of it."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from dialogue.engine.actions import ActionCall, Outcome, Succeeded
from dialogue.engine.ports.commands import Digress, SetSlot, StartFlow
from dialogue.engine.understanding import Understanding
from dialogue.models import Message, Turn
from dialogue.nlu.budgets import Budget, Limits, Spending
from dialogue.nlu.llm.component import breaker_for
from dialogue.nlu.llm.ports import ConversationStores
from dialogue.nlu.llm.rephrasing import Rephraser, rejection_reason, replace_values
from dialogue.nlu.settings import NLUSettings
from dialogue.turns import compiled_releases
from dialogue.turns.accept import Incoming, accept, open_conversation
from dialogue.turns.worker import Ports, drain
from tests.nlu.llm.test_ports import CountingPurse
from tests.support.nlu.recorded_server import Answer, Recorded, recorded_server
from tests.support.releases import demo, publish
from tests.support.soni_settings import change

HOURS = "We are open from 9:00 to 18:00, Monday to Saturday. Ask for Olga at desk@library.example."
WORDS = "Come by any day but Sunday, between <v1> and <v2>; Olga is at <v3>."


@pytest.fixture
def server() -> Iterator[Recorded]:
    with recorded_server() as recorded:
        yield recorded
    breaker_for.cache_clear()


def saying(text: str) -> str:
    return json.dumps({"rephrased": text})


def rephraser(server: Recorded, backing: ConversationStores | None = None, **changes: Any) -> Rephraser:
    settings = NLUSettings(model="openai/tiny", api_base=server.address, **changes)
    return Rephraser(settings, backing or ConversationStores())


async def test_values_come_back_as_they_were_and_the_model_never_sees_them(server: Recorded) -> None:
    server.will_say(saying("Any day but Sunday, from <v1> to <v2>: ask for <v3> at <v4>."))

    said = await rephraser(server).rephrase(HOURS, "en", ["Olga"])

    assert said.text == "Any day but Sunday, from 9:00 to 18:00: ask for Olga at desk@library.example."
    assert "9:00" not in server.prompt() and "desk@library.example" not in server.prompt()


SPOILT = {
    "a value is missing": "We open at <v1>.",
    "a value twice": f"{WORDS} <v1>",
    "a mark of its own": f"{WORDS} <v9>",
    "a number of its own": f"{WORDS} It costs 5 euros.",
    "an address of its own": f"{WORDS} See http://elsewhere.",
    "a placeholder": f"{WORDS} {{name}}",
    "a field mark": f"[[ ## rephrased ## ]] {WORDS}",
    "much too long": WORDS + " and so on" * 50,
    "nothing but values": "<v1><v2><v3>",
    "empty": "",
}


@pytest.mark.parametrize("answer", SPOILT.values(), ids=list(SPOILT))
async def test_what_is_spoilt_is_not_said(server: Recorded, answer: str) -> None:
    server.will_say(saying(answer))

    said = await rephraser(server).rephrase(HOURS, "en")

    assert said.text == HOURS
    assert said.note


@pytest.mark.parametrize("answer", [Answer(status=500), Answer(status=401), Answer("no JSON"), Answer(raw=b"<html>")])
async def test_a_model_that_fails_leaves_the_authors_words(server: Recorded, answer: Answer) -> None:
    server.will_say(answer)

    assert (await rephraser(server).rephrase(HOURS, "en")).text == HOURS


async def test_a_slow_model_is_not_waited_for(server: Recorded) -> None:
    server.will_say(Answer(saying(WORDS), seconds=1.0))

    assert (await rephraser(server, time_limit=0.2).rephrase(HOURS, "en")).text == HOURS


async def test_a_conversation_that_has_spent_all_gets_the_authors_words(server: Recorded) -> None:
    budget = Budget(conversation=Limits(calls=1))
    backing = ConversationStores(spending=CountingPurse(Spending(calls=1)))

    said = await rephraser(server, backing, budget=budget).rephrase(HOURS, "en")

    assert (said.text, said.note, server.asked) == (HOURS, "not asked", [])


@given(st.text(max_size=80), st.lists(st.text(min_size=1, max_size=8), max_size=4))
@hypothesis_settings(max_examples=60, deadline=None)
def test_marks_can_always_be_undone(text: str, shown: list[str]) -> None:
    plain = text.replace("<v", "")

    behind = replace_values(plain, shown)

    assert behind.restore(behind.text) == plain


def test_a_text_without_values_may_be_said_in_any_words() -> None:
    assert rejection_reason("With pleasure: ask away!", replace_values("You can ask me things.")) == ""


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("wanted", [True, False])
def test_answers_are_rephrased_where_the_settings_want_it(server: Recorded, settings: Any, wanted: bool) -> None:
    change(settings, NLU="auto", NLU_MODEL="openai/tiny", NLU_API_BASE=server.address)
    change(settings, NLU_REPHRASE=wanted)
    compiled_releases.forget_releases()
    server.will_say(saying("Any day but Sunday, from <v1> until <v2>."))
    conversation = open_conversation(publish(demo("library")).assistant.name)[0]

    accept(conversation.pk, Incoming("message", "m1", {"text": "when are you open?"}, text="when are you open?"))
    async_to_sync(drain)(conversation.pk)

    said, turn = Message.objects.get(key="answer:opening_hours").text, Turn.objects.get()
    assert said.startswith("Any day but Sunday, from 9:00 until 18:00" if wanted else "We are open from 9:00")
    assert (turn.llm_calls, "rephrased" in turn.record) == ((1, True) if wanted else (0, False))
    compiled_releases.forget_releases()


DESK = {
    "assistant.yaml": "version: 1\nassistant: desk\ntitle: Desk\nactions:\n"
    "  look: {inputs: {}, outputs: {}, idempotent: true}\n"
    "knowledge:\n  desk:\n    questions: [Who is at the desk?]\n    answer: Quetzal is at the desk all day.\n",
    "find.yaml": "flow: find\ntitle: find somebody\ndescription: Finds somebody.\nexamples: [find somebody]\n"
    "slots:\n  name: {type: text, prompt: Whom?}\nsteps:\n  - {step: ask, type: collect, slot: name}\n"
    "  - {step: look, type: action, call: look}\n",
}


class Asked:
    """Understanding of a message that asks something and gives a value."""

    async def understand(self, message: str, context: Any) -> Understanding:
        return Understanding((StartFlow("find"), SetSlot("name", "Quetzal"), Digress("question", "desk")))


@pytest.mark.django_db(transaction=True)
def test_an_answer_before_an_action_is_rephrased_once_before_it_is_read_however_often_the_turn_runs(
    server: Recorded, settings: Any
) -> None:
    change(settings, NLU="auto", NLU_MODEL="openai/tiny", NLU_API_BASE=server.address)
    change(settings, NLU_REPHRASE=True)
    compiled_releases.forget_releases()
    server.will_say(saying("All day long you find <v1> at the desk."))
    conversation = open_conversation(publish(DESK).assistant.name)[0]
    read: list[str] = []

    class FailsOnce:
        async def run(self, call: ActionCall) -> Outcome:
            read.append((await Message.objects.aget(key="answer:desk")).text)
            if len(read) == 1:
                raise OSError("the network is down")
            return Succeeded({})

    accept(conversation.pk, Incoming("message", "m1", {"text": "who is there?"}, text="who is there?"))
    async_to_sync(drain)(conversation.pk, ports=Ports(lambda _: Asked(), FailsOnce()))

    assert read == ["All day long you find Quetzal at the desk."] * 2
    assert len(server.asked) == 1 and "Quetzal" not in server.prompt()
    compiled_releases.forget_releases()
