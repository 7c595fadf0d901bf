"""Understanding and engine together: what is stored, and what is said, when real words meet real prompts."""

from typing import Any

import pytest

from dialogue.engine.graph import RuntimeContext, run_turn
from dialogue.engine.ports import events
from dialogue.engine.ports.sinks import BufferSink
from tests.support.engine.dialogue_harness import Talk
from tests.support.nlu.situations import assistant_named, nlu_of


class Understood(Talk):
    """A conversation whose messages are understood, not scripted."""

    def __init__(self, name: str) -> None:
        super().__init__(assistant_named(name))
        self.real = nlu_of(name)

    async def hears(self, *texts: str) -> list[str]:
        """The keys of the last answer."""
        for text in texts:
            self.sink = BufferSink()
            context = RuntimeContext(
                conversation="c1", assistant=self.assistant, nlu=self.real, actions=self.actions, sink=self.sink,
                hitl=self.desk, now=self.now, language=self.assistant.language, timezone=self.assistant.timezone,
            )  # fmt: skip
            event = events.message(self._id(), text)
            config: Any = {"configurable": {"thread_id": "c1"}}
            self.last = await run_turn(self.dialogue, event, context, config=config, checkpointer=self.saver)
        return self.keys


REPAIR = ("I want to book a repair", "A van hit me and the wheel is bent now.", "the chain", "Mia Holm", "80 euros")
WAITING = (*REPAIR, "on 4 December 2026", "yes")


@pytest.mark.parametrize("article", ["the back wheel", "the saddle", "a brake cable"])
async def test_words_of_a_list_that_the_prompt_shows_are_answers(article: str) -> None:
    talk = Understood("repairs")
    await talk.hears("I want to order parts")
    assert "brake cable, back wheel, saddle" in talk.texts[-1]

    await talk.hears(article)

    assert talk.value("order_parts.wanted") == article


async def test_the_status_names_what_is_missing_in_the_order_of_the_questions() -> None:
    talk = Understood("repairs")
    await talk.hears(*REPAIR[:3])

    assert await talk.hears("what do you still need to know?") == ["status", "ask:owner"]
    assert "Still missing: owner, limit, pickup day." in talk.texts[0]


@pytest.mark.parametrize(
    "text", ["ok, I'll wait", "my brother paid 120 euros elsewhere", "the chain was new", "hm", "Mia is my daughter"]
)
async def test_what_is_said_in_passing_changes_nothing_that_staff_look_at(text: str) -> None:
    talk = Understood("repairs")
    await talk.hears(*WAITING)
    request = talk.staff_task()

    assert set(await talk.hears(text)) <= {"status", "waiting:mechanic", "chitchat"}
    assert talk.staff_task() == request


@pytest.mark.parametrize(
    ("text", "slot"), [("120", "limit"), ("120 euros please", "limit"), ("I meant the saddle", "part")]
)
async def test_what_may_be_meant_as_a_change_is_one_question(text: str, slot: str) -> None:
    talk = Understood("repairs")
    await talk.hears(*WAITING)
    request = talk.staff_task()

    assert await talk.hears(text) == [f"offer_change:{slot}"]
    assert talk.staff_task() == request
    await talk.hears("yes")
    assert talk.value(f"book_repair.{slot}") in ("120.00", "the saddle", "saddle")


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("the limit should be 120 euros", "limit", "120.00"),
        ("make it 120", "limit", "120.00"),
        ("change the part to the saddle", "part", "the saddle"),
    ],
)
async def test_a_clear_correction_changes_the_value_and_voids_the_request(text: str, slot: str, value: str) -> None:
    talk = Understood("repairs")
    await talk.hears(*WAITING)
    request = talk.staff_task()

    assert f"corrected:{slot}" in await talk.hears(text)
    assert talk.value(f"book_repair.{slot}") == value
    assert request not in talk.outcome.tasks
