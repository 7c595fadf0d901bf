"""Transcripts in pages: the newest lines with the page, older ones on request."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.db.models import QuerySet

from dialogue.engine.ports.message_parts import redacted_parts
from dialogue.models import Conversation, Message

MAX_NEWEST_LINES = 200
"""Lines on a page at first."""
MAX_OLDER_LINES = 100
"""More lines for each request for older ones."""


@dataclass(frozen=True)
class TranscriptPage:
    """Lines in their order; `older` is the number before which there are more, 0 when these begin the conversation."""

    lines: list[Message]
    older: int


def newest_lines(conversation: Conversation) -> TranscriptPage:
    """Return the end of the transcript."""
    return _last_lines(Message.objects.filter(conversation=conversation), MAX_NEWEST_LINES)


def lines_before(conversation: Conversation, seq: int) -> TranscriptPage:
    """Return the last lines before this number."""
    return _last_lines(Message.objects.filter(conversation=conversation, seq__lt=seq), MAX_OLDER_LINES)


def redact_lines(lines: Iterable[Message], redact: Callable[[str], str]) -> list[Message]:
    """Redact texts, parts and button labels of the lines, in memory only."""
    redacted = list(lines)
    for line in redacted:
        line.text = redact(line.text)
        line.buttons = [{**button, "label": redact(str(button["label"]))} for button in line.buttons]
        line.parts = redacted_parts(line.parts, redact)
    return redacted


def _last_lines(rows: QuerySet[Message], limit: int) -> TranscriptPage:
    lines = list(rows.order_by("-seq")[:limit])[::-1]
    return TranscriptPage(lines, lines[0].seq if lines and lines[0].seq > 1 else 0)
