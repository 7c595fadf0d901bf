"""CrewAI: a flow's method with `@human_feedback`, whose provider leaves it pending; the flow is resumed by its id."""

import tempfile
from pathlib import Path
from typing import Any

from crewai.flow import Flow, human_feedback, listen, start
from crewai.flow.persistence import SQLiteFlowPersistence
from desk_calls import ORDER, QUESTION, DeskClient, Run, refund, serve

from soni_client.adapters.crewai import NotDecided, PendingProvider, run_with_people


def program(run: Run) -> str:
    """Run the flow until it is pending, ask, and resume it from its store."""

    class RefundFlow(Flow):  # type: ignore[type-arg]
        """Propose a refund, and make it when it is approved."""

        @start()
        @human_feedback(message=QUESTION, provider=PendingProvider())
        def propose(self) -> Any:
            return ORDER

        @listen(propose)
        def act(self, result: Any) -> str:
            return refund(run, **ORDER) if result.feedback.strip() == "yes" else "rejected"

    with tempfile.TemporaryDirectory() as folder:
        store = SQLiteFlowPersistence(str(Path(folder) / "flows.sqlite3"))
        people: Any = {"client": DeskClient(run), "agent": "refunds", "timeout": "30m", "on_timeout": "no_answer"}
        try:
            return str(run_with_people(RefundFlow(persistence=store), persistence=store, **people))
        except NotDecided:
            return "no one answered"


if __name__ == "__main__":
    serve(program)
