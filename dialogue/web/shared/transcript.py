"""Transcripts in pages: the newest lines with the page, older ones when somebody asks for them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.db.models import QuerySet

from dialogue.models import Conversation, Message

MAX_NEWEST_LINES = 200
"""How many lines a page begins with."""
MAX_OLDER_LINES = 100
"""How many more each look back gives."""


@dataclass(frozen=True)
class TranscriptPage:
    """Lines in their order; `older` is the number before which there are more, 0 when these begin the conversation."""

    lines: list[Message]
    older: int


def newest_lines(conversation: Conversation) -> TranscriptPage:
    """The end of the transcript."""
    return _last_lines(Message.objects.filter(conversation=conversation), MAX_NEWEST_LINES)


def lines_before(conversation: Conversation, seq: int) -> TranscriptPage:
    """The lines before this number, the last of them."""
    return _last_lines(Message.objects.filter(conversation=conversation, seq__lt=seq), MAX_OLDER_LINES)


def redact_lines(lines: Iterable[Message], veil: Callable[[str], str]) -> list[Message]:
    """The lines as they are shown to who reads through this veil; nothing of it is saved."""
    redacted = list(lines)
    for line in redacted:
        line.text = veil(line.text)
        line.buttons = [{**button, "label": veil(str(button["label"]))} for button in line.buttons]
    return redacted


def _last_lines(rows: QuerySet[Message], limit: int) -> TranscriptPage:
    lines = list(rows.order_by("-seq")[:limit])[::-1]
    return TranscriptPage(lines, lines[0].seq if lines and lines[0].seq > 1 else 0)
