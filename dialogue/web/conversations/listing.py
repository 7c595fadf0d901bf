"""The rows of the list of conversations: with the customer's last words, the outcome, and how long it took."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import OuterRef, Subquery

from dialogue.desk.access.people import Person
from dialogue.desk.access.redaction import redact_lines
from dialogue.desk.queue.keyset import MAX_PAGE_ROWS, Page, keyset_page_of_parts
from dialogue.models import Assistant, Conversation, Message
from dialogue.web.conversations.filters import ConversationQuery
from dialogue.web.conversations.words import OUTCOME_LOOKS, outcome_words
from dialogue.web.gates.chat_rows import channel_name
from dialogue.web.shared.scope import conversation_parts, every_conversation
from dialogue.web.shared.times import short_span_text

PAGE_ROWS = 50
MAX_LINE_CHARACTERS = 140


@dataclass(frozen=True)
class ConversationRow:
    """One row. `last_line` is the customer's last message with sensitive values masked, cut to a line's length."""

    conversation: Conversation
    last_line: str

    @property
    def channel(self) -> str:
        return channel_name(self.conversation.channel)

    @property
    def outcome(self) -> str:
        return outcome_words(self.conversation.outcome)

    @property
    def tone(self) -> str:
        return OUTCOME_LOOKS.get(self.conversation.outcome, ("line", ""))[0]

    @property
    def sign(self) -> str:
        return OUTCOME_LOOKS.get(self.conversation.outcome, ("line", ""))[1]

    @property
    def seconds(self) -> int:
        """From the start to the last activity."""
        return max(0, int((self.conversation.active_at - self.conversation.created_at).total_seconds()))

    @property
    def duration(self) -> str:
        return short_span_text(timedelta(seconds=self.seconds)) if self.conversation.last_turn else ""


def conversation_rows(
    query: ConversationQuery, person: Person, assistants: Sequence[Assistant], cursor: str = "", limit: int = PAGE_ROWS
) -> Page[Conversation]:
    """Return one page of the conversations that this person may see and that the filters leave. Raises NotOffered."""
    indexed = query.indexed_conditions(assistants)
    parts = [part & indexed for part in conversation_parts(person)]
    rows = every_conversation()
    conditions = query.scanned_conditions(assistants)
    return keyset_page_of_parts(
        rows, parts, query.order_columns, scan_filter=conditions, cursor=cursor, limit=min(limit, MAX_PAGE_ROWS)
    )


def rows_with_lines(conversations: Sequence[Conversation]) -> list[ConversationRow]:
    """Add the last lines: two queries for all of them together."""
    lines = _last_lines(conversations)
    return [ConversationRow(row, lines.get(str(row.pk), "")) for row in conversations]


def every_row(query: ConversationQuery, person: Person, limit: int) -> Iterator[ConversationRow]:
    """Yield the rows of all pages, at most `limit`."""
    assistants, cursor, count = known_assistants(), "", 0
    while count < limit:
        page = conversation_rows(query, person, assistants, cursor, min(MAX_PAGE_ROWS, limit - count))
        yield from rows_with_lines(page.rows)
        count += len(page.rows)
        if page.next is None:
            return
        cursor = page.next


def known_assistants() -> list[Assistant]:
    """Return the assistants of the menu, by title."""
    rows = Assistant.objects.only("name", "title", "translations")
    return sorted(rows, key=lambda row: (row.translated_title or row.name).casefold())


def _last_lines(conversations: Sequence[Conversation]) -> dict[str, str]:
    """Return the customers' last messages, masked for everybody, by conversation id."""
    rows = {row.pk: row for row in conversations if row.last_message}
    if not rows:
        return {}
    said = Message.objects.filter(conversation=OuterRef("pk"), role=Message.Role.USER).order_by("-seq")
    newest = Conversation.objects.filter(pk__in=rows).order_by().values_list(Subquery(said.values("pk")[:1]))
    lines = list(Message.objects.filter(pk__in=newest).order_by())
    for line in lines:
        line.conversation = rows[line.conversation_id]
    redact_lines(lines)
    return {str(line.conversation_id): " ".join(line.text.split())[:MAX_LINE_CHARACTERS] for line in lines}
