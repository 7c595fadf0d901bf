"""Figures of conversations: how many there were, how many a person took over, and how many needed no person."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import Exists, OuterRef

from dialogue.desk.figures.periods import Period
from dialogue.models import Conversation, HITLSession

MAX_CONVERSATIONS = 100_000
"""How many of the newest are counted."""


@dataclass(frozen=True)
class BegunConversation:
    """One conversation in which the customer wrote: when it began, and who took part.

    `handed_over`: a person had the chat at least once, whether or not it came back. `asked_staff`: a person was asked
    for anything at all.
    """

    assistant: str
    begun_at: datetime
    outcome: str
    handed_over: bool
    asked_staff: bool

    @property
    def is_contained(self) -> bool:
        """Whether the customer's request ended without anybody's help: finished, or cancelled by the customer."""
        ended = self.outcome in (Conversation.Outcome.FINISHED, Conversation.Outcome.CANCELLED)
        return ended and not self.asked_staff


@dataclass(frozen=True)
class ConversationCounts:
    """Conversations that began in a period, and the shares of those that were handed over or contained, 0 to 1."""

    total: int
    handed_over: int
    contained: int

    @property
    def handoff_rate(self) -> float | None:
        return self.handed_over / self.total if self.total else None

    @property
    def containment_rate(self) -> float | None:
        return self.contained / self.total if self.total else None


def begun_conversations(since: datetime, until: datetime, assistant: str = "") -> list[BegunConversation]:
    """Return the real conversations that began in this time and have a turn; one query."""
    sessions = HITLSession.objects.filter(conversation=OuterRef("pk"), audience=HITLSession.Audience.STAFF)
    rows = Conversation.objects.filter(created_at__gte=since, created_at__lt=until, test=False, last_turn__gt=0)
    if assistant:
        rows = rows.filter(assistant__name=assistant)
    handed_over = Exists(sessions.filter(kind=HITLSession.Kind.HANDOFF))
    columns = ("assistant__name", "created_at", "outcome", "handed_over", "asked_staff")
    facts = rows.annotate(handed_over=handed_over, asked_staff=Exists(sessions)).order_by("-created_at", "-id")
    return [BegunConversation(*row) for row in facts.values_list(*columns)[:MAX_CONVERSATIONS]]


def conversation_counts(conversations: Iterable[BegunConversation]) -> ConversationCounts:
    """Count them."""
    rows = list(conversations)
    return ConversationCounts(len(rows), sum(row.handed_over for row in rows), sum(row.is_contained for row in rows))


def counts_by_day(conversations: Iterable[BegunConversation], period: Period) -> dict[date, ConversationCounts]:
    """Return the counts of every day of the period, by the day on which a conversation began."""
    by_day: dict[date, list[BegunConversation]] = {day: [] for day in period.days}
    for row in conversations:
        by_day.setdefault(period.day_of(row.begun_at), []).append(row)
    return {day: conversation_counts(by_day[day]) for day in period.days}
