"""Turns, sweeps and live pages in a server that the project starts itself: `daphne project.asgi:application`.

`manage.py up` and soni_admin.asgi do all this themselves, before the first request. Elsewhere the first request or
socket does it, on the loop that serves it.
"""

import asyncio

from asgiref.sync import async_to_sync

from dialogue.conf import soni
from dialogue.turns import runner
from dialogue.turns.live import notify
from dialogue.turns.process import jobs


def attach_running_loop() -> None:
    """Notify sockets on the running loop. Unless workers or `RUN_TURNS = False` say otherwise, run turns and sweeps."""
    if notify.is_attached():
        return
    loop = asyncio.get_running_loop()
    if jobs.have_workers() or not soni.RUN_TURNS:
        notify.attach(loop)
        return
    from dialogue.sweep import sweep_forever  # the engine is loaded when there is something to run

    runner.attach_loop(loop)
    runner.look_after(sweep_forever())


@async_to_sync
async def attach_from_thread() -> None:
    """The same from the thread of a request, on the loop that serves it."""
    attach_running_loop()
