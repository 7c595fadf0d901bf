"""What hostile texts cost beside ordinary ones, in milliseconds of the processor; each figure is the best of three.

Prints one JSON object: for documents, conditions and messages the costliest hostile one and an ordinary one, and for a
pattern a text and one that is twice as long.
"""

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from dialogue.engine.expressions.conditions import Condition, ConditionRefused
from dialogue.engine.language.compiler import Slot
from dialogue.engine.slots.values import ValueRefused, value_from_text
from dialogue.engine.source.parser import SourceRefused, read_source
from tests.support import hostile
from tests.support.nlu.situations import assistant_named, nlu_of, situation

ROUNDS = 3
BANK = Path(__file__).parents[1] / "dialogue" / "library" / "demo" / "assistants" / "bank"
CONDITIONS = (*hostile.CONDITIONS, hostile.HUGE_NUMBERS)
CONDITION = " or ".join(["5000 > 6000 and not 1 > 2"] * 15)
MESSAGE = "could you please reserve The Waves for me, I would like to fetch it on Saturday"
LETTERS = 4_500
NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


def main() -> None:
    figures = {
        "yaml": max(best(partial(refused, read_source, text)) for text in hostile.YAML.values()),
        "yaml_ordinary": best(lambda: read_source((BANK / "transfer_money.yaml").read_text())),
        "condition": max(best(partial(refused, compared, text)) for text in CONDITIONS),
        "condition_ordinary": best(partial(compared, CONDITION)),
        "message": max(understood(text) for text in hostile.MESSAGES.values()),
        "message_ordinary": understood(MESSAGE),
        "pattern": best(lambda: refused(matched, "a" * LETTERS + "!")),
        "pattern_twice": best(lambda: refused(matched, "a" * 2 * LETTERS + "!")),
    }
    print(json.dumps(figures))


def best(work: Callable[[], object]) -> float:
    """The least milliseconds of the processor that this took."""
    times = []
    for _ in range(ROUNDS):
        begun = time.thread_time()
        work()
        times.append(time.thread_time() - begun)
    return min(times) * 1000


def refused(work: Callable[[str], object], text: str) -> None:
    with suppress(SourceRefused, ConditionRefused, ValueRefused):
        work(text)


def compared(text: str) -> None:
    Condition(text).holds({}, NOON)


def matched(text: str) -> None:
    slot = Slot.model_validate({"type": "text", "pattern": hostile.PATTERN})
    value_from_text(slot, text, now=NOON, timezone="UTC")


def understood(text: str) -> float:
    """What a message costs that has an e-mail address to give."""
    nlu, about = nlu_of("library"), situation(assistant_named("library"), "reserve_book?email")
    asyncio.run(nlu.understand(MESSAGE, about))  # what is made once is there now
    return best(lambda: asyncio.run(nlu.understand(text, about)))


if __name__ == "__main__":
    main()
