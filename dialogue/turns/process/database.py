"""Database work from async code: a small pool of threads, so that turns of different conversations do not queue.

Who only looks has a pool of their own, and so has what may take long: however many pages are open, and whatever is
swept, a turn never waits behind them.
"""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from threading import Barrier, local
from time import monotonic
from typing import Any, ParamSpec, TypeVar

from asgiref.sync import sync_to_async
from django.db import close_old_connections, connection, connections

from dialogue.turns.process import cores, writes

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

THREADS = 1 if connection.vendor == "sqlite" else 4
"""SQLite lets one write at a time, and those who wait for that sleep, ever longer, and are woken in no order: with one
thread for them all nobody sleeps, and who came first is first."""
READERS = 2
PAGE_THREADS = 6
SWEEPERS = 3
"""One for each work of the sweep, of which any may wait for a mail server."""
SURE_FOR = 1.0
"""Seconds for which a connection that worked is taken to be alive."""

_thread = local()
_pool = ThreadPoolExecutor(THREADS, thread_name_prefix="database")
_pages = ThreadPoolExecutor(PAGE_THREADS, thread_name_prefix="page")
_readers = ThreadPoolExecutor(READERS, thread_name_prefix="reader")
_sweepers = ThreadPoolExecutor(SWEEPERS, thread_name_prefix="sweeper", initializer=cores.use_any)


def in_thread(work: Callable[Arguments, Result]) -> Callable[Arguments, Coroutine[Any, Any, Result]]:
    """`work` as a coroutine function that runs it in the pool, on a connection that is still alive."""
    return _in_pool(_pool, work)


def in_reader(work: Callable[Arguments, Result]) -> Callable[Arguments, Coroutine[Any, Any, Result]]:
    """The same for work that only reads, and that no turn should wait for."""
    return _in_pool(_readers, work)


def in_page_thread(work: Callable[Arguments, Result]) -> Callable[Arguments, Coroutine[Any, Any, Result]]:
    """The same for a request's middleware and view; their `async_to_sync` runs on the loop that awaits this."""
    return sync_to_async(_with_connection(work), thread_sensitive=False, executor=_pages)


def in_background(work: Callable[Arguments, Result]) -> Callable[Arguments, Coroutine[Any, Any, Result]]:
    """The same for work that may take long: it looks through tables, sends mails, or learns."""
    return _in_pool(_sweepers, work)


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
        _look_after_connections()
        try:
            return work(*args, **kwargs)
        except writes.FAILURES:
            writes.remember_failure()
            raise
        finally:
            _thread.used_at = monotonic()

    return with_connection


def _look_after_connections() -> None:
    """See that this thread's connections are alive. One that has just done its work is: asking it costs a question to
    the database, and where the database has a pool, a way to the pool and back."""
    idle = abs(monotonic() - getattr(_thread, "used_at", -SURE_FOR))
    troubled = any(
        connection.errors_occurred or connection.in_atomic_block
        for connection in connections.all(initialized_only=True)
    )
    if troubled or idle >= SURE_FOR:
        close_old_connections()


def close_connections() -> None:
    """Close the connection of every thread of the pools; their next work connects anew."""
    _close_all(_pool, THREADS)
    _close_all(_pages, PAGE_THREADS)
    _close_all(_readers, READERS)
    _close_all(_sweepers, SWEEPERS)


def _close_all(pool: ThreadPoolExecutor, threads: int) -> None:
    together = Barrier(threads)  # or one thread would take all the errands

    def close(_thread: int) -> None:
        together.wait(timeout=30)
        connections.close_all()

    list(pool.map(close, range(threads)))
