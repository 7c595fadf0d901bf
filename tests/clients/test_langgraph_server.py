"""Interrupted threads of a LangGraph server and the product in this process: people answer, and the threads go on.

The server is a stand-in over real graphs, with the answers of `langgraph-api`; `python -m conformance "LangGraph
server"` runs the server itself.
"""

from itertools import count
from types import SimpleNamespace
from typing import Any, TypedDict

import httpx
import pytest
from django.contrib.auth.models import Permission
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from langgraph_sdk.errors import APIStatusError, ConflictError, NotFoundError

from dialogue.models import AgentRequest
from soni_client import Client, InvalidValues
from soni_client.adapters import langgraph_server
from soni_client.adapters.langgraph_server import NotDecided, Round, answer_interrupts
from tests.clients.test_python_calls import client_of
from tests.support.transfers import person

pytestmark = pytest.mark.django_db(transaction=True)

OPTIONS: Any = {"agent": "refunds", "timeout": "30m", "on_timeout": "no_answer"}
QUESTION = {"question": "May I refund the cover?", "amount": 420}


class State(TypedDict, total=False):
    answers: list[Any]


class GraphServer:
    """The calls of `SyncLangGraphClient` that the adapter makes, over a graph that asks `times` times in one node."""

    def __init__(self, times: int = 1, question: Any = QUESTION) -> None:
        graph = StateGraph(State)
        graph.add_node("ask", lambda _state: {"answers": [interrupt(question) for _ in range(times)]})
        graph.add_edge(START, "ask")
        graph.add_edge("ask", END)
        self._graph = graph.compile(checkpointer=InMemorySaver())
        self._states: dict[str, int] = {}
        self._clock = count(1)
        self.refusal: APIStatusError | None = None
        self.threads = SimpleNamespace(search=self._search, get=self._thread)
        self.runs = SimpleNamespace(create=self._resume)

    def begin(self, name: str) -> None:
        """Run the graph in a new thread until it pauses."""
        self._run(name, {})

    def answers(self, name: str) -> Any:
        """What the node of a thread was told; None while it is paused."""
        return self._graph.get_state(_config(name)).values.get("answers")

    def _run(self, name: str, value: Any) -> None:
        self._graph.invoke(value, _config(name))
        self._states[name] = next(self._clock)

    def _thread(self, name: str) -> dict[str, Any]:
        tasks = self._graph.get_state(_config(name)).tasks
        interrupts = {task.id: [{"id": pause.id, "value": pause.value} for pause in task.interrupts] for task in tasks}
        return {
            "thread_id": name,
            "status": "interrupted" if tasks else "idle",
            "interrupts": interrupts,
            "metadata": {"assistant_id": "a1"},
            "state_updated_at": f"2026-11-28T00:00:00.{self._states[name]:06}+00:00",
        }

    def _search(self, *, status: str, limit: int, offset: int, **_options: Any) -> list[dict[str, Any]]:
        threads = [self._thread(name) for name in self._states]
        return [thread for thread in threads if thread["status"] == status][offset : offset + limit]

    def _resume(self, name: str, assistant: str, *, command: Any, multitask_strategy: str) -> None:
        assert (assistant, multitask_strategy) == ("a1", "reject")
        if self.refusal:
            raise self.refusal
        self._run(name, Command(resume=command["resume"]))


def _config(name: str) -> Any:
    return {"configurable": {"thread_id": name}}


@pytest.fixture
def agent() -> Client:
    account = person("refunds", "Refunds")
    account.user_permissions.add(Permission.objects.get(codename="ask_agentrequest"))
    return client_of(account)


@pytest.fixture
def olga() -> Client:
    return client_of(person("olga", "Olga Petrov", "operators"))


def answer_all(operator: Client, answer: str) -> int:
    """Answer every open question; how many there were."""
    sessions = list(operator.sessions.list(state="open"))
    for session in sessions:
        operator.sessions.decide(session["name"], "answer", values={"answer": answer})
    return len(sessions)


def test_a_thread_goes_on_with_what_people_answer(agent: Client, olga: Client):
    server = GraphServer()
    server.begin("t1")

    assert answer_interrupts(server, client=agent, **OPTIONS) == Round([], ["t1"], {})
    assert answer_interrupts(server, client=agent, **OPTIONS) == Round([], ["t1"], {})
    assert (answer_all(olga, '"yes"'), server.answers("t1")) == (1, None)

    assert answer_interrupts(server, client=agent, **OPTIONS) == Round(["t1"], [], {})
    assert server.answers("t1") == ["yes"]
    assert answer_interrupts(server, client=agent, **OPTIONS) == Round([], [], {})


def test_the_same_question_twice_in_a_node_is_asked_twice(agent: Client, olga: Client):
    server = GraphServer(times=2)
    server.begin("t1")

    for answer in ('"yes"', '"no"'):
        assert answer_interrupts(server, client=agent, **OPTIONS).waiting == ["t1"]
        assert answer_all(olga, answer) == 1
        assert answer_interrupts(server, client=agent, **OPTIONS).resumed == ["t1"]

    assert server.answers("t1") == ["yes", "no"]


def test_threads_of_every_page_are_asked_about(agent: Client, olga: Client, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(langgraph_server, "THREADS_PER_PAGE", 2)
    server, names = GraphServer(), [f"t{number}" for number in range(5)]
    for name in names:
        server.begin(name)

    assert answer_interrupts(server, client=agent, **OPTIONS).waiting == names
    assert answer_all(olga, '"yes"') == 5
    assert answer_interrupts(server, client=agent, **OPTIONS).resumed == names


@pytest.mark.parametrize("refusal", [ConflictError, NotFoundError])
def test_a_thread_that_runs_already_or_was_deleted_is_left_alone(
    agent: Client, olga: Client, refusal: type[APIStatusError]
):
    server = GraphServer()
    server.begin("t1")
    answer_interrupts(server, client=agent, **OPTIONS)
    answer_all(olga, '"yes"')

    request = httpx.Request("POST", "http://server/runs")
    server.refusal = refusal("refused", response=httpx.Response(409, request=request), body=None)
    assert answer_interrupts(server, client=agent, **OPTIONS) == Round([], ["t1"], {})


def test_a_thread_that_others_resumed_meanwhile_does_not_get_the_answer_to_its_earlier_question(
    agent: Client, olga: Client
):
    server = GraphServer(times=2)
    server.begin("t1")
    answer_interrupts(server, client=agent, **OPTIONS)
    answer_all(olga, '"yes"')
    listed = server.threads.search

    def resumed_after_it_was_listed(**options: Any) -> Any:
        threads = listed(**options)
        if threads:
            server.runs.create("t1", "a1", command={"resume": "from elsewhere"}, multitask_strategy="reject")
        return threads

    server.threads.search = lambda **options: resumed_after_it_was_listed(**options) if not options["offset"] else []
    assert answer_interrupts(server, client=agent, **OPTIONS) == Round([], ["t1"], {})
    assert server.threads.get("t1")["status"] == "interrupted"


def test_a_thread_without_an_answer_stays_paused_and_stops_no_other(agent: Client):
    server = GraphServer()
    server.begin("t1")
    answer_interrupts(server, client=agent, **OPTIONS)
    agent.requests.withdraw(AgentRequest.objects.get().ref)
    server.begin("t2")

    done = answer_interrupts(server, client=agent, **OPTIONS)
    assert (done.waiting, [type(reason) for reason in done.failed.values()]) == (["t2"], [NotDecided])
    assert server.answers("t1") is None


def test_a_refusal_names_its_thread(agent: Client):
    server = GraphServer(question={"question": "x" * 200_000})
    server.begin("t1")

    done = answer_interrupts(server, client=agent, **OPTIONS)
    assert (done.waiting, list(done.failed)) == ([], ["t1"])
    assert isinstance(done.failed["t1"], InvalidValues)
