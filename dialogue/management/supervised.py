"""One server process of `up --workers N`: what its supervisor gave it, and the link over which the two speak.

The link is a socket pair. Messages are JSON objects, one a line:

    to the supervisor    {"do": "ready", "owner": NAME}                     this process serves; its name for leases
    both ways            {"do": "ring", "group": NAME, "message": {…}}      a notification for the other processes
    from the supervisor  {"do": "sweep"}                                    sweep from now on
                         {"do": "end_leases", "owners": [NAME, …]}          these processes have died

A notification may be lost, as on every channel layer. When the link ends, the supervisor has ended, and so does this
process.
"""

import asyncio
import json
import logging
import os
import signal
import socket
from collections.abc import AsyncIterator, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from channels.layers import get_channel_layer

from dialogue.conf.worker import worker_number
from dialogue.sweep import sweep_forever
from dialogue.turns import lease, runner
from dialogue.turns.live.layer import MemoryLayer
from dialogue.turns.process import jobs
from dialogue.turns.process.database import in_background

log = logging.getLogger(__name__)

SOCKETS = "SONI_WORKER_SOCKETS"
"""The variable that has the descriptors of the listening socket and of the link, such as `7,9`."""

BACKLOG = 128
"""Connections that may wait until a process takes them."""
MAX_LINE_BYTES = 64 * 1024
MAX_UNSENT_BYTES = 1024 * 1024
"""Above this a side that does not read gets no further notifications."""


@dataclass
class SupervisedProcess:
    """This process as its supervisor sees it: `number` counts from 1, `listening` is the shared socket's descriptor."""

    number: int
    listening: int
    link: socket.socket
    _loop: asyncio.AbstractEventLoop | None = None
    _writer: asyncio.StreamWriter | None = None
    _tasks: "list[asyncio.Task[None]]" = field(default_factory=list)

    @property
    def endpoint(self) -> str:
        """The shared socket as an endpoint of Twisted."""
        return f"fd:fileno={self.listening}"

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        """Follow the supervisor on `loop`, and let the listening socket take connections."""
        self._loop = loop
        self._tasks.append(loop.create_task(self._follow()))
        with socket.socket(fileno=os.dup(self.listening)) as listening:
            listening.setblocking(False)
            listening.listen(BACKLOG)

    def tell_ready(self) -> None:
        """Tell the supervisor that the port is open here."""
        if self._loop is not None:
            self._tasks.append(self._loop.create_task(self._send_ready()))

    async def _send_ready(self) -> None:
        while self._writer is None:
            await asyncio.sleep(0.01)
        send_line(self._writer, {"do": "ready", "owner": lease.OWNER})

    async def _follow(self) -> None:
        reader, self._writer = await asyncio.open_connection(sock=self.link, limit=MAX_LINE_BYTES)
        layer = get_channel_layer()
        if isinstance(layer, MemoryLayer):
            layer.relay = self._relay
        async for message in received_messages(reader):
            try:
                await self._do(message, layer)
            except Exception:
                log.exception("what the supervisor sent could not be done")
        self._writer.close()
        log.warning("The supervisor has ended, and this process ends too.")
        signal.raise_signal(signal.SIGTERM)

    async def _do(self, message: dict[str, Any], layer: Any) -> None:
        match message["do"]:
            case "ring" if isinstance(layer, MemoryLayer):
                await layer.send_here(message["group"], message["message"])
            case "sweep" if not jobs.have_workers():
                runner.look_after(sweep_forever())
            case "end_leases":
                await in_background(lease.end_leases_of)(message["owners"])
            case _:  # with Redis, and with a queue of jobs, those do it
                pass

    def _relay(self, group: str, message: dict[str, Any]) -> None:
        if self._writer is not None:
            send_line(self._writer, {"do": "ring", "group": group, "message": message})


def supervised_process(environment: MutableMapping[str, str]) -> SupervisedProcess | None:
    """Return what the supervisor gave this process; None in a process that has none.

    The descriptors are taken out of the environment: programs that this process starts do not have them.
    """
    sockets = environment.pop(SOCKETS, "")
    if not sockets:
        return None
    listening, link = (int(descriptor) for descriptor in sockets.split(","))
    return SupervisedProcess(worker_number(), listening, socket.socket(fileno=link))


async def received_messages(reader: asyncio.StreamReader) -> AsyncIterator[dict[str, Any]]:
    """Yield the messages that come over a link, until it ends. A line that cannot be read is logged and skipped.

    A side that is killed resets the link if it has not read all that it was sent, and may end in the middle of a line.
    """
    while True:
        try:
            line = await reader.readline()
            if not line:
                return
            message = json.loads(line)
        except ConnectionError:
            return
        except ValueError as error:
            log.warning("a line of the link could not be read and was skipped: %s", error)
        else:
            yield message


def send_line(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
    """Send one message over a link; it is dropped when it is too long, or when the other side has stopped reading."""
    line = json.dumps(message).encode() + b"\n"
    is_behind = writer.transport.get_write_buffer_size() > MAX_UNSENT_BYTES
    if len(line) < MAX_LINE_BYTES and not is_behind and not writer.is_closing():
        writer.write(line)
