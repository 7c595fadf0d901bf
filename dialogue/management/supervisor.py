"""The supervisor of `up --workers N`: starts the server processes, watches them, and passes on their notifications.

It serves nothing itself and holds no connection to the database. All processes accept from one listening socket, so a
busy process takes fewer connections, and one that dies takes none with it that were not accepted yet.
"""

import asyncio
import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from dialogue.conf.worker import WORKER
from dialogue.management.supervised import MAX_LINE_BYTES, SOCKETS, received_messages, send_line
from dialogue.turns.process.watchdog import END_SECONDS

log = logging.getLogger(__name__)

FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.5, 30.0
"""Before a process is started again that died soon after its start; the pause doubles each time."""
STABLE_SECONDS = 10.0
"""A process that served for so long is started again at once."""
MAX_FAILED_STARTS = 5
"""After so many in a row, and with no process left that serves, the supervisor gives up."""
START_WITHIN_SECONDS = 120.0
"""A new process that neither serves nor ends within this time is ended."""
KILL_AFTER_SECONDS = END_SECONDS + 1
"""A process ends itself within `END_SECONDS`; after this it is killed."""


class WorkerFailed(Exception):
    """A process ended before it served; it has printed why."""


@dataclass(eq=False)
class Worker:
    """One server process. `owner` is its name for leases, "" until it serves."""

    number: int
    process: asyncio.subprocess.Process
    writer: asyncio.StreamWriter
    started_at: float = field(default_factory=time.monotonic)
    owner: str = ""
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    told_to_end: bool = False

    @property
    def serves(self) -> bool:
        """Whether it takes connections, and will go on doing so."""
        return self.ready.is_set() and not self.ended.is_set() and not self.told_to_end

    async def started(self) -> bool:
        """Wait until it serves; False when it ends before."""
        waiting = [asyncio.ensure_future(event.wait()) for event in (self.ready, self.ended)]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()
        return not self.ended.is_set()

    async def end(self) -> None:
        """Tell the process to end in order, and wait for it; kill it if it does not."""
        self.told_to_end = True
        self._signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(KILL_AFTER_SECONDS):
                await self.ended.wait()
        except TimeoutError:
            log.warning("worker %s did not end in time, and is killed", self.number)
            self._signal(signal.SIGKILL)
            await self.ended.wait()

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            self.process.send_signal(number)


class Supervisor:
    """Keeps `count` processes alive that run `command` and accept from `listening`.

    `inherited` are further descriptors that each process holds while it lives. `environment` is what each process
    finds in its environment besides this one's. `ready` is called once all serve, and `after_end` with the process id
    of each that has ended.
    """

    def __init__(
        self,
        listening: socket.socket,
        count: int,
        ready: Callable[[], None],
        *,
        command: Sequence[str] = (),
        inherited: Sequence[int] = (),
        environment: dict[str, str] | None = None,
        after_end: Callable[[int], None] = lambda pid: None,
    ) -> None:
        self._listening = listening
        self._count = count
        self._ready = ready
        self._command = command or [sys.executable, *sys.orig_argv[1:]]
        self._inherited = inherited
        self._environment = environment or {}
        self._after_end = after_end
        self._workers: dict[int, Worker] = {}
        """The current process of each number; while processes are replaced, others live too."""
        self._alive: set[Worker] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._sweeper: Worker | None = None
        self._dead_owners: list[str] = []
        """Names of processes that died with leases, until a process takes them up."""
        self._failed_starts = 0
        self._changing = asyncio.Lock()
        """Held while a process is started in place of another one: one that died, or one that is to end."""
        self._closing = asyncio.Event()
        self._reload_asked = asyncio.Event()
        self._exit_status = 0

    async def run(self) -> int:
        """Start all processes and keep them until a signal ends this; return the exit status.

        TERM and INT end all processes in order. HUP replaces one after the other by a new one, which reads the code
        and the environment's files again; from a terminal that closes, HUP ends them.
        """
        self._handle_signals()
        starting, closing = (self._spawn_task(work) for work in (self._start_all(), self._closing.wait()))
        await asyncio.wait({starting, closing}, return_when=asyncio.FIRST_COMPLETED)
        try:
            if starting.done():
                await starting
                self._ready()
                for number in self._workers:
                    self._spawn_task(self._keep(number))
                self._spawn_task(self._reload_when_asked())
                await closing
        except WorkerFailed:
            self._exit_status = 1
        await self._end_all()
        return self._exit_status

    def _handle_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._closing.set)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # `nohup` has it ignored
            has_terminal = os.isatty(0)
            loop.add_signal_handler(signal.SIGHUP, (self._closing if has_terminal else self._reload_asked).set)

    async def _start_all(self) -> None:
        """Start the processes beside each other. Raises WorkerFailed when one ends by itself before it serves."""
        for number in range(1, self._count + 1):
            self._workers[number] = await self._start(number)
        for number in self._workers:
            while not await self._workers[number].started():
                self._failed_starts += 1
                was_killed = (self._workers[number].process.returncode or 0) < 0
                if not was_killed or self._failed_starts >= MAX_FAILED_STARTS:
                    raise WorkerFailed
                self._workers[number] = await self._start(number)
        self._failed_starts = 0

    async def _start(self, number: int) -> Worker:
        """Start a process. It is listened to until it ends."""
        ours, theirs = socket.socketpair()
        with theirs:
            process = await asyncio.create_subprocess_exec(
                *self._command,
                env={
                    **os.environ,
                    **self._environment,
                    WORKER: f"{number}/{self._count}",
                    SOCKETS: f"{self._listening.fileno()},{theirs.fileno()}",
                },
                pass_fds=(self._listening.fileno(), theirs.fileno(), *self._inherited),
                process_group=0,  # a terminal's Ctrl-C reaches this process alone, which tells the others
            )
        reader, writer = await asyncio.open_connection(sock=ours, limit=MAX_LINE_BYTES)
        worker = Worker(number, process, writer)
        self._alive.add(worker)
        self._spawn_task(self._listen(worker, reader))
        self._spawn_task(self._await_end(worker))
        self._spawn_task(self._end_if_it_hangs(worker))
        return worker

    async def _end_if_it_hangs(self, worker: Worker) -> None:
        try:
            async with asyncio.timeout(START_WITHIN_SECONDS):
                await worker.started()
        except TimeoutError:
            log.error("worker %s did not serve within %s s, and is ended", worker.number, START_WITHIN_SECONDS)
            await worker.end()

    async def _keep(self, number: int) -> None:
        """Start this process again whenever it has died, with growing pauses while it dies soon."""
        pause = FIRST_PAUSE_SECONDS
        while not self._closing.is_set():
            worker = self._workers[number]
            await worker.ended.wait()
            if self._closing.is_set():
                return
            if self._workers[number] is not worker:  # it was replaced
                continue
            pid, status = worker.process.pid, worker.process.returncode
            log.error("worker %s (process %s) ended with status %s, and is started again", number, pid, status)
            self._failed_starts = 0 if worker.ready.is_set() else self._failed_starts + 1
            if self._failed_starts >= MAX_FAILED_STARTS and not any(each.serves for each in self._alive):
                log.error("%s starts in a row have failed, and no worker serves: giving up", self._failed_starts)
                self._exit_status = 1
                self._closing.set()
                return
            if time.monotonic() - worker.started_at >= STABLE_SECONDS:
                pause = FIRST_PAUSE_SECONDS
            else:
                await asyncio.sleep(pause)
                pause = min(2 * pause, MAX_PAUSE_SECONDS)
            async with self._changing:
                if self._workers[number] is worker and not self._closing.is_set():
                    self._workers[number] = await self._start(number)

    async def _reload_when_asked(self) -> None:
        """Replace the processes one after the other; each new one serves before its predecessor ends."""
        while True:
            await self._reload_asked.wait()
            self._reload_asked.clear()
            log.info("the workers are replaced, one after the other")
            for number in self._workers:
                async with self._changing:
                    old, new = self._workers[number], await self._start(number)
                    if not await new.started():
                        log.error("the new worker %s did not start, so the old ones stay", number)
                        break
                    self._workers[number] = new
                self._assign_sweep(excluded=old)
                await old.end()
            else:
                log.info("all workers were replaced")

    async def _listen(self, worker: Worker, reader: asyncio.StreamReader) -> None:
        async for message in received_messages(reader):
            if message["do"] == "ready":
                worker.owner = message["owner"]
                worker.ready.set()
                log.info("worker %s (process %s) serves", worker.number, worker.process.pid)
                self._assign_sweep()
                continue
            for other in self._alive:
                if other is not worker and other.ready.is_set():
                    send_line(other.writer, message)

    async def _await_end(self, worker: Worker) -> None:
        await worker.process.wait()
        self._alive.discard(worker)
        worker.ended.set()
        worker.writer.close()
        if worker.owner:
            self._dead_owners.append(worker.owner)
        self._after_end(worker.process.pid)
        self._assign_sweep()

    def _assign_sweep(self, excluded: Worker | None = None) -> None:
        """Let one process sweep, another one when it has ended or is about to; it ends the leases of ended processes.

        For a moment two may sweep, which does no harm: leases and conditional updates decide.
        """
        serving = [worker for worker in self._alive if worker.serves and worker is not excluded]
        if not serving:
            return
        if self._sweeper not in serving:
            self._sweeper = min(serving, key=lambda worker: worker.number)
            send_line(self._sweeper.writer, {"do": "sweep"})
        if self._dead_owners:
            send_line(self._sweeper.writer, {"do": "end_leases", "owners": self._dead_owners})
            self._dead_owners = []

    async def _end_all(self) -> None:
        self._closing.set()
        self._listening.close()
        while self._alive:  # one may have been started a moment ago
            await asyncio.gather(*(worker.end() for worker in self._alive))
        for task in self._tasks:
            task.cancel()

    def _spawn_task(self, work: Awaitable[Any]) -> "asyncio.Task[Any]":
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
