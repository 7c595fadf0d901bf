"""The third part: customers who write, understood without a language model.

A dialogue of `dialogues/*.jsonl` says by topic what the customer writes: `opening`, `answers` by what is asked for,
`also` for certain moments, further wishes in `then`. The customer answers what the assistant asks for, picks the right
one where it offers several things to do (also when it has not understood the opening and lists what it can do), and
gives a wish up when the same question comes a third time. It counts when the database is then what the calls produce.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dialogue.engine.actions import RegisteredActions
from dialogue.engine.language.compiler import Assistant
from dialogue.engine.ports import events
from dialogue.engine.ports.tasks import CollectTask, ConfirmTask, OfferTask
from dialogue.nlu.pipeline.nlu_pipeline import NLUPipeline
from tests.bench.tau2.actions import ShopActions
from tests.bench.tau2.engine_alone import TaskResult, differing_rows
from tests.bench.tau2.reference import apply_calls
from tests.bench.tau2.shop import Row, Shop, copy_of
from tests.bench.tau2.wishes import FLOWS, calls_of
from tests.support.engine.dialogue_harness import Talk

DIALOGUES = Path(__file__).parent / "dialogues"
TOPICS = {"email": "email", "name": "name", "zip": "zip", "method": "payment", "known": "address"}
MAX_QUESTIONS = 25
MAX_SAME_QUESTION = 2


def read_dialogues(name: str) -> list[Row]:
    """Return the dialogues of one file, tune or frozen."""
    return [json.loads(line) for line in (DIALOGUES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


class Writer:
    """One customer, who writes messages."""

    def __init__(self, assistant: Assistant, nlu: NLUPipeline, shop: Shop, dialogue: Row) -> None:
        self._talk = Talk(assistant)
        self._talk.actions = RegisteredActions(ShopActions(shop).registry(), "c1")
        self._talk.nlu = nlu  # type: ignore[assignment]
        self._identity = {topic: dialogue["answers"].get(topic) for topic in ("email", "name", "zip")}
        self._also = [dict(entry) for entry in dialogue["also"]]
        self._titles = {name: str(flow.title) for name, flow in assistant.flows.items()}
        self._count = 0
        self.picked = 0
        self.lines: list[str] = []

    async def write_all(self, dialogue: Row) -> None:
        """Write the dialogue's wishes one after the other."""
        for wish in (dialogue, *dialogue["then"]):
            title = self._titles[FLOWS[dialogue["kinds"][wish["calls"][0]]]]
            await self._write_wish(wish, title)

    async def _write_wish(self, wish: Row, title: str) -> None:
        asked: Counter[str] = Counter()
        await self._write(wish["opening"])
        if "cannot_handle" in self._talk.keys and self._talk.outcome.awaited is None:
            self.picked += 1
            await self._write(title)
        for _ in range(MAX_QUESTIONS):
            task = self._talk.outcome.awaited
            if task is None:
                return
            topic = _topic_of(task)
            asked[f"{topic} {task.message}"] += 1
            if asked[f"{topic} {task.message}"] > MAX_SAME_QUESTION:
                break
            if isinstance(task, OfferTask):
                self.picked += 1
                await self._write(title if any(choice.label == title for choice in task.choices) else "none of these")
            else:
                await self._write(self._answer(wish["answers"], topic, task.message, asked))
        await self._write("cancel")

    async def _write(self, text: str) -> None:
        self._count += 1
        self.lines.append(f"> {text}")
        await self._talk.feed(events.message(f"m{self._count}", text))
        self.lines += self._talk.texts

    def _answer(self, answers: Row, topic: str, question: str, asked: Counter[str]) -> str:
        is_first = asked[f"{topic} {question}"] == 1
        moment = _MOMENTS.get(topic, "told that")
        if topic == "confirm" or not is_first or (topic == "email" and not self._identity["email"]):
            remark = self._take(moment)
            if remark:
                return remark
        if topic == "replacement":
            return _replacement(answers.get("replacement") or {}, question)
        if topic in self._identity:
            return self._identity[topic] or "I don't have it"
        return str(answers.get(topic) or {"confirm": "yes"}.get(topic, "I don't mind"))

    def _take(self, moment: str) -> str:
        """Return what the dialogue says at this moment, once, or ""."""
        entry = next((entry for entry in self._also if moment in entry["when"]), None)
        if entry is None:
            return ""
        self._also.remove(entry)
        return str(entry["message"])


_MOMENTS = {"email": "e-mail", "confirm": "asks to confirm", "address": "asked to write the address"}


def _topic_of(task: Any) -> str:
    match task:
        case CollectTask(slot=slot):
            return TOPICS.get(slot, slot.partition(".")[0])
        case ConfirmTask():
            return "confirm"
        case _:
            return str(task.kind)


def _replacement(replacements: Row, question: str) -> str:
    named = (text for item, text in replacements.items() if item.casefold() in question.casefold())
    return str(next(named, next(iter(replacements.values()), "I don't mind")))


async def converse(
    assistant: Assistant, nlu: NLUPipeline, database: Row, task: Row, dialogue: Row
) -> tuple[TaskResult, list[str]]:
    """Have a customer write the dialogue; return what became of the task, and the conversation's lines."""
    expected = copy_of(database)
    apply_calls(expected, calls_of(task))
    shop = Shop(database)
    writer = Writer(assistant, nlu, shop, dialogue)
    await writer.write_all(dialogue)
    difference = differing_rows(expected, shop.database)
    return TaskResult(str(task["id"]), not difference, "; ".join(difference)), writer.lines


def pairs(dialogues: list[Row], tasks: list[Row]) -> Iterator[tuple[Row, Row]]:
    """Yield each dialogue with its task, if the tasks have it."""
    by_id = {str(task["id"]): task for task in tasks}
    for dialogue in dialogues:
        if dialogue["task"] in by_id:
            yield dialogue, by_id[dialogue["task"]]
