"""Database work from async code: thread pools, the core that they run on, live connections, and the migrations check.

Turns have a pool of their own. Reads, pages and long work have others, so a turn never waits behind them, however many
pages are open.
"""

import asyncio
import os
import random
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from threading import Barrier, local
from time import monotonic
from typing import Any, ParamSpec, TypeVar

from asgiref.sync import sync_to_async
from django.db import close_old_connections, connection, connections

from dialogue.turns.process import writes

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

THREADS = 1 if connection.vendor == "sqlite" else 8
"""SQLite lets one connection write at a time. The others sleep for growing spans and wake in any order; with one thread
no connection waits for another, and work is done in the order in which it came. On PostgreSQL the threads wait for the
disk most of the time: with 32 turns in flight eight do a quarter more than four."""
READERS = 2
PAGE_THREADS = 6
SWEEPERS = 4
"""One for each task of the sweep, any of which may wait for a mail server or for a program."""
SENDERS = 8
"""For webhooks, callbacks and channels: how many receivers are sent to at once."""
CONNECTION_TRUST_SECONDS = 1.0
"""How long a connection that has just worked counts as alive."""

_cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
"""The cores that this process may use. Empty where the system does not tell; then nothing is pinned."""
_migrated_aliases: set[str] = set()


class MigrationsWait(Exception):
    """The database is older than this version; the message says how to bring it up to date."""


def pin_to_one_core(number: int | None = None) -> None:
    """Keep this thread, and the threads that it starts from now on, on one core; `number` tells processes apart.

    Python runs one thread at a time. The loop and the database's thread hand over some fifty times a message; with two
    cores each hand-over wakes a sleeping core whose caches hold nothing of the work. With a thousand open pages that
    cost a third of a server's throughput.
    """
    if _cores and number is not None:
        _run_on([_cores[number % len(_cores)]])
    elif _cores:
        _run_on([random.choice(_cores[1:] or _cores)])  # not the first: it answers the devices' interrupts


def allow_any_core() -> None:
    """Let this thread run on any core, for long work that the loop does not wait for step by step."""
    _run_on(_cores)


def _run_on(cores: list[int]) -> None:
    with suppress(OSError):  # the system has taken these cores away since the process started
        if cores:
            os.sched_setaffinity(0, cores)


_thread = local()
_pool = ThreadPoolExecutor(THREADS, thread_name_prefix="database")
_pages = ThreadPoolExecutor(PAGE_THREADS, thread_name_prefix="page")
_readers = ThreadPoolExecutor(READERS, thread_name_prefix="reader")
_sweepers = ThreadPoolExecutor(SWEEPERS, thread_name_prefix="sweeper", initializer=allow_any_core)
_senders = ThreadPoolExecutor(SENDERS, thread_name_prefix="sender", initializer=allow_any_core)


def in_thread(work: Callable[Arguments, Result]) -> Callable[Arguments, Coroutine[Any, Any, Result]]:
    """`work` as a coroutine function that runs it in the pool, on a connection that is still alive."""
    return _in_pool(_pool, work)


def submit_write(work: Callable[[], None]) -> None:
    """Run `work` in the thread that writes on SQLite, after the work that it has, on a connection that is alive."""
    _pool.submit(_with_connection(work))


def in_reader(work: Callable[Arguments, Result]) -> Callable[Arguments, Coroutine[Any, Any, Result]]:
    """`work` as a coroutine function for work that only reads; turns do not wait for it."""
    return _in_pool(_readers, work)


def in_page_thread(work: Callable[Arguments, Result]) -> Callable[Arguments, Coroutine[Any, Any, Result]]:
    """A request's middleware and view as a coroutine function; their `async_to_sync` runs on the awaiting loop."""
    return sync_to_async(_with_connection(work), thread_sensitive=False, executor=_pages)


def in_background(work: Callable[Arguments, Result]) -> Callable[Arguments, Coroutine[Any, Any, Result]]:
    """`work` as a coroutine function for long work: it looks through tables, sends mails, or learns."""
    return _in_pool(_sweepers, work)


def in_sender(work: Callable[Arguments, Result]) -> Callable[Arguments, Coroutine[Any, Any, Result]]:
    """`work` as a coroutine function for work that waits for other systems' servers."""
    return _in_pool(_senders, work)


def _in_pool(
    pool: ThreadPoolExecutor, work: Callable[Arguments, Result]
) -> Callable[Arguments, Coroutine[Any, Any, Result]]:
    with_connection = _with_connection(work)

    async def in_pool(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        call = partial(copy_context().run, with_connection, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(pool, call)

    return in_pool


def _with_connection(work: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """`work` on connections of its thread that are still alive."""

    def with_connection(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        _close_dead_connections()
        try:
            return work(*args, **kwargs)
        except writes.FAILURES:
            writes.remember_failure()
            raise
        finally:
            _thread.used_at = monotonic()

    return with_connection


def _close_dead_connections() -> None:
    """Close this thread's connections if they may be dead; Django opens new ones.

    A connection that has just worked is not tested: that would cost a statement, and with a connection pool also a way
    to the pool and back.
    """
    idle_seconds = abs(monotonic() - getattr(_thread, "used_at", -CONNECTION_TRUST_SECONDS))
    has_errors = any(
        connection.errors_occurred or connection.in_atomic_block
        for connection in connections.all(initialized_only=True)
    )
    if has_errors or idle_seconds >= CONNECTION_TRUST_SECONDS:
        close_old_connections()


def close_connections() -> None:
    """Close the connection of every thread of the pools; their next work opens new ones."""
    _close_all(_pool, THREADS)
    _close_all(_pages, PAGE_THREADS)
    _close_all(_readers, READERS)
    _close_all(_sweepers, SWEEPERS)
    _close_all(_senders, SENDERS)


def _close_all(pool: ThreadPoolExecutor, threads: int) -> None:
    all_threads = Barrier(threads)  # without it one thread could take all the calls

    def close(_thread: int) -> None:
        all_threads.wait(timeout=30)
        connections.close_all()

    list(pool.map(close, range(threads)))


def refuse_unmigrated() -> None:
    """Check that the database has every table that this version needs; a second check only connects to it.

    Raises MigrationsWait when migrations have not been applied, DatabaseError when the database does not answer.
    """
    connection.ensure_connection()
    if connection.alias in _migrated_aliases:  # readiness asks often, and the executor reads every migration
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        return
    from django.db.migrations.executor import MigrationExecutor  # most processes never ask

    executor = MigrationExecutor(connection)
    pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if pending:
        raise MigrationsWait(
            f"{len(pending)} migrations wait, the first is {pending[0][0]}. "
            "Run `manage.py migrate` once, then start again."
        )
    _migrated_aliases.add(connection.alias)
