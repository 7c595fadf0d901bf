"""The worker of the scaled deployment: takes jobs from PostgreSQL's queue and runs the turns and sweeps they ask for.

Jobs only say where to look. One that a dead worker left behind is thrown away, since the sweep finds what it was for.
"""

import asyncio
import logging
from datetime import UTC, datetime
from uuid import UUID

from procrastinate import App, PsycopgConnector
from procrastinate.contrib.django.utils import connector_params
from procrastinate.jobs import Status
from prometheus_client import start_http_server

from dialogue.conf import soni
from dialogue.sweep import sweep_with
from dialogue.turns.learning import learn_published
from dialogue.turns.live import notify
from dialogue.turns.metrics import send_spans
from dialogue.turns.process import jobs
from dialogue.turns.process.database import in_background, in_thread
from dialogue.turns.worker import drain

log = logging.getLogger(__name__)

MAX_CONCURRENT_JOBS = 20
"""How many jobs one worker does at a time."""

EVERY_TWO_SECONDS = "* * * * * */2"
MAX_SWEEP_AGE_SECONDS = 60.0
"""Seconds after which a sweep that was asked for is not worth doing: there were others since."""

POLL_SECONDS = 2.0
"""Seconds between two looks into the queue when no notice comes; PostgreSQL's notices come at once."""

RECONNECT_SECONDS = 1.0
SHUTDOWN_SECONDS = 5.0
"""Seconds for jobs to end when the worker is told to stop; others take up what did not."""


async def work(*, tells_prometheus: bool = True) -> None:
    """Do jobs until cancelled. While the database is away it is asked again, every second."""
    notify.attach(asyncio.get_running_loop())
    if tells_prometheus:
        _tell_prometheus()
    send_spans()
    while True:
        try:
            await _work_while_it_lasts(workers_app())
        except Exception as error:  # whatever the queue's library makes of it
            log.warning("the queue did not answer: %s", error)
        log.warning("the queue is away, and is asked again in %s s", RECONNECT_SECONDS)
        await asyncio.sleep(RECONNECT_SECONDS)


def _tell_prometheus() -> None:
    """A worker serves no pages, so its counts have a port of their own, on this machine only."""
    if soni.METRICS_PORT:
        start_http_server(soni.METRICS_PORT, "127.0.0.1")


async def _work_while_it_lasts(app: App) -> None:
    """The library stops by itself when its connection for notices is lost."""
    async with app.open_async():
        await app.run_worker_async(
            concurrency=MAX_CONCURRENT_JOBS,
            fetch_job_polling_interval=POLL_SECONDS,
            delete_jobs="always",
            shutdown_graceful_timeout=SHUTDOWN_SECONDS,
            install_signal_handlers=False,
        )


def workers_app() -> App:
    """The queue with what can be asked for. Its connections are its own: Django's cannot listen for notices."""
    app = App(connector=PsycopgConnector(kwargs=connector_params()))

    @app.task(name=jobs.DRAIN)
    async def drain_one(conversation: str) -> None:
        await drain(UUID(conversation))

    @app.periodic(cron=EVERY_TWO_SECONDS)
    @app.task(name=jobs.SWEEP, queueing_lock=jobs.SWEEP)
    async def sweep_once(timestamp: int) -> None:
        if datetime.now(UTC).timestamp() - timestamp < MAX_SWEEP_AGE_SECONDS:
            await forget_orphans(app)
            await sweep_with(enqueue_all)
            await in_background(learn_published)()

    return app


async def enqueue_all(conversations: list[UUID]) -> int:
    """Leave the conversations to whichever worker is free; none has been run yet."""
    for conversation in conversations:
        await in_thread(jobs.enqueue_once)(conversation)
    return 0


async def forget_orphans(app: App) -> None:
    """Throw away the jobs of workers that gave no sign of life for half a minute."""
    for job in await app.job_manager.get_stalled_jobs():
        if job.id is not None:
            log.warning("a worker ended in its job %s; what it was for is looked for again", job.task_name)
            await app.job_manager.finish_job_by_id_async(job.id, Status.FAILED, delete_job=True)
