"""Conversations that are in the middle of a flow: on which release they are, and at which step each waits."""

from dataclasses import dataclass

from django.db.models import Case, Count, OuterRef, QuerySet, Subquery, Value, When

from dialogue.models import Assistant, Conversation, HITLSession

MAX_WAITING_STEPS = 8


@dataclass(frozen=True)
class WaitingStep:
    """How many conversations stand at one step of the flows, and whether the step changes."""

    flow: str
    step: str
    number: int
    changes: bool


def open_conversations(assistant: Assistant) -> QuerySet[Conversation]:
    """The conversations of customers that are in the middle of a flow."""
    rows = Conversation.objects.filter(assistant=assistant, test=False).exclude(state__in=Conversation.OVER)
    return rows.exclude(stack=[])


def conversations_by_release(assistant: Assistant) -> dict[int, int]:
    """How many conversations are in the middle of a flow, by the release that they stay on."""
    counted = open_conversations(assistant).values("release__number").annotate(count=Count("pk"))
    return {row["release__number"]: row["count"] for row in counted.order_by("release__number")}


def waiting_steps(rows: QuerySet[Conversation], changed: set[tuple[str, str]]) -> list[WaitingStep]:
    """Where the conversations wait, those at changed steps first. Each counts once, so that the numbers sum up.

    One that waits at several steps counts at a gate of staff, which matters most, else at its newest question.
    """
    rank = Case(When(audience=HITLSession.Audience.STAFF, then=Value(0)), default=Value(1))
    undecided = HITLSession.objects.filter(conversation=OuterRef("pk"), state__in=HITLSession.UNDECIDED)
    ranked = undecided.annotate(rank=rank).order_by("rank", "-pk")
    sessions = rows.annotate(session=Subquery(ranked.values("pk")[:1])).values("session")
    counted = HITLSession.objects.filter(pk__in=sessions).values_list("flow", "step").annotate(number=Count("pk"))
    steps = [WaitingStep(flow, step, number, (flow, step) in changed) for flow, step, number in counted.order_by()]
    return sorted(steps, key=lambda waiting: (not waiting.changes, -waiting.number, waiting.flow, waiting.step))
