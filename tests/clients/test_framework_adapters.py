"""Adapters of frameworks that are not installed here: stand-ins for their objects pause, the API's own dialects answer.

The programs in `conformance/programs` run the frameworks themselves.
"""

import importlib
import sys
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel, Field
from pydantic.dataclasses import dataclass as checked_dataclass

from dialogue.dialects.pauses import Decision
from dialogue.dialects.table import read_ask, write_answer
from soni_client import AgentAnswer
from soni_client.adapters import openai_agents
from soni_client.adapters.pauses import NotDecided

CALL = {"order_id": "W-77", "amount": 420}
OPTIONS: Any = {"agent": "refunds", "timeout": "30m", "on_timeout": "reject"}
THREAD: Any = {**OPTIONS, "thread": "t1"}


class Desk:
    """People who give one answer to every question; `asks` are the questions by the id of their request."""

    def __init__(self, answer: str, text: str = "", **values: Any) -> None:
        self.answer, self.text, self.values = answer, text, values
        self.asks: dict[str, Any] = {}

    def ask(self, ask: Any, **options: Any) -> AgentAnswer:
        self.asks[options["id"]] = ask
        pauses = read_ask(options["dialect"], ask)
        decisions = [
            Decision(
                next((offer for offer in pause.answers if offer.id == self.answer), None),
                self.values,
                self.text,
                "",
                "s",
            )
            for pause in pauses
        ]
        answer = write_answer(options["dialect"], ask, pauses, decisions) if self.answer else None
        return AgentAnswer(options["id"], options["dialect"], "answered" if answer else "expired", answer, ())


class AsyncDesk(Desk):
    async def ask(self, ask: Any, **options: Any) -> AgentAnswer:  # type: ignore[override]
        return Desk.ask(self, ask, **options)


def adapter_of(framework: str, monkeypatch: pytest.MonkeyPatch, **modules: dict[str, Any]) -> Any:
    """Import an adapter with stand-ins for the modules of its framework; `__` in their names is a dot."""
    for name, contents in modules.items():
        path = name.split("__")
        for depth in range(1, len(path) + 1):
            monkeypatch.setitem(sys.modules, ".".join(path[:depth]), ModuleType(path[depth - 1]))
        vars(sys.modules[".".join(path)]).update(contents)
    monkeypatch.delitem(sys.modules, f"soni_client.adapters.{framework}", raising=False)
    adapter = importlib.import_module(f"soni_client.adapters.{framework}")
    monkeypatch.delitem(sys.modules, f"soni_client.adapters.{framework}")
    return adapter


class OpenAIState:
    """A run's state with two interruptions: one's raw item is an object, the other's a dict."""

    def __init__(self) -> None:
        raws = [{"name": "refund", "call_id": call_id, "arguments": '{"amount": 420}'} for call_id in ("c1", "c2")]
        self.items = [SimpleNamespace(raw_item=SimpleNamespace(**raws[0])), SimpleNamespace(raw_item=raws[1])]
        self.json = {
            "context": {"secret": 1},
            "current_step": {"data": {"interruptions": [{"raw_item": raw} for raw in raws]}},
        }
        self.decided: list[Any] = []

    def to_json(self) -> Any:
        return self.json

    def get_interruptions(self) -> list[Any]:
        return self.items

    def approve(self, item: Any) -> None:
        self.decided.append((item, True))

    def reject(self, item: Any, *, rejection_message: str | None) -> None:
        self.decided.append((item, rejection_message))


def test_openai_agents_approves_each_call():
    state, desk = OpenAIState(), Desk("approve")

    assert openai_agents.ask_people(state, client=desk, **THREAD) is state  # type: ignore[arg-type]
    assert state.decided == [(item, True) for item in state.items]


def test_openai_agents_sends_the_interruptions_and_not_the_conversation():
    desk = Desk("approve")
    openai_agents.ask_people(OpenAIState(), client=desk, **THREAD)  # type: ignore[arg-type]

    assert "secret" not in str(desk.asks)


@pytest.mark.parametrize(("text", "message"), [("No receipt", "No receipt"), ("", None)])
async def test_openai_agents_rejects_with_the_reason_that_people_wrote(text: str, message: str | None):
    state, desk = OpenAIState(), AsyncDesk("reject", text)

    await openai_agents.aask_people(state, client=desk, **THREAD)  # type: ignore[arg-type]
    assert [reason for _item, reason in state.decided] == [message, message]


def test_openai_agents_runs_until_nothing_is_interrupted(monkeypatch: pytest.MonkeyPatch):
    state, runs = OpenAIState(), []

    class Runner:
        @staticmethod
        def run_sync(agent: Any, value: Any, **more: Any) -> Any:
            runs.append((value, more))
            return SimpleNamespace(interruptions=[] if value is state else state.items, to_state=lambda: state)

    monkeypatch.setitem(sys.modules, "agents", SimpleNamespace(Runner=Runner))
    openai_agents.run_with_people("agent", "hi", run={"max_turns": 3}, client=Desk("approve"), **THREAD)
    assert runs == [("hi", {"max_turns": 3}), (state, {"max_turns": 3})]


def test_the_same_pause_has_the_same_request_and_another_thread_another():
    desk: Any = Desk("approve")
    for thread in ("t1", "t1", "t2"):
        openai_agents.ask_people(OpenAIState(), client=desk, **OPTIONS, thread=thread)

    assert len(desk.asks) == 2


def test_a_request_without_an_answer_is_not_decided():
    state = OpenAIState()

    with pytest.raises(NotDecided, match="expired"):
        openai_agents.ask_people(state, client=Desk(""), **THREAD)  # type: ignore[arg-type]
    assert state.decided == []


@checked_dataclass
class ToolCall:
    tool_name: str
    args: dict[str, Any]
    tool_call_id: str


@checked_dataclass
class DeferredRequests:
    approvals: list[ToolCall] = Field(default_factory=list)
    calls: list[ToolCall] = Field(default_factory=list)


@checked_dataclass
class DeferredResults:
    approvals: dict[str, Any]
    calls: dict[str, Any]


def pydantic_adapter(monkeypatch: pytest.MonkeyPatch) -> Any:
    names = {"DeferredToolRequests": DeferredRequests, "DeferredToolResults": DeferredResults}
    return adapter_of("pydantic_ai", monkeypatch, pydantic_ai=names)


@pytest.mark.parametrize(
    ("desk", "result"),
    [
        (Desk("approve"), True),
        (Desk("edit", amount=400), {"kind": "tool-approved", "override_args": {"amount": 400}}),
        (Desk("reject", "No receipt"), {"kind": "tool-denied", "message": "No receipt"}),
    ],
)
def test_pydantic_ai_continues_with_the_messages_and_the_results(
    desk: Desk, result: Any, monkeypatch: pytest.MonkeyPatch
):
    requests = DeferredRequests(approvals=[ToolCall("refund", CALL, "c1")])
    runs: list[dict[str, Any]] = []

    class Agent:
        def run_sync(self, prompt: Any = None, **more: Any) -> Any:
            runs.append({"prompt": prompt, **more})
            return SimpleNamespace(output="done" if len(runs) > 1 else requests, all_messages=lambda: ["m1"])

    end = pydantic_adapter(monkeypatch).run_with_people(Agent(), "hi", run={"deps": 7}, client=desk, **THREAD)
    assert end.output == "done"
    assert runs[0] == {"prompt": "hi", "deps": 7}
    assert runs[1]["message_history"] == ["m1"]
    assert runs[1]["deferred_tool_results"].approvals == {"c1": result}


def test_pydantic_ai_stays_paused_while_a_call_has_no_result(monkeypatch: pytest.MonkeyPatch):
    requests = DeferredRequests(approvals=[ToolCall("refund", CALL, "c1")], calls=[ToolCall("look", {}, "c2")])

    with pytest.raises(NotDecided):
        pydantic_adapter(monkeypatch).ask_people(requests, client=Desk("reject"), **THREAD)


class Pending:
    """CrewAI's HumanFeedbackPending: raised by a provider, returned by the flow."""

    def __init__(self, context: Any) -> None:
        self.context = context


@dataclass
class FeedbackContext:
    flow_id: str = "f1"
    method_name: str = "propose"

    def to_dict(self) -> dict[str, Any]:
        keys = {"message": "May I?", "method_output": CALL, "emit": None, "requested_at": "now"}
        return {"flow_id": self.flow_id, "method_name": self.method_name, "llm": {"api_key": "secret"}, **keys}


class RefundFlow:
    """A flow that waits twice: first in `propose`, then in `check`."""

    feedback: list[str]
    stores: list[Any]

    def __init__(self, pending: FeedbackContext | None = None) -> None:
        self.pending_feedback = pending

    def kickoff(self, inputs: Any) -> Any:
        return Pending(FeedbackContext())

    @classmethod
    def from_pending(cls, flow_id: str, persistence: Any) -> "RefundFlow":
        cls.stores.append((flow_id, persistence))
        return cls()

    def resume(self, feedback: str) -> Any:
        self.feedback.append(feedback)
        return "done" if len(self.feedback) > 1 else Pending(FeedbackContext(method_name="check"))


@pytest.mark.parametrize("pending", [None, FeedbackContext()])
def test_crewai_resumes_the_stored_flow_with_each_feedback(
    pending: FeedbackContext | None, monkeypatch: pytest.MonkeyPatch
):
    adapter = adapter_of("crewai", monkeypatch, crewai__flow__async_feedback={"HumanFeedbackPending": Pending})
    RefundFlow.feedback, RefundFlow.stores = [], []
    desk = Desk("respond", "yes")

    assert adapter.run_with_people(RefundFlow(pending), persistence="db", client=desk, **OPTIONS) == "done"
    assert RefundFlow.feedback == ["yes", "yes"]
    assert RefundFlow.stores == [("f1", "db")] * 2
    assert len(desk.asks) == 2
    assert "secret" not in str(desk.asks)


@dataclass
class ApprovalRequest:
    id: str = "r1"
    function_call: Any = field(default_factory=lambda: SimpleNamespace(call_id="c1"))

    def to_dict(self) -> dict[str, Any]:
        call = {"type": "function_call", "call_id": "c1", "name": "refund", "arguments": CALL}
        return {"type": "function_approval_request", "id": self.id, "function_call": call}


@pytest.mark.parametrize(("action", "is_approved"), [("approve", True), ("reject", False)])
async def test_agent_framework_answers_each_request_in_a_message(
    action: str, is_approved: bool, monkeypatch: pytest.MonkeyPatch
):
    content = SimpleNamespace(from_dict=lambda fields: fields)
    names = {"Content": content, "Message": lambda role, contents: (role, contents)}
    adapter = adapter_of("agent_framework", monkeypatch, agent_framework=names)
    inputs: list[Any] = []

    class Agent:
        async def run(self, messages: Any, *, session: Any) -> Any:
            inputs.append(messages)
            return SimpleNamespace(user_input_requests=[ApprovalRequest()] if len(inputs) == 1 else [])

    await adapter.run_with_people(Agent(), "hi", session="s", client=AsyncDesk(action), **THREAD)
    role, responses = inputs[1]
    assert role == "user"
    assert [(response["id"], response["approved"]) for response in responses] == [("r1", is_approved)]


class Part(BaseModel):
    text: str = ""
    function_response: Any = None


class FunctionCall(BaseModel):
    id: str
    name: str
    args: dict[str, Any]


@dataclass
class Event:
    invocation_id: str
    calls: list[FunctionCall] = field(default_factory=list)

    def get_function_calls(self) -> list[FunctionCall]:
        return self.calls

    def get_function_responses(self) -> list[Any]:
        return []


class Runner:
    """ADK's runner: its session waits for a confirmation, and ends with the response to it."""

    app_name = "refunds"

    def __init__(self) -> None:
        args = {"originalFunctionCall": {"name": "refund", "args": CALL}}
        calls = [
            FunctionCall(id="o1", name="refund", args=CALL),
            FunctionCall(id="c1", name="adk_request_confirmation", args=args),
        ]
        self.events = [Event("i1", calls)]
        self.session_service = self
        self.runs: list[dict[str, Any]] = []

    async def get_session(self, **names: Any) -> Any:
        return SimpleNamespace(events=self.events)

    async def run_async(self, **more: Any) -> Any:
        self.runs.append(more)
        for event in [Event("i1")] if more.get("invocation_id") else self.events:
            yield event


@pytest.mark.parametrize("message", ["hi", None])
async def test_adk_gives_the_confirmation_to_the_same_invocation(message: str | None, monkeypatch: pytest.MonkeyPatch):
    content = SimpleNamespace
    types = SimpleNamespace(Content=content, Part=Part, FunctionResponse=SimpleNamespace)
    adapter = adapter_of("adk", monkeypatch, google__genai={"types": types})
    runner, desk = Runner(), AsyncDesk("approve")

    events = await adapter.run_with_people(runner, message, user_id="ann", session_id="t1", client=desk, **OPTIONS)
    assert len(events) == 2
    assert len(runner.runs) == (2 if message else 1)
    last = runner.runs[-1]
    response = last["new_message"].parts[0].function_response
    assert (last["invocation_id"], response.id, response.response) == ("i1", "c1", {"confirmed": True})


class ElicitParams(BaseModel):
    message: str = "May I?"
    requested: dict[str, Any] = Field({"properties": {"amount": {"type": "integer"}}}, alias="requestedSchema")
    meta: dict[str, Any] = Field({"progressToken": 1}, alias="_meta")


class Elicited(BaseModel):
    action: str
    content: dict[str, Any] | None = None


async def test_mcp_answers_an_elicitation_and_asks_the_same_question_again(monkeypatch: pytest.MonkeyPatch):
    adapter = adapter_of("mcp", monkeypatch, mcp__types={"ElicitResult": Elicited})
    desk = AsyncDesk("answer", amount=400)
    callback = adapter.elicitation_callback(client=desk, **THREAD)

    assert await callback(None, ElicitParams()) == Elicited(action="accept", content={"amount": 400})
    await callback(None, ElicitParams())
    assert len(desk.asks) == 2
    after_restart = adapter.elicitation_callback(client=desk, **THREAD)
    await after_restart(None, ElicitParams())
    assert len(desk.asks) == 2
    assert "progressToken" not in str(desk.asks)
