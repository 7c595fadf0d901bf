"""CrewAI: run a flow, and let people give the feedback that `@human_feedback` wants.

    class RefundFlow(Flow):
        @start()
        @human_feedback(message="May I refund this order?", provider=PendingProvider())
        def propose(self): ...

    result = run_with_people(RefundFlow(persistence=store), {"order": "W-77"}, client=client, agent="refunds",
                             persistence=store, timeout="30m", on_timeout="no_answer")

After a restart call it with `RefundFlow.from_pending(flow_id, store)`: a pause that is still open finds its request.
With `emit` CrewAI asks a language model which outcome the feedback means, also for an outcome's own word.
"""

from typing import Any

from crewai.flow.async_feedback import HumanFeedbackPending

from soni_client.adapters.pauses import NotDecided, decided, options_of_pause
from soni_client.client import Client

__all__ = ["NotDecided", "PendingProvider", "ask_people", "run_with_people"]

KEYS = ("flow_id", "method_name", "message", "method_output", "emit")


class PendingProvider:
    """A provider of feedback that leaves the flow pending, until people have answered."""

    def request_feedback(self, context: Any, flow: Any) -> str:
        """Raise HumanFeedbackPending, which CrewAI stores and returns from `kickoff`."""
        raise HumanFeedbackPending(context=context)


def run_with_people(
    flow: Any, inputs: Any = None, *, persistence: Any = None, client: Client, agent: str, **options: Any
) -> Any:
    """Run the flow until it ends; `options` are those of `ask`. A flow of `from_pending` goes on where it waits.

    `persistence` is the flow's own store. Raises Refusal, NotDecided, StillWaiting.
    """
    waiting = flow.pending_feedback
    result = HumanFeedbackPending(waiting) if waiting else flow.kickoff(inputs=inputs)
    while isinstance(result, HumanFeedbackPending):
        feedback = ask_people(result.context, client=client, agent=agent, **options)
        result = type(flow).from_pending(result.context.flow_id, persistence).resume(feedback)
    return result


def ask_people(context: Any, *, client: Client, agent: str, **options: Any) -> str:
    """Ask for the feedback of a `PendingFeedbackContext`, and return the text for `resume`."""
    pause = context.to_dict()
    ids = [pause["method_name"], pause["requested_at"]]
    ask = {key: pause[key] for key in KEYS}
    answer = client.ask(ask, **options_of_pause("crewai", agent, pause["flow_id"], ids, options))
    return str(decided(answer)["feedback"])
