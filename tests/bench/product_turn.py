"""The cost of a whole product turn: accept, run, and commit with transcript, session, record and audit.

Runs in a process of its own on a new SQLite file with the product's settings; prints one JSON object.
"""

import argparse
import asyncio
import json
import statistics
import time
from pathlib import Path
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from dialogue.models import Conversation, Message  # noqa: E402
from dialogue.turns.accept import Incoming, accept, open_conversation  # noqa: E402
from dialogue.turns.database import in_thread  # noqa: E402
from dialogue.turns.lease import OWNER  # noqa: E402
from dialogue.turns.run import drain  # noqa: E402
from tests.published import publish  # noqa: E402

ASKING = {
    "assistant.yaml": "version: 1\nassistant: survey\ntitle: Survey\n",
    "ask.yaml": "flow: ask\ntitle: a survey\ndescription: Asks for one number after the other.\n"
    "examples: [start the survey]\nslots:\n  answer: {type: integer, prompt: And the next number?}\n"
    'steps:\n  - step: again\n    type: while\n    condition: "true"\n    max_iterations: 10000\n    do:\n'
    "      - {step: ask, type: collect, slot: answer, force: true}\n",
}
"""A flow that waits for a value after each value, for as long as one likes."""


async def one_turn(conversation: Conversation, number: int) -> float:
    """Send one message and wait until its reply is committed; the milliseconds that took."""
    text = "start the survey" if number == 0 else str(number)
    began = time.perf_counter()
    incoming = Incoming("message", f"m{number}", {"text": text}, text=text)
    accepted = await in_thread(accept)(conversation.pk, incoming, claim_for=OWNER)
    turns = await drain(conversation.pk, accepted.lease)
    took = (time.perf_counter() - began) * 1000
    if turns != 1:
        raise RuntimeError(f"turn {number} was not committed")
    return took


async def talk(turns: int) -> list[float]:
    """A conversation of `turns` turns, one after the other."""
    conversation, _ = await in_thread(open_conversation)("survey")
    return [await one_turn(conversation, number) for number in range(turns)]


def stored() -> dict[str, int]:
    """Bytes in the whole database file, and in the checkpoint tables."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        cursor.execute("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
        whole = cursor.fetchone()[0]
        cursor.execute("SELECT coalesce(sum(length(blob) + length(metadata)), 0) FROM dialogue_checkpoint")
        checkpoints = cursor.fetchone()[0]
        cursor.execute("SELECT coalesce(sum(length(blob)), 0) FROM dialogue_checkpointwrite")
        return {"file": whole, "checkpoints": checkpoints + cursor.fetchone()[0]}


def measured(turns: int, conversations: int) -> dict[str, Any]:
    """Warm up, then talk; early and late turns are compared within the same conversations."""
    asyncio.run(talk(10))
    before = stored()["file"]
    talks = [asyncio.run(talk(turns)) for _ in range(conversations)]
    after = stored()
    every = [took for each in talks for took in each]
    if Message.objects.filter(role=Message.Role.ASSISTANT).count() < len(every):
        raise RuntimeError("a turn said nothing")
    late = turns - 10
    return {
        "p50": statistics.median(every),
        "p95": statistics.quantiles(every, n=20)[-1],
        "early": statistics.median(took for each in talks for took in each[5:25]),
        "late": statistics.median(took for each in talks for took in each[late - 10 : late + 10]),
        "bytes": (after["file"] - before) / len(every),
        "checkpoint_bytes": after["checkpoints"] / len(every),
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--turns", type=int, default=510)
    options.add_argument("--conversations", type=int, default=2)
    chosen = options.parse_args()
    call_command("migrate", verbosity=0)
    publish(ASKING)
    print(
        json.dumps(
            {
                "database": Path(str(connection.settings_dict["NAME"])).name,
                **measured(chosen.turns, chosen.conversations),
            }
        )
    )


if __name__ == "__main__":
    main()
