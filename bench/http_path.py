"""The cost of a message over HTTP, and how the server answers while 200 clients write at once.

Runs in a process of its own with `manage.py up` in another; prints one JSON object. Processor milliseconds a message
are those of the serving process while 20 clients write; the turn alone is measured in this process, in the same run.
"""

import asyncio
import json
import os
import statistics
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402

from bench.product_turn import ASKING, talk  # noqa: E402
from dialogue.models import Conversation  # noqa: E402
from dialogue.turns.accept import open_conversation  # noqa: E402
from dialogue.turns.process.database import in_thread, pin_to_one_core  # noqa: E402
from tests.support.processes.server import Server  # noqa: E402
from tests.support.releases import publish  # noqa: E402

CLIENTS = 20
MESSAGES_PER_CLIENT = 20
CROWD = 200
CROWD_WRITES_SECONDS = 10.0
ALONE_TURNS = 200

PUBLISH_AND_OPEN = f"""
from dialogue.turns.accept import open_conversation
from tests.support.releases import publish
publish({ASKING!r})
for _ in range({CLIENTS + CROWD}):
    row, token = open_conversation("survey")
    print(row.pk, token)
"""


@dataclass
class Tally:
    """What a crowd of clients met: answers by status, and the seconds of those with 200."""

    statuses: Counter[int] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)


class Connection:
    """HTTP/1.1 over one kept-alive connection: little enough work that the client does not disturb the server."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, token: str = "", body: bytes = b"") -> int:
        """Send one request and read its answer; the status."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        writer.write(
            f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {token}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        if "transfer-encoding: chunked" in head:
            while size := int(await reader.readline(), 16):
                await reader.readexactly(size + 2)
            await reader.readline()
        else:
            await reader.readexactly(int(head.split("content-length:")[1].split("\r\n")[0]))
        if "connection: close" in head:
            self.close()
        return int(head.split()[1])

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def write_messages(port: int, chat: tuple[str, str], count: int, tally: Tally, until: float = 0) -> None:
    """So many messages of one customer, each after the answer to the one before; with `until` as many as fit."""
    conversation, token = chat
    connection = Connection(port)
    number = 0
    while (time.monotonic() < until) if until else number < count:
        text = "start the survey" if number == 0 else str(number)
        body = json.dumps({"id": f"m{number}", "text": text}).encode()
        began = time.monotonic()
        status = await connection.ask("POST", f"/api/v1/conversations/{conversation}/messages", token, body)
        tally.statuses[status] += 1
        if status == 200:
            tally.seconds.append(time.monotonic() - began)
            number += 1
        else:  # what a polite client does when it is told to wait
            await asyncio.sleep(1)
    connection.close()


async def probe_liveness(port: int, until: float) -> list[float]:
    """Seconds of each `/health/live`, asked ten times a second on a connection of its own, as a probe does."""
    took = []
    while time.monotonic() < until:
        began = time.monotonic()
        connection = Connection(port)
        await connection.ask("GET", "/health/live")
        connection.close()
        took.append(time.monotonic() - began)
        await asyncio.sleep(0.1)
    return took


def processor_seconds(process: int) -> float:
    user, system = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


async def turn_alone() -> float:
    """Processor milliseconds of one turn in this process, without any HTTP."""
    conversation: Conversation = (await in_thread(open_conversation)("survey"))[0]
    await talk(conversation, range(20))
    before = time.process_time()
    await talk(conversation, range(20, 20 + ALONE_TURNS))
    return (time.process_time() - before) / ALONE_TURNS * 1000


async def served(server: Server) -> dict[str, float]:
    """The same turns over HTTP: 20 clients, then 200 for some seconds beside a liveness probe."""
    lines = [line.split() for line in server.shell(PUBLISH_AND_OPEN).splitlines() if " " in line]
    chats = [(conversation, token) for conversation, token in lines]
    warm = Tally()
    await asyncio.gather(*(write_messages(server.port, chat, 3, warm) for chat in chats[:CLIENTS]))
    before, began, tally = processor_seconds(server.process), time.monotonic(), Tally()
    again = (write_messages(server.port, chat, MESSAGES_PER_CLIENT, tally) for chat in chats[CLIENTS : 2 * CLIENTS])
    await asyncio.gather(*again)
    spent, took = processor_seconds(server.process) - before, time.monotonic() - began
    messages = len(tally.seconds)
    until, crowd = time.monotonic() + CROWD_WRITES_SECONDS, Tally()
    crowded = asyncio.gather(*(write_messages(server.port, chat, 0, crowd, until) for chat in chats[-CROWD:]))
    live = await probe_liveness(server.port, until)
    await crowded
    return {
        "message_cpu": spent / messages * 1000,
        "message_p50": statistics.median(tally.seconds) * 1000,
        "messages_a_second": messages / took,
        "live_p99": statistics.quantiles(live, n=100)[-1] * 1000,
        "crowd_p50": statistics.median(crowd.seconds) * 1000,
        "crowd_p99": statistics.quantiles(crowd.seconds, n=100)[-1] * 1000,
        "crowd_answered_a_second": len(crowd.seconds) / CROWD_WRITES_SECONDS,
        "crowd_refused": crowd.statuses[503] / crowd.statuses.total(),
        "crowd_errors": float(sum(count for status, count in crowd.statuses.items() if status not in (200, 202, 503))),
    }


def main() -> None:
    pin_to_one_core()  # as the server does
    call_command("migrate", verbosity=0)
    publish(ASKING)
    server = Server(settings.DATA_DIR / "served")
    before = asyncio.run(turn_alone())  # before and after: a machine does not stay as fast as it was
    server.start("--no-demo")
    try:
        figures = asyncio.run(served(server))
    finally:
        server.kill()
    figures["turn_cpu"] = (before + asyncio.run(turn_alone())) / 2
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
