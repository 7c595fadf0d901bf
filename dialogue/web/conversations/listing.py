"""The rows of the list of conversations: with the customer's first and last words, the outcome and the duration."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from babel.numbers import format_decimal
from django.db.models import OuterRef, Subquery

from dialogue.desk.access.people import Person
from dialogue.desk.access.redaction import redact_lines
from dialogue.desk.queue.bounded import bounded_count
from dialogue.desk.queue.keyset import MAX_PAGE_ROWS, Page, keyset_page_of_parts
from dialogue.models import Assistant, Conversation, Message
from dialogue.turns import clock
from dialogue.web.conversations.filters import ConversationQuery
from dialogue.web.conversations.words import OUTCOME_LOOKS, outcome_words
from dialogue.web.gates.chat_rows import channel_name
from dialogue.web.shared.scope import conversation_parts, every_conversation
from dialogue.web.shared.times import locale, short_span_text

PAGE_ROWS = 50
MAX_TOTAL = 1_000
"""A longer list is "more than" this many."""
MAX_LINE_CHARACTERS = 140


@dataclass(frozen=True)
class ConversationRow:
    """One row. `first_line` and `last_line` are the customer's first and last message, the latter empty if it is the
    same one; sensitive values are masked, and each is cut to a line's length."""

    conversation: Conversation
    first_line: str = ""
    last_line: str = ""

    @property
    def newest_line(self) -> str:
        """The customer's last message, also where it is the only one."""
        return self.last_line or self.first_line

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
        """How long it took until its last activity, or so far where staff are waited for; "" before the first turn."""
        if not self.conversation.last_turn:
            return ""
        if self.conversation.outcome in (Conversation.Outcome.STAFF, Conversation.Outcome.PERSON):
            return short_span_text(max(clock.now(), self.conversation.active_at) - self.conversation.created_at)
        return short_span_text(timedelta(seconds=self.seconds))


def conversation_rows(
    query: ConversationQuery, person: Person, assistants: Sequence[Assistant], cursor: str = "", limit: int = PAGE_ROWS
) -> Page[Conversation]:
    """Return one page of the conversations that this person may see and that the filters leave. Raises NotOffered.

    Where an index answers all filters, the rows have the `total` of all pages, at most `MAX_TOTAL` + 1.
    """
    indexed = query.indexed_conditions(assistants)
    parts = [part & indexed for part in conversation_parts(person)]
    rows = every_conversation()
    conditions = query.scanned_conditions(assistants)
    if not conditions:
        rows = rows.annotate(total=bounded_count([Conversation.objects.filter(part) for part in parts], MAX_TOTAL + 1))
    return keyset_page_of_parts(
        rows, parts, query.order_columns, scan_filter=conditions, cursor=cursor, limit=min(limit, MAX_PAGE_ROWS)
    )


@dataclass(frozen=True)
class Place:
    """Which rows of the list a page has, counted from 1; `total` of all pages is None where it was not counted."""

    first: int
    last: int
    total: int | None

    @property
    def is_beyond_count(self) -> bool:
        return self.total is not None and self.total > MAX_TOTAL

    @property
    def max_total(self) -> str:
        return format_decimal(MAX_TOTAL, locale=locale())


def place_of(page: Page[Conversation], first: str, *, is_first: bool) -> Place | None:
    """Return the place of a page with rows; `first` is the number of its first row as the address has it."""
    if not page.rows:
        return None
    is_number = first.isascii() and first.isdigit() and len(first) < 10
    number = int(first) if is_number and not is_first else 1
    last = number + len(page.rows) - 1
    total = last if page.next is None else getattr(page.rows[0], "total", None)
    return Place(number, last, total)


def rows_with_lines(conversations: Sequence[Conversation]) -> list[ConversationRow]:
    """Add the first and last lines: two queries for all of them together."""
    lines = _first_and_last_lines(conversations)
    return [ConversationRow(row, *lines.get(row.pk, ("", ""))) for row in conversations]


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


def _first_and_last_lines(conversations: Sequence[Conversation]) -> dict[UUID, tuple[str, str]]:
    """Return the customers' first and last messages, masked for everybody, by conversation id."""
    rows = {row.pk: row for row in conversations if row.last_message}
    if not rows:
        return {}
    said = Message.objects.filter(conversation=OuterRef("pk"), role=Message.Role.USER)
    listed = Conversation.objects.filter(pk__in=rows).order_by()
    ends = (listed.values_list(Subquery(said.order_by(order).values("pk")[:1])) for order in ("seq", "-seq"))
    first, last = (Message.objects.filter(pk__in=keys).order_by() for keys in ends)
    lines = list(first.union(last).order_by("seq"))
    for line in lines:
        line.conversation = rows[line.conversation_id]
    redact_lines(lines)
    texts: dict[UUID, list[str]] = {}
    for line in lines:
        texts.setdefault(line.conversation_id, []).append(" ".join(line.text.split())[:MAX_LINE_CHARACTERS])
    return {key: (found[0], found[-1] if len(found) > 1 else "") for key, found in texts.items()}
