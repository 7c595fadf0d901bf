"""The inbox as lists: chats that need or have a person, those that the bot has again, and those that are over."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from dialogue.desk.access.people import Person, visible_sessions
from dialogue.desk.queue.keyset import Page, keyset_page
from dialogue.models import Conversation, HITLSession, Message
from dialogue.models.account import name_matches
from dialogue.turns import clock

PAGE_ROWS = 50
"""Rows of one page of one part."""

Rows = QuerySet[HITLSession]
State = HITLSession.State
OPEN = "open"


@dataclass(frozen=True)
class Section:
    """One list under a heading; `holds(person, now)` is the condition of its chats."""

    name: str
    title: str | Promise
    holds: Callable[[Person, datetime], Q]
    order: tuple[str, ...] = ("waits_since", "number")
    counted: bool = False


@dataclass(frozen=True)
class ChatTab:
    """One view of the inbox and its parts."""

    name: str
    title: str | Promise
    sections: tuple[str, ...]


def _is_mine(person: Person, now: datetime) -> Q:
    return Q(state=State.CLAIMED, assignee=person.id, claimed_until__gt=now)


def _is_waiting(_person: Person, now: datetime) -> Q:
    return HITLSession.undecided() & (Q(state=State.OPEN) | Q(claimed_until__lte=now))


def _is_with_others(person: Person, now: datetime) -> Q:
    return Q(state=State.CLAIMED, claimed_until__gt=now) & ~Q(assignee=person.id)


def _is_with_bot(_person: Person, _now: datetime) -> Q:
    newer = HITLSession.objects.filter(
        conversation=OuterRef("conversation"), kind=HITLSession.Kind.HANDOFF, number__gt=OuterRef("number")
    )
    return Q(state__in=HITLSession.FINAL) & ~Q(conversation__state__in=Conversation.OVER) & ~Q(Exists(newer))


def _is_over(_person: Person, _now: datetime) -> Q:
    return Q(state__in=HITLSession.FINAL, conversation__state__in=Conversation.OVER)


SECTIONS = {
    part.name: part
    for part in (
        Section("mine", _("Yours"), _is_mine),
        Section("waiting", _("Waiting"), _is_waiting, counted=True),
        Section("others", _("Taken by others"), _is_with_others),
        Section("bot", _("The bot has them again"), _is_with_bot, order=("-number",)),
        Section("done", _("Over, newest first"), _is_over, order=("-number",)),
    )
}
TABS = {
    tab.name: tab
    for tab in (
        ChatTab(OPEN, _("Open"), ("mine", "waiting", "others")),
        ChatTab("bot", _("With bot"), ("bot",)),
        ChatTab("done", _("Done"), ("done",)),
    )
}


def visible_chats(person: Person) -> Rows:
    """Return the chats that needed a person and that this one may see, without tests, which are not work."""
    rows = visible_sessions(person).filter(audience=HITLSession.Audience.STAFF, kind=HITLSession.Kind.HANDOFF)
    return rows.filter(conversation__test=False)


def section_page(person: Person, part: Section, search: str = "", after: str = "") -> Page[HITLSession]:
    """Return one page of a section, longest wait first. Raises NotOffered for an unknown cursor."""
    rows = visible_chats(person).filter(part.holds(person, clock.now())).prefetch_related(None)  # no row shows tags
    for word in search.replace("\0", "").split()[:8]:
        rows = rows.filter(_word_condition(word, texts=part.name in TABS[OPEN].sections))
    return keyset_page(rows, part.order, cursor=after, limit=PAGE_ROWS)


def chat_counts(person: Person) -> dict[str, int]:
    """Return `{open, waiting}`: chats that need or have a person, and those of them without one yet."""
    waiting = Count("number", filter=_is_waiting(person, clock.now()))
    rows = visible_chats(person).filter(HITLSession.undecided()).order_by()
    counts: dict[str, int] = rows.aggregate(open=Count("number"), waiting=waiting)
    return counts


def next_chat(person: Person, besides: int = 0) -> HITLSession | None:
    """Return the chat of this person, or without a person, whose customer has waited longest."""
    now = clock.now()
    rows = visible_chats(person).filter(_is_mine(person, now) | _is_waiting(person, now)).exclude(pk=besides)
    return rows.order_by("waits_since", "number").first()


def _word_condition(word: str, *, texts: bool) -> Q:
    """By name, reference and, among the chats that are open, by what was said."""
    condition = Q(conversation__user_ref__icontains=word) | name_matches(word, "conversation__user")
    digits = word.lower().removeprefix("@").removeprefix("g")
    if digits.isascii() and digits.isdigit() and len(digits) < 18:
        condition |= Q(number=int(digits))
    if texts:
        condition |= Q(Exists(Message.objects.filter(conversation=OuterRef("conversation"), text__icontains=word)))
    return condition
