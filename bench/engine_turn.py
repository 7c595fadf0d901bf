"""The cost of an engine turn without a database: resume, understand, conduct, run the flow's subgraph, pause again.

Runs in a process of its own; prints one JSON object.
"""

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple

from dialogue.engine.actions import StubbedActions
from dialogue.engine.graph import Dialogue, RuntimeContext, compile_dialogue, run_turn
from dialogue.engine.language.compiler import load_assistant
from dialogue.engine.ports.commands import SetSlot, StartFlow
from dialogue.engine.ports.events import message
from dialogue.engine.ports.hitl import HITLContext, PauseRequested
from dialogue.engine.ports.sinks import BufferSink
from dialogue.engine.understanding import NLUContext, Understanding

OTHER_FLOW = (
    "flow: other_{n}\ntitle: other {n}\ndescription: Another flow.\nexamples: [do the other thing {n}]\n"
    "steps:\n  - {{step: done, type: say, message: Done.}}\n"
)
ASKING = (
    "flow: ask\ntitle: a survey\ndescription: Asks for one number after the other.\nexamples: [start the survey]\n"
    "slots:\n  answer: {type: integer, prompt: And the next number?}\nsteps:\n  - step: again\n    type: while\n"
    '    condition: "true"\n    max_iterations: 10000\n    do:\n'
    "      - {step: ask, type: collect, slot: answer, force: true}\n"
)


class NewestOnly(BaseCheckpointSaver[int]):
    """Keeps a thread's newest checkpoint as the object that it is."""

    def __init__(self) -> None:
        super().__init__()
        self._kept: dict[str, CheckpointTuple] = {}

    async def aget_tuple(self, config: Any) -> CheckpointTuple | None:
        return self._kept.get(config["configurable"]["thread_id"])

    async def aput(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        thread = config["configurable"]["thread_id"]
        named = {"thread_id": thread, "checkpoint_ns": "", "checkpoint_id": checkpoint["id"]}
        self._kept[thread] = CheckpointTuple({"configurable": named}, checkpoint, metadata, None, [])
        return {"configurable": named}

    async def aput_writes(
        self, config: Any, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        kept = self._kept[config["configurable"]["thread_id"]]
        if kept.pending_writes is not None:
            kept.pending_writes.extend((task_id, channel, value) for channel, value in writes)


class Counting:
    """Understands every message as the next number."""

    async def understand(self, text: str, context: NLUContext) -> Understanding:
        return Understanding((SetSlot("answer", text),) if text.isdigit() else (StartFlow("ask"),))


async def paused(context: HITLContext) -> PauseRequested:
    return PauseRequested(session_id="s")


def assistant_with(flows: int) -> Dialogue:
    """The survey among `flows` flows."""
    documents = {"assistant.yaml": "version: 1\nassistant: survey\ntitle: Survey\n", "ask.yaml": ASKING}
    documents |= {f"other_{n}.yaml": OTHER_FLOW.format(n=n) for n in range(flows - 1)}
    return compile_dialogue(load_assistant(documents))


class Talk:
    """One conversation with an engine."""

    def __init__(self, dialogue: Dialogue) -> None:
        self.dialogue = dialogue
        self.turns = 0
        self._saver = NewestOnly()

    async def go_on(self) -> float:
        """The next turn; its milliseconds."""
        event = message(str(self.turns), str(self.turns) if self.turns else "start the survey")
        context = RuntimeContext(
            conversation="c",
            assistant=self.dialogue.assistant,
            nlu=Counting(),
            actions=StubbedActions(),
            sink=BufferSink(),
            hitl=paused,
            now=datetime.now(UTC),
        )
        config: Any = {"configurable": {"thread_id": "c"}}
        began = time.perf_counter()
        outcome = await run_turn(self.dialogue, event, context, config=config, checkpointer=self._saver)
        took = (time.perf_counter() - began) * 1000
        if [each.key for each in outcome.messages] != ["ask:answer"]:
            raise RuntimeError(f"turn {self.turns} said {outcome.messages}")
        self.turns += 1
        return took


async def measured(turns: int, age: int) -> dict[str, float]:
    """A young and an old conversation, and one among many flows, by turns, so that all meet the same weather."""
    few, many = assistant_with(10), assistant_with(1000)
    young, old, among_many = Talk(few), Talk(few), Talk(many)
    for conversation, first in ((old, age), (young, 5), (among_many, 5)):
        for _ in range(first):
            await conversation.go_on()
    took: dict[str, list[float]] = {"p50": [], "late": [], "many": []}
    for _ in range(turns):
        for name, conversation in (("p50", young), ("late", old), ("many", among_many)):
            took[name].append(await conversation.go_on())
    return {name: statistics.median(each) for name, each in took.items()}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--turns", type=int, default=200)
    options.add_argument("--age", type=int, default=1000)
    chosen = options.parse_args()
    print(json.dumps(asyncio.run(measured(chosen.turns, chosen.age))))


if __name__ == "__main__":
    main()
