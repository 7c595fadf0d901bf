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

from dialogue.models import Conversation  # noqa: E402
from dialogue.turns.accept import Incoming, accept, open_conversation  # noqa: E402
from dialogue.turns.lease import OWNER  # noqa: E402
from dialogue.turns.process.database import in_thread  # noqa: E402
from dialogue.turns.process.shared_commits import in_shared_commit  # noqa: E402
from dialogue.turns.worker import drain, reads_of_turn  # noqa: E402
from tests.support.releases import publish  # noqa: E402

ASKING = {
    "assistant.yaml": "version: 1\nassistant: survey\ntitle: Survey\n",
    "ask.yaml": "flow: ask\ntitle: a survey\ndescription: Asks for one number after the other.\n"
    "examples: [start the survey]\nslots:\n  answer: {type: integer, prompt: And the next number?}\n"
    'steps:\n  - step: again\n    type: while\n    condition: "true"\n    max_iterations: 10000\n    do:\n'
    "      - {step: ask, type: collect, slot: answer, force: true}\n",
}
"""A flow that waits for a value after each value, for as long as one likes."""

PAGE_BYTES, FRAME_HEADER_BYTES = 4096, 24
"""Of a page in SQLite's log; see "The WAL file format" in its documentation."""


async def one_turn(conversation: Conversation, number: int) -> float:
    """Send one message and wait until its reply is committed; the milliseconds that took."""
    text = "start the survey" if number == 0 else str(number)
    began = time.perf_counter()
    incoming = Incoming("message", f"m{number}", {"text": text}, text=text)
    reads = reads_of_turn(conversation.pk)
    accepted = await in_shared_commit(accept, may_repeat=True)(conversation.pk, incoming, OWNER, reads)
    turns = await drain(conversation.pk, accepted.lease, rows=accepted.rows)
    took = (time.perf_counter() - began) * 1000
    if turns != 1:
        raise RuntimeError(f"turn {number} was not committed")
    return took


async def talk(conversation: Conversation, turns: range) -> list[float]:
    """These turns of a conversation, one after the other; the milliseconds of each."""
    return [await one_turn(conversation, number) for number in turns]


async def grown(turns: int) -> tuple[list[float], list[float]]:
    """A new conversation's first ten turns and the last ten of one of so many, by turns; processor milliseconds."""
    young, old = [(await in_thread(open_conversation)("survey"))[0] for _ in range(2)]
    await talk(young, range(1))
    await talk(old, range(turns - 10))
    pairs = [(await spent(young, 1 + each), await spent(old, turns - 10 + each)) for each in range(10)]
    return [first for first, _ in pairs], [last for _, last in pairs]


async def spent(conversation: Conversation, number: int) -> float:
    """The processor's milliseconds of one turn."""
    before = time.process_time()
    await one_turn(conversation, number)
    return (time.process_time() - before) * 1000


async def aged(age: int, turns: int) -> tuple[list[float], list[float]]:
    """Turns of a young and of an old conversation by turns, so that both meet the same weather."""
    young, old = [(await in_thread(open_conversation)("survey"))[0] for _ in range(2)]
    await talk(young, range(5))
    await talk(old, range(age))
    early, late = [], []
    for number in range(turns):
        early.append(await one_turn(young, 5 + number))
        late.append(await one_turn(old, age + number))
    return early, late


def empty_log() -> None:
    """Move SQLite's log into the file, and let it grow until `end_log`: by itself it begins again after 1,000 pages."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_autocheckpoint = 0")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def end_log() -> None:
    """Let SQLite move its log into the file by itself again."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_autocheckpoint = 1000")


def logged_pages() -> int:
    """The pages in SQLite's log."""
    return Path(f"{connection.settings_dict['NAME']}-wal").stat().st_size // (PAGE_BYTES + FRAME_HEADER_BYTES)


async def pages_per_turn(in_flight: int = 1, turns: int = 10) -> float:
    """How many pages a turn writes into SQLite's log while so many conversations take their turns."""
    conversations = [(await in_thread(open_conversation)("survey"))[0] for _ in range(in_flight)]
    await asyncio.gather(*(talk(each, range(5)) for each in conversations))
    await in_thread(empty_log)()
    await asyncio.gather(*(talk(each, range(5, 5 + turns)) for each in conversations))
    pages = logged_pages()
    await in_thread(end_log)()
    return pages / turns / in_flight


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


async def measured(turns: int) -> dict[str, Any]:
    """Warm up, then talk; then compare young and old conversations."""
    await talk((await in_thread(open_conversation)("survey"))[0], range(20))
    before = (await in_thread(stored)())["file"]
    took = await talk((await in_thread(open_conversation)("survey"))[0], range(turns))
    after = await in_thread(stored)()
    pages = await pages_per_turn()
    early, late = await aged(490, 40)
    first, last = await grown(1000)
    return {
        "first_cpu": statistics.median(first),
        "last_cpu": statistics.median(last),
        "p50": statistics.median(took),
        "p95": statistics.quantiles(took, n=20)[-1],
        "early": statistics.median(early),
        "late": statistics.median(late),
        "bytes": (after["file"] - before) / turns,
        "pages": pages,
        "checkpoint_bytes": after["checkpoints"] / turns,
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--turns", type=int, default=300)
    chosen = options.parse_args()
    call_command("migrate", verbosity=0)
    publish(ASKING)
    print(json.dumps(asyncio.run(measured(chosen.turns))))


if __name__ == "__main__":
    main()
