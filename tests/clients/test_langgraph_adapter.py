"""Graphs of LangGraph whose interrupts are answered over the API's own requests, and read by the API's own dialect."""

from typing import Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt

from dialogue.dialects.pauses import Decision
from dialogue.dialects.table import read_ask, write_answer
from soni_client import AgentAnswer
from soni_client.adapters.langchain import run_with_people as run_agent
from soni_client.adapters.langgraph import NotDecided, arun_with_people, run_with_people

CONFIG: Any = {"configurable": {"thread_id": "t1"}}
OPTIONS: Any = {"agent": "refunds", "timeout": "30m", "on_timeout": "no_answer"}


class Desk:
    """People who answer every question of a request with the next of their words; each request once."""

    def __init__(self, *words: str) -> None:
        self.words = list(words)
        self.answers: dict[str, AgentAnswer] = {}

    def ask(self, ask: Any, **options: Any) -> AgentAnswer:
        request = options["id"]
        if request not in self.answers:
            word, pauses = self.words.pop(0), read_ask(options["dialect"], ask)
            decisions = [Decision(pause.answers[0], {"answer": word}, "", "Olga Petrov", "s1") for pause in pauses]
            answer = write_answer(options["dialect"], ask, pauses, decisions) if word else None
            self.answers[request] = AgentAnswer(request, "langgraph", "answered" if word else "expired", answer, ())
        return self.answers[request]


class AsyncDesk(Desk):
    async def ask(self, ask: Any, **options: Any) -> AgentAnswer:  # type: ignore[override]
        return Desk.ask(self, ask, **options)


class State(TypedDict, total=False):
    words: list[Any]


def asking_graph(times: int) -> Any:
    """A graph whose only node asks the same question several times."""

    def node(state: State) -> State:
        return {"words": [interrupt("May I?") for _number in range(times)]}

    graph = StateGraph(State)
    graph.add_node("node", node)
    graph.add_edge(START, "node")
    graph.add_edge("node", END)
    return graph.compile(checkpointer=InMemorySaver())


def test_a_graph_continues_with_what_people_answer():
    desk: Any = Desk("yes")

    assert run_with_people(asking_graph(1), {}, CONFIG, client=desk, **OPTIONS)["words"] == ["yes"]


def test_the_same_question_twice_in_a_node_is_two_requests():
    desk: Any = Desk("yes", "no")

    assert run_agent(asking_graph(2), {}, CONFIG, client=desk, **OPTIONS)["words"] == ["yes", "no"]
    assert len(desk.answers) == 2


def test_after_a_restart_a_pause_finds_its_request():
    desk: Any = Desk("yes")
    graph = asking_graph(1)
    graph.invoke({}, CONFIG)
    paused = graph.get_state(CONFIG).tasks[0].interrupts
    assert paused

    assert run_with_people(graph, None, CONFIG, client=desk, **OPTIONS)["words"] == ["yes"]


def test_a_request_without_an_answer_leaves_the_graph_paused():
    desk: Any = Desk("")
    graph = asking_graph(1)

    with pytest.raises(NotDecided, match="expired"):
        run_with_people(graph, {}, CONFIG, client=desk, **OPTIONS)
    assert graph.get_state(CONFIG).tasks[0].interrupts


async def test_the_same_with_asyncio():
    desk: Any = AsyncDesk("yes")

    result = await arun_with_people(asking_graph(1), {}, CONFIG, client=desk, **OPTIONS)
    assert result["words"] == ["yes"]
