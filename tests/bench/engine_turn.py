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
from dialogue.engine.commands import SetSlot, StartFlow
from dialogue.engine.events import message
from dialogue.engine.graph import Dialogue, RuntimeContext, compile_dialogue, run_turn
from dialogue.engine.hitl import HITLContext, PauseRequested
from dialogue.engine.language import load_assistant
from dialogue.engine.sinks import BufferSink
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


async def talk(dialogue: Dialogue, turns: int) -> list[float]:
    """Milliseconds of each turn of one conversation."""
    saver, took = NewestOnly(), []
    for number in range(turns):
        context = RuntimeContext(
            conversation="c",
            assistant=dialogue.assistant,
            nlu=Counting(),
            actions=StubbedActions(),
            sink=BufferSink(),
            hitl=paused,
            now=datetime.now(UTC),
        )
        event = message(str(number), str(number) if number else "start the survey")
        config: Any = {"configurable": {"thread_id": "c"}}
        began = time.perf_counter()
        outcome = await run_turn(dialogue, event, context, config=config, checkpointer=saver)
        took.append((time.perf_counter() - began) * 1000)
        if [each.key for each in outcome.messages] != ["ask:answer"]:
            raise RuntimeError(f"turn {number} said {outcome.messages}")
    return took


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--turns", type=int, default=1010)
    chosen = options.parse_args()
    few, many = assistant_with(10), assistant_with(1000)
    asyncio.run(talk(few, 50))
    asyncio.run(talk(many, 50))
    took, took_many = asyncio.run(talk(few, chosen.turns)), asyncio.run(talk(many, chosen.turns))
    print(
        json.dumps(
            {
                "p50": statistics.median(took),
                "many": statistics.median(took_many),
                "early": statistics.median(took[5:45]),
                "late": statistics.median(took[-40:]),
            }
        )
    )


if __name__ == "__main__":
    main()
