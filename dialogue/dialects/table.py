"""The table of dialects: a reader and a writer each, and the two functions that the desk uses."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dialogue.dialects import langchain, langgraph, questions, tool_calls
from dialogue.dialects.json_schemas import check_schema
from dialogue.dialects.limits import MAX_PAUSES, check_size
from dialogue.dialects.pauses import WITHOUT_CONSENT, AskRefused, Decision, Pause

Reader = Callable[[Any], tuple[Pause, ...]]
Writer = Callable[[Any, Sequence[Pause], Sequence[Decision]], Any]


@dataclass(frozen=True)
class Dialect:
    """One framework's words. `title` is its name for people; `partial`: undecided pauses may be left out."""

    name: str
    title: str
    read: Reader
    write: Writer
    partial: bool = False


DIALECTS: Mapping[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        Dialect("langgraph", "LangGraph", langgraph.read, langgraph.write, partial=True),
        Dialect("langchain", "LangChain", langchain.read_batch, langchain.write_batch),
        Dialect("langchain-call", "LangChain", langchain.read_call, langchain.write_call),
        Dialect("agent-inbox", "agent-inbox", langchain.read_inbox, langchain.write_inbox),
        Dialect("ag-ui", "AG-UI", questions.read_ag_ui, questions.write_ag_ui),
        Dialect("openai-agents", "OpenAI Agents", tool_calls.read_openai, tool_calls.write_openai),
        Dialect("pydantic-ai", "Pydantic AI", tool_calls.read_pydantic, tool_calls.write_pydantic, partial=True),
        Dialect("crewai", "CrewAI", questions.read_crewai, questions.write_crewai),
        Dialect(
            "agent-framework", "Agent Framework", tool_calls.read_agent_framework, tool_calls.write_agent_framework
        ),
        Dialect("adk", "Google ADK", tool_calls.read_adk, tool_calls.write_adk, partial=True),
        Dialect("mcp", "MCP", questions.read_mcp, questions.write_mcp),
        Dialect("a2a", "A2A", questions.read_a2a, questions.write_a2a),
        Dialect("plain", "", questions.read_plain, questions.write_plain),
    )
}
"""Every dialect by its name in the API."""


def read_ask(name: str, ask: Any) -> tuple[Pause, ...]:
    """Return the pauses of a question in this dialect. Raises AskRefused, which says where the question is wrong."""
    check_size(ask)
    pauses = DIALECTS[name].read(ask)
    if not pauses:
        raise AskRefused("ask", "it asks nothing")
    if len(pauses) > MAX_PAUSES:
        raise AskRefused("ask", f"at most {MAX_PAUSES} questions fit in one request")
    for pause in pauses:
        check_schema(pause.form)
    return pauses


def write_answer(name: str, ask: Any, pauses: Sequence[Pause], decisions: Sequence[Decision]) -> Any:
    """Return the answer in the dialect's own shape; None if people decided nothing that it has a word for.

    A pause that ended without an answer counts as refused, or as left, where the dialect can say so. One that is to
    stay open does so, unless people decided another one and the dialect takes answers to all pauses or to none.
    """
    if all(decision.stays_open for decision in decisions):
        return None
    dialect = DIALECTS[name]
    parts = zip(pauses, decisions, strict=True)
    settled = [_settle(pause, decision, may_stay_open=dialect.partial) for pause, decision in parts]
    missing = [decision.answer is None for decision in settled]
    if all(missing) or (any(missing) and not dialect.partial):
        return None
    return dialect.write(ask, pauses, settled)


def _settle(pause: Pause, decision: Decision, *, may_stay_open: bool) -> Decision:
    if decision.answer is not None or (decision.stays_open and may_stay_open):
        return decision
    return replace(decision, answer=pause.answer_meaning(*WITHOUT_CONSENT))
