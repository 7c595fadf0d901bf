"""Database work from async code: a small pool of threads, so that turns of different conversations do not queue."""

from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any, ParamSpec, TypeVar

from asgiref.sync import sync_to_async
from django.db import close_old_connections, connections

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

THREADS = 4
_pool = ThreadPoolExecutor(THREADS, thread_name_prefix="database")


def in_thread(work: Callable[Arguments, Result]) -> Callable[Arguments, Coroutine[Any, Any, Result]]:
    """`work` as a coroutine function that runs it in the pool, on a connection that is still alive."""

    def with_connection(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        close_old_connections()
        return work(*args, **kwargs)

    return sync_to_async(with_connection, thread_sensitive=False, executor=_pool)


def close_connections() -> None:
    """Close the connection of every thread of the pool; their next work connects anew."""
    together = Barrier(THREADS)  # or one thread would take all the errands

    def close(_thread: int) -> None:
        together.wait(timeout=30)
        connections.close_all()

    list(_pool.map(close, range(THREADS)))
