"""LangGraph's server: a thread pauses in an `interrupt`; an adapter of `soni_client` finds it, asks, and resumes it."""

import socket
import threading
import time
from types import SimpleNamespace
from typing import Any, TypedDict

from desk_calls import ORDER, PATIENCE_SECONDS, QUESTION, DeskRequests, Run, refund, serve
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from langgraph_sdk import get_sync_client

from soni_client.adapters.langgraph_server import answer_interrupts

POLL_SECONDS = 0.2


class State(TypedDict, total=False):
    """What the graph carries from node to node."""

    run: str
    answer: Any
    outcome: str


def review(state: State) -> State:
    """Ask whether to refund."""
    return {"answer": interrupt({"question": QUESTION, "proposed": ORDER})}


def act(state: State) -> State:
    """Do what was answered."""
    answer = state["answer"]
    return {"outcome": refund({"run": state["run"]}, **answer) if isinstance(answer, dict) else f"rejected: {answer}"}


builder = StateGraph(State)
builder.add_node("review", review)
builder.add_node("act", act)
builder.add_edge(START, "review")
builder.add_edge("review", "act")
builder.add_edge("act", END)
graph = builder.compile()
"""The server imports it from this file."""


def program(server: Any, run: Run) -> str:
    """Run the graph in a new thread of the server, and ask people until it has ended or they have not answered."""
    name = server.threads.create(metadata={"run": run["run"]})["thread_id"]
    server.runs.wait(name, "refunds", input={"run": run["run"]})
    client: Any = SimpleNamespace(requests=DeskRequests(run))
    options = {"agent": "langgraph-server", "timeout": run.get("timeout", "30m"), "on_timeout": "no_answer"}
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        done = answer_interrupts(server, client=client, metadata={"run": run["run"]}, **options)
        if done.failed:
            return str(done.failed[name])
        if done.resumed:
            return str(_ended(server, name, until)["outcome"])
        time.sleep(POLL_SECONDS)
    raise TimeoutError(run["run"])


def _ended(server: Any, name: str, until: float) -> Any:
    """Return the values of a thread once its run has ended."""
    while (thread := server.threads.get(name))["status"] == "busy" and time.monotonic() < until:
        time.sleep(POLL_SECONDS)
    return thread["values"]


def _started_server() -> Any:
    """Start the server in this process; return a client of it."""
    from langgraph_api.cli import run_server

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    graphs = {"refunds": f"{__file__}:graph"}
    options = {"port": port, "graphs": graphs, "allow_blocking": True, "disable_persistence": True}
    threading.Thread(target=run_server, kwargs=options, daemon=True).start()
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(POLL_SECONDS)
        else:
            return get_sync_client(url=f"http://127.0.0.1:{port}")
    raise TimeoutError("the server did not start")


if __name__ == "__main__":
    started = _started_server()
    serve(lambda run: program(started, run))
