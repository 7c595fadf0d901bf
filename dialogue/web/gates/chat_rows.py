"""One row of the inbox, for the page and for the live event: who waits, since when, why, and for what."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from babel import Locale, UnknownLocaleError
from django.db.models import Case, F, OuterRef, Subquery, When
from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from dialogue.conf import soni
from dialogue.desk.access.people import Person
from dialogue.desk.access.redaction import redact_lines
from dialogue.desk.chats.chats import CUSTOMER_LEFT, chat_holder
from dialogue.desk.forms.refusals import decider_name
from dialogue.models import HITLSession, Message
from dialogue.models.account import display_name
from dialogue.models.sessions.session import FAR_FUTURE
from dialogue.turns import clock
from dialogue.web.shared.times import locale

MAX_LINE_CHARACTERS = 160
MAX_LINES_BACK = 40
"""How far before the wish for a person the line is looked for that says what the customer came for."""


@dataclass(frozen=True)
class Tag:
    """A label under a row; `tone` is warm, bad, blue or empty."""

    words: str
    tone: str = ""


@dataclass(frozen=True)
class ChatRow:
    """The facts of a row.

    `section` is the part of the inbox that it belongs to while the chat is open: mine, waiting or others; empty
    afterwards. `waits_since` is None when the customer has an answer; after `due` the wait is too long.
    """

    session: HITLSession
    section: str
    customer: str
    last_line: str
    holder: str
    is_mine: bool
    over: bool
    ending: str
    waits_since: datetime | None
    due: datetime | None
    late: bool
    tags: tuple[Tag, ...]


def chat_rows(sessions: Sequence[HITLSession], person: Person) -> list[ChatRow]:
    """Return the rows as this person sees them. Auditors see no lines."""
    lines = {} if reads_redacted_lists(person) else _last_lines(sessions)
    return [chat_row(session, person.id, lines.get(str(session.conversation_id))) for session in sessions]


def reads_redacted_lists(person: Person) -> bool:
    """Return whether lists show this person no messages."""
    return person.is_auditor


def render_chat_row(session: HITLSession, viewer: int | None, *, redacted: bool = False) -> str:
    """Render the row as this account sees it; `redacted` leaves the last message out."""
    line = None if redacted else _last_lines([session]).get(str(session.conversation_id))
    return render_to_string("dialogue/inbox/row.html", {"row": chat_row(session, viewer, line)})


def chat_row(session: HITLSession, viewer: int | None, line: Message | None) -> ChatRow:
    """Return the row of one chat; `line` is what `_last_lines` has of it."""
    holder = chat_holder(session)
    over = session.state in HITLSession.FINAL
    waits_since = None if over or session.waits_since == FAR_FUTURE else session.waits_since
    due = answer_due_at(session) if waits_since else None
    is_mine = holder is not None and holder.pk == viewer
    return ChatRow(
        session=session,
        section=_open_section(over=over, held=holder is not None, is_mine=is_mine),
        customer=session.conversation.customer_name,
        last_line=_line_text(line, is_mine=is_mine),
        holder=display_name(holder) if holder else "",
        is_mine=is_mine,
        over=over,
        ending=ending_text(session) if over else "",
        waits_since=waits_since,
        due=due,
        late=due is not None and due <= clock.now(),
        tags=tuple(_row_tags(session)),
    )


def _open_section(*, over: bool, held: bool, is_mine: bool) -> str:
    if over:
        return ""
    if is_mine:
        return "mine"
    return "others" if held else "waiting"


def answer_due_at(session: HITLSession) -> datetime:
    """Return when the customer should have an answer to their first message since the last answer."""
    first = session.waits_since == session.opened_at
    return session.due_at if first and session.due_at else session.waits_since + soni.ANSWER_WITHIN


def cause_text(session: HITLSession) -> str:
    """Return why a person was asked for, in words."""
    return str(_CAUSES.get(session.cause, (_ASKED, ""))[0])


def ending_text(session: HITLSession) -> str:
    """Return how the chat went back to the bot, in words."""
    if session.reason == CUSTOMER_LEFT:
        return _("the customer went back to the bot")
    if session.state == HITLSession.State.EXPIRED:
        return _("nobody came in time")
    who = decider_name(session)
    if session.state == HITLSession.State.CANCELLED:
        return _("withdrawn by %s") % who if who else _("the conversation ended")
    return _("handed back by %s") % who


def foreign_language_name(language: str) -> str:
    """Return the name of the customer's language, or "" when it is the reader's."""
    reader_language = (get_language() or "en").partition("-")[0]
    return "" if language.partition("-")[0].lower() == reader_language else language_name(language)


def language_name(language: str) -> str:
    """Return the language's name in the reader's language; empty for an unknown code."""
    try:
        return Locale.parse(language.partition("-")[0].lower()).get_display_name(locale()) or ""
    except (UnknownLocaleError, ValueError):
        return ""


def channel_name(channel: str) -> str:
    """Return the name of the channel that the customer uses."""
    return str(_CHANNELS.get(channel, channel))


def _row_tags(session: HITLSession) -> Iterable[Tag]:
    words, tone = _CAUSES.get(session.cause, (_ASKED, ""))
    yield Tag(str(words), tone)
    language = foreign_language_name(session.conversation.language)
    if language:
        yield Tag(_("Speaks %s") % language, "blue")
    if session.conversation.channel != "web":  # the usual one
        yield Tag(channel_name(session.conversation.channel))


def _line_text(line: Message | None, *, is_mine: bool) -> str:
    if line is None:
        return ""
    text = line.text[:MAX_LINE_CHARACTERS]
    if line.role == Message.Role.OPERATOR:
        return _("%(who)s: %(text)s") % {"who": _("You") if is_mine else line.author, "text": text}
    if line.role == Message.Role.ASSISTANT:
        return _("%(who)s: %(text)s") % {"who": _("Bot"), "text": text}
    return text


def _last_lines(sessions: Sequence[HITLSession]) -> dict[str, Message]:
    """Return the line of each chat that tells it from others, redacted, by conversation id.

    That is the last line, but not the one that announces a handoff: every chat of this list has one. Nor is it the
    customer's wish for a person, which the row's label says, where they wrote before what they came for.
    """
    chats = {session.conversation_id for session in sessions}
    if not chats:
        return {}
    newest = Message.objects.filter(conversation__in=chats, seq__gte=F("conversation__last_message") - 1)
    newest = newest.exclude(key="handoff").select_related("conversation__release").order_by("conversation", "seq")
    lines = {row.conversation_id: row for row in newest.annotate(came_for=_text_before())}
    for session in sessions:
        line = lines.get(session.conversation_id)
        if line is not None and line.came_for and _is_wish_for_person(line, session):
            line.text = line.came_for
    redact_lines(list(lines.values()))
    return {str(key): line for key, line in lines.items()}


def _is_wish_for_person(line: Message, session: HITLSession) -> bool:
    """Whether the customer asked for a person with this line."""
    return session.cause not in _CAUSES and line.role == Message.Role.USER and line.at <= session.opened_at


def _text_before() -> Subquery:
    """The customer's newest line before a line, of several words where there is one: not a yes or an amount."""
    several_words = Case(When(text__contains=" ", then=0), default=1)
    said = Message.objects.filter(
        conversation=OuterRef("conversation"),
        role=Message.Role.USER,
        seq__lt=OuterRef("seq"),
        seq__gte=OuterRef("seq") - MAX_LINES_BACK,
    )
    return Subquery(said.order_by(several_words, "-seq").values("text")[:1])


_ASKED = gettext_lazy("Asked for a person")
_CAUSES: dict[str, tuple[str | Promise, str]] = {
    "step": (gettext_lazy("Handoff step"), ""),
    "max_attempts": (gettext_lazy("Not understood"), "warm"),
}
_CHANNELS = {
    "web": gettext_lazy("Web chat"),
    "api": gettext_lazy("Other program"),
    "email": gettext_lazy("E-mail"),
    "telegram": "Telegram",
    "terminal": gettext_lazy("Terminal"),
}
