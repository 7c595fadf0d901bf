"""How soon a line is read that a flow says before a slow action: from the customer's message to the line on the socket.

Runs in a process of its own with `manage.py up` in another; prints one JSON object. The action takes half a second, and
four customers talk at once.
"""

import asyncio
import json
import os
import statistics
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dialogue.engine.actions import registry
from tests.support.processes.fleet import Page
from tests.support.processes.server import Server

ACTION_SECONDS = 0.5
CUSTOMERS = 4
ERRANDS_PER_CUSTOMER = 30

PUBLISH_AND_OPEN = f"""
from dialogue.turns.accept import open_conversation
from tests.support.releases import publish
publish({{
    "assistant.yaml": "version: 1\\nassistant: errand\\ntitle: Errands\\nactions:\\n"
    "  fetch: {{inputs: {{}}, outputs: {{}}, idempotent: true}}\\n",
    "run.yaml": "flow: run\\ntitle: an errand\\ndescription: Runs an errand.\\nexamples: [run an errand]\\nsteps:\\n"
    "  - {{step: begin, type: say, message: One moment.}}\\n  - {{step: fetch, type: action, call: fetch}}\\n"
    "  - {{step: done, type: say, message: Here it is.}}\\n",
}})
for _ in range({CUSTOMERS}):
    row, token = open_conversation("errand")
    print(row.pk, token)
"""


@registry.action("fetch")
async def fetch(inputs: Mapping[str, Any], *, key: str, conversation: str) -> dict[str, Any]:
    await asyncio.sleep(ACTION_SECONDS)
    return {}


async def run_errands(page: Page) -> list[tuple[float, float]]:
    """Seconds to the first and to the last line of each errand, one after the other."""
    took = []
    for number in range(ERRANDS_PER_CUSTOMER):
        lines, began = len(page.lines), time.monotonic()
        first = await page.ask(f"m{number}", "run an errand")
        while len(page.lines) < lines + 3:
            page.answered.clear()
            await page.answered.wait()
        took.append((first, time.monotonic() - began))
    return took


async def measured(server: Server) -> dict[str, float]:
    """Percentiles of all errands but each customer's first three, which warm the server up."""
    chats = [line.split() for line in server.shell(PUBLISH_AND_OPEN).splitlines() if " " in line]
    address = server.url.replace("http", "ws", 1)
    pages = [Page(f"{address}/ws/conversations/{conversation}/", token) for conversation, token in chats]
    living = [asyncio.create_task(page.live()) for page in pages]
    await asyncio.gather(*(page.open.wait() for page in pages))
    errands = [took for part in await asyncio.gather(*map(run_errands, pages)) for took in part[3:]]
    for task in living:
        task.cancel()
    first = [1000 * seconds for seconds, _ in errands]
    return {
        "p50": statistics.median(first),
        "p95": statistics.quantiles(first, n=20)[-1],
        "last_p50": statistics.median(1000 * seconds for _, seconds in errands),
    }


def main() -> None:
    server = Server(Path(os.environ["SONI_DATA"]) / "streaming", SONI_ACTIONS="bench.streaming")
    server.start("--no-demo")
    try:
        print(json.dumps(asyncio.run(measured(server))))
    finally:
        server.kill()


if __name__ == "__main__":
    main()
