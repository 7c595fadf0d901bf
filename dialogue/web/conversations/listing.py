"""The rows of the list of conversations: with the first and the last words, the outcome and the duration."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from babel.numbers import format_decimal
from django.db.models import OuterRef, Subquery
from django.utils.translation import gettext as _

from dialogue.desk.access.people import Person
from dialogue.desk.access.redaction import redact_lines
from dialogue.desk.queue.bounded import bounded_count
from dialogue.desk.queue.keyset import MAX_PAGE_ROWS, Page, keyset_page_of_parts
from dialogue.models import Assistant, Conversation, HITLSession, Message
from dialogue.turns import clock
from dialogue.web.conversations.filters import ConversationQuery
from dialogue.web.conversations.words import OUTCOME_LOOKS, outcome_words
from dialogue.web.gates.chat_rows import channel_name
from dialogue.web.gates.rows import Outcome as GateOutcome
from dialogue.web.gates.rows import outcome_of
from dialogue.web.shared.scope import conversation_parts, every_conversation
from dialogue.web.shared.times import locale, short_span_text

PAGE_ROWS = 50
MAX_TOTAL = 1_000
"""A longer list is "more than" this many."""
MAX_LINE_CHARACTERS = 140
HANDOFF = "handoff"
"""The key of the line that announces a person; the outcome says the same."""
GATE_COLUMNS = ("state", "handle", "actions", "delivery", "decided_by_id")
"""What the outcome of a gate is made of."""


@dataclass(frozen=True)
class ConversationRow:
    """One row. `first_line` and `last_line` are the customer's first and last message, the latter empty if it is the
    same one; `end_line` is what was said last by anybody. Sensitive values are masked, and each is cut to a line's
    length. `gate` is the newest gate that is over."""

    conversation: Conversation
    first_line: str = ""
    last_line: str = ""
    end_line: str = ""
    gate: HITLSession | None = None

    @property
    def newest_line(self) -> str:
        """The customer's last message, also where it is the only one."""
        return self.last_line or self.first_line

    @property
    def channel(self) -> str:
        return channel_name(self.conversation.channel)

    @property
    def outcome(self) -> str:
        return self._gate_outcome.words if self._gate_outcome else self.conversation_outcome

    @property
    def conversation_outcome(self) -> str:
        """What the whole conversation came to, as the filter has it."""
        return outcome_words(self.conversation.outcome)

    @property
    def tone(self) -> str:
        return self._gate_outcome.tone if self._gate_outcome else self._look[0]

    @property
    def sign(self) -> str:
        return self._gate_outcome.icon if self._gate_outcome else self._look[1]

    @property
    def _look(self) -> tuple[str, str]:
        return OUTCOME_LOOKS.get(self.conversation.outcome, ("line", ""))

    @property
    def _gate_outcome(self) -> GateOutcome | None:
        """How the gate ended, where that is what the conversation came to; None for all others."""
        has_ended = self.conversation.outcome in (Conversation.Outcome.FINISHED, Conversation.Outcome.CANCELLED)
        if self.gate is None or not has_ended:
            return None
        is_cancelled_by_customer = self.gate.state == HITLSession.State.CANCELLED and self.gate.decided_by_id is None
        return None if is_cancelled_by_customer else outcome_of(self.gate)

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
    rows = every_conversation().annotate(**gate_columns())
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
    """Add the lines: two queries for all of them together."""
    lines = _first_and_last_lines(conversations)
    return [ConversationRow(row, *lines.get(row.pk, ("", "", "")), _newest_gate(row)) for row in conversations]


def gate_columns() -> dict[str, Subquery]:
    """The columns of a conversation's newest gate that is over, which `rows_with_lines` needs with the rows."""
    over = HITLSession.objects.filter(
        conversation=OuterRef("pk"),
        kind=HITLSession.Kind.HUMAN,
        audience=HITLSession.Audience.STAFF,
        decided_at__isnull=False,
    )
    newest = over.order_by("-number")
    return {f"gate_{column}": Subquery(newest.values(column)[:1]) for column in GATE_COLUMNS}


def _newest_gate(conversation: Conversation) -> HITLSession | None:
    columns = {column: getattr(conversation, f"gate_{column}") for column in GATE_COLUMNS}
    return HITLSession(**columns) if columns["state"] else None


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


def _first_and_last_lines(conversations: Sequence[Conversation]) -> dict[UUID, tuple[str, str, str]]:
    """Return the customers' first and last messages and the last line of all, masked for everybody, by conversation."""
    rows = {row.pk: row for row in conversations if row.last_message}
    if not rows:
        return {}
    any_line = Message.objects.filter(conversation=OuterRef("pk")).exclude(key=HANDOFF)
    said = any_line.filter(role=Message.Role.USER)
    listed = Conversation.objects.filter(pk__in=rows).order_by()
    ends = ((said, "seq"), (said, "-seq"), (any_line, "-seq"))
    keys = (listed.values_list(Subquery(lines.order_by(order).values("pk")[:1])) for lines, order in ends)
    first, *others = (Message.objects.filter(pk__in=each).order_by() for each in keys)
    lines = list(first.union(*others).order_by("seq"))
    for line in lines:
        line.conversation = rows[line.conversation_id]
    redact_lines(lines)
    found: dict[UUID, list[Message]] = {}
    for line in lines:
        found.setdefault(line.conversation_id, []).append(line)
    return {key: _row_texts(ends) for key, ends in found.items()}


def _row_texts(lines: Sequence[Message]) -> tuple[str, str, str]:
    """Return the texts of the customer's first and last line, the latter empty if it is the same, and of the last."""
    said = [_cut(line.text) for line in lines if line.role == Message.Role.USER]
    last, who = lines[-1], ""
    if last.role == Message.Role.ASSISTANT:
        who = _("Bot")
    elif last.role == Message.Role.OPERATOR:
        who = last.author
    end = _("%(who)s: %(text)s") % {"who": who, "text": _cut(last.text)} if who else _cut(last.text)
    is_new = who or len(said) > 1
    return said[0] if said else "", said[-1] if len(said) > 1 else "", end if is_new else ""


def _cut(text: str) -> str:
    return " ".join(text.split())[:MAX_LINE_CHARACTERS]
