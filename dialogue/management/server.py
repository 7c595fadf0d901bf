"""A process of `up`: pages, sockets, turns and the sweep on one event loop, served by Daphne."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils.module_loading import import_string

from dialogue.desk.sessions.service import expire_due
from dialogue.management.supervised import SupervisedProcess
from dialogue.sweep import BATCH_ROWS, sweep_forever
from dialogue.turns import runner
from dialogue.turns.metrics import send_spans
from dialogue.turns.process import jobs
from dialogue.turns.process.database import close_connections, in_thread, pin_to_one_core

log = logging.getLogger(__name__)

MAX_FRAME_BYTES = 256 * 1024
"""Above this Daphne closes the socket without a reason; the consumers refuse smaller frames with one."""


class PortTaken(Exception):
    """Another process listens on that port, or this process may not listen there."""


@dataclass(frozen=True)
class Place:
    """Where to listen."""

    address: str
    port: int

    @property
    def url(self) -> str:
        host = "localhost" if self.address in ("127.0.0.1", "0.0.0.0", "::") else self.address
        return f"http://{host}:{self.port}/"


def serve(place: Place, ready: Callable[[], None], supervised: SupervisedProcess | None = None) -> None:
    """Expire what is due, then listen until the process is told to end. `ready` is called when the port is open.

    A supervised process accepts from the socket that it was given, and sweeps when it is told to. Raises PortTaken.
    """
    # Daphne chooses Twisted's reactor when it is imported, so it comes before everything else that might.
    from daphne.server import Server, twisted_loop  # type: ignore[import-untyped]

    if connection.vendor == "sqlite":  # else there may be several processes, and the system knows best where
        pin_to_one_core(supervised.number if supervised else None)
    twisted_loop.run_until_complete(_expire_before_opening())
    send_spans()
    runner.attach_loop(twisted_loop)
    if supervised is None:
        runner.look_after(_look_after())
    else:
        _follow_supervisor(supervised, twisted_loop)
    server = Server(
        application=_application(),
        endpoints=[supervised.endpoint if supervised else _endpoint(place)],
        ready_callable=ready,
        verbosity=1,
        server_name="soni",
        websocket_max_message_size=MAX_FRAME_BYTES,
        websocket_max_frame_size=MAX_FRAME_BYTES,
    )
    try:
        server.run()
    finally:
        runner.attach_loop(None)
        close_connections()
    if server.abort_start:
        raise PortTaken(place.port)


def _look_after() -> Coroutine[Any, Any, None]:
    """The sweep, or with a queue the worker that does it and takes its share of the jobs."""
    if not jobs.have_workers():
        return sweep_forever()
    from dialogue.management.worker import work

    return work()


def _follow_supervisor(supervised: SupervisedProcess, loop: asyncio.AbstractEventLoop) -> None:
    """Take a share of the jobs where there is a queue, whose library sees to it that one process sweeps at a time."""
    if jobs.have_workers():
        from dialogue.management.worker import work

        runner.look_after(work(tells_prometheus=False))
    supervised.attach(loop)


async def _expire_before_opening() -> None:
    """What expired while nothing ran is expired before a page can be opened; the turns of it run with the port open."""
    try:
        while await in_thread(expire_due)(BATCH_ROWS):
            pass
    except Exception:
        log.exception("the sweep before opening failed; the next one tries again")


def _application() -> Any:
    return import_string(settings.ASGI_APPLICATION)


def _endpoint(place: Place) -> str:
    address = place.address.replace(":", r"\:")
    return f"tcp{'6' if ':' in place.address else ''}:port={place.port}:interface={address}"
