"""The ecosystems: a program each, its framework, and what must come of each decision."""

from dataclasses import dataclass, field
from typing import Any

ORDER = {"order_id": "W4120331", "amount": 420}
CHANGED = {"order_id": "W4120331", "amount": 400}
WHY = "No receipt came"


@dataclass(frozen=True)
class Case:
    """One decision: what an operator does, and with which arguments the tool must have run (None: it must not run)."""

    action: str
    label: str
    """The words on the answer's button."""
    values: dict[str, Any] = field(default_factory=dict)
    runs_with: dict[str, Any] | None = None


APPROVE = Case("approve", "Approve", runs_with=ORDER)
EDIT = Case("edit", "Approve with changes", CHANGED, CHANGED)
REJECT = Case("reject", "Reject", {"reason": WHY})
SILENT = Case("reject", "Reject")


@dataclass(frozen=True)
class Ecosystem:
    """A program of a framework. `framework` names its environment ("" is our own), `package` is shown."""

    name: str
    framework: str
    package: str
    script: str
    cases: tuple[Case, ...]
    arguments: tuple[str, ...] = ()
    webhook: bool = False


ANSWER = Case("answer", "Send the answer", CHANGED, CHANGED)
JSON_ANSWER = Case("answer", "Send the answer", {"answer": '{"order_id": "W4120331", "amount": 400}'}, CHANGED)
JSON_REFUSAL = Case("answer", "Send the answer", {"answer": '"no"'})
FORM_CASES = (Case("approve", "Approve", CHANGED, CHANGED), REJECT)
MCP_CASES = (Case("answer", "Send the answer", CHANGED, CHANGED), Case("decline", "Decline"), Case("cancel", "Cancel"))
TEXT_CASES = (Case("respond", "Reply", {"reason": "yes"}, ORDER), Case("respond", "Reply", {"reason": "no"}))

ECOSYSTEMS = (
    Ecosystem("plain", "", "", "plain_python.py", FORM_CASES),
    Ecosystem("plain, webhook", "", "", "plain_python.py", FORM_CASES, webhook=True),
    Ecosystem("LangGraph", "", "langgraph", "langgraph_interrupts.py", (JSON_ANSWER, JSON_REFUSAL)),
    Ecosystem(
        "LangGraph server",
        "langgraph-server",
        "langgraph-api",
        "langgraph_server.py",
        (JSON_ANSWER, JSON_REFUSAL),
    ),
    Ecosystem(
        "LangChain, batched", "langchain", "langchain", "langchain_middleware.py", (APPROVE, EDIT, REJECT), ("batched",)
    ),
    Ecosystem(
        "LangChain, per call", "langchain", "langchain", "langchain_middleware.py", (APPROVE, EDIT, REJECT), ("calls",)
    ),
    Ecosystem(
        "agent-inbox",
        "langchain",
        "langchain",
        "langchain_middleware.py",
        (APPROVE, EDIT, Case("respond", "Reply", {"reason": WHY}), Case("ignore", "Ignore")),
        ("inbox",),
    ),
    Ecosystem(
        "AG-UI", "ag-ui", "ag-ui-protocol", "ag_ui_langgraph_run.py", (APPROVE, REJECT, Case("cancel", "Cancel"))
    ),
    Ecosystem("OpenAI Agents", "openai-agents", "openai-agents", "openai_agents.py", (APPROVE, REJECT)),
    Ecosystem("Pydantic AI", "pydantic-ai", "pydantic-ai-slim", "pydantic_ai_tools.py", (APPROVE, EDIT, REJECT)),
    Ecosystem("CrewAI", "crewai", "crewai", "crewai_feedback.py", TEXT_CASES),
    Ecosystem(
        "Agent Framework", "agent-framework", "agent-framework-core", "agent_framework_tools.py", (APPROVE, SILENT)
    ),
    Ecosystem("Google ADK", "adk", "google-adk", "adk_confirmation.py", (APPROVE, SILENT)),
    Ecosystem("MCP, callback", "mcp", "mcp", "mcp_elicitation.py", MCP_CASES, ("callback",)),
    Ecosystem("MCP, rounds", "mcp", "mcp", "mcp_elicitation.py", MCP_CASES, ("rounds",)),
    Ecosystem("A2A", "a2a", "a2a-sdk", "a2a_task.py", TEXT_CASES),
)
"""In the order of the table."""
