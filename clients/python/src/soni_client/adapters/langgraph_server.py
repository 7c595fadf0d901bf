"""LangGraph's server: people answer the interrupts of its threads. The graphs stay as they are.

    server = langgraph_sdk.get_sync_client(url=…)
    while True:
        answer_interrupts(server, client=client, agent="refunds", timeout="30m", on_timeout="no_answer")
        time.sleep(5)

Nothing has to be stored: an interrupt that was asked about finds its request, also after a restart.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from langgraph_sdk.errors import ConflictError, NotFoundError

from soni_client.adapters.pauses import NotDecided, decided, options_of_pause
from soni_client.client import Client
from soni_client.errors import Refusal
from soni_client.shapes import AgentAnswer

__all__ = ["NotDecided", "Round", "answer_interrupts"]

THREADS_PER_PAGE = 100


class Round(NamedTuple):
    """What a round came to, as ids of threads: some go on, some wait for people, some stay paused for a reason."""

    resumed: list[str]
    waiting: list[str]
    failed: dict[str, Refusal | NotDecided]


def answer_interrupts(
    server: Any, *, client: Client, agent: str, metadata: dict[str, Any] | None = None, **options: Any
) -> Round:
    """Ask about every interrupted thread once, and resume those that people have decided.

    `server` is a `SyncLangGraphClient`, `metadata` chooses among its threads, `options` are those of `ask`. A thread
    that cannot be asked about, or whose request ended without an answer, is in `failed` and stops no other.
    Raises Unreachable, and what `langgraph_sdk` raises if the server does not answer.
    """
    done = Round([], [], {})
    for thread in list(_interrupted_threads(server, metadata)):
        try:
            is_resumed = _resume_if_decided(server, thread, client, agent, options)
        except (Refusal, NotDecided) as error:
            done.failed[thread["thread_id"]] = error
        else:
            (done.resumed if is_resumed else done.waiting).append(thread["thread_id"])
    return done


def _interrupted_threads(server: Any, metadata: dict[str, Any] | None) -> Iterator[Any]:
    """Yield the threads that wait in an `interrupt`; those that stop at a breakpoint ask nothing."""
    offset, page = 0, [None]
    while page:
        page = server.threads.search(
            status="interrupted",
            metadata=metadata,
            limit=THREADS_PER_PAGE,
            offset=offset,
            sort_by="created_at",
            sort_order="asc",
        )
        offset += len(page)
        yield from (thread for thread in page if any(thread["interrupts"].values()))


def _resume_if_decided(server: Any, thread: Any, client: Client, agent: str, options: dict[str, Any]) -> bool:
    name, ask = thread["thread_id"], {"interrupts": thread["interrupts"]}
    # Two interrupts of one node have the same id; the time of the pause tells them apart.
    request_options = options_of_pause("langgraph", agent, name, [ask, _paused_at(thread)], options)
    request = client.requests.create(ask, **request_options)
    if request["state"] == "waiting":
        return False
    answer = decided(AgentAnswer.of(client.requests.get(request["id"])))
    try:
        if _paused_at(server.threads.get(name)) != _paused_at(thread):
            return False
        server.runs.create(
            name, thread["metadata"]["assistant_id"], command={"resume": answer}, multitask_strategy="reject"
        )
    except (ConflictError, NotFoundError):  # somebody else has resumed it, and it runs; or it was deleted
        return False
    return True


def _paused_at(thread: Any) -> str:
    """Return when the thread's state last changed; its metadata may change later."""
    return str(thread.get("state_updated_at") or thread["updated_at"])
