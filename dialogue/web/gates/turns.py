"""The turns that a gate's page speaks of: read once, and of a long conversation no more than a page can show."""

from django.db.models import QuerySet

from dialogue.models import HITLSession, Turn

MOST = 200
"""Turns that are read on the way to a gate, and as many of what came after its decision."""


def turns_of(session: HITLSession) -> list[Turn]:
    """The turns since this run of the flow began, oldest first: their numbers, records and times."""
    rows = Turn.objects.filter(conversation=session.conversation_id).only("number", "record", "finished_at")
    if session.decided_at is None:
        return _since_begun(_newest(rows), session.frame)
    later = rows.filter(finished_at__gt=session.decided_at).order_by("number")
    return [*_since_begun(_newest(rows.filter(finished_at__lte=session.decided_at)), session.frame), *later[:MOST]]


def _newest(rows: QuerySet[Turn]) -> list[Turn]:
    return list(rows.order_by("-number")[:MOST])[::-1]


def _since_begun(turns: list[Turn], frame: str) -> list[Turn]:
    """From the turn on that began the frame; all, when that was longer ago."""
    begun = [at for at, turn in enumerate(turns) if _began(turn, frame)]
    return turns[begun[-1] :] if begun else turns


def _began(turn: Turn, frame: str) -> bool:
    return any(each.get("change") == "started" and each.get("frame") == frame for each in turn.record.get("stack", ()))
