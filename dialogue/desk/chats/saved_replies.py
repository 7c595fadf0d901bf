"""Saved replies: texts that operators send often, their own and shared ones.

Every operator edits their own replies; supervisors edit the shared ones. Each change has an audit entry.
"""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from dialogue.audit import chain
from dialogue.audit.chain import CONSOLE, Act
from dialogue.desk.access.people import DECIDE, SUPERVISE, Person
from dialogue.desk.queue.keyset import Page, keyset_page
from dialogue.models import SavedReply
from dialogue.turns import clock
from dialogue.turns.accept import storable_value

MAX_TITLE_CHARACTERS = 80
MAX_TEXT_CHARACTERS = 4_000
PAGE_ROWS = 50


class ReplyNotFound(Exception):
    """The saved reply does not exist, or belongs to another operator."""


class ReplyRefused(Exception):
    """The reply is not valid; `errors` has a sentence for each wrong field."""

    def __init__(self, wrong: dict[str, str]) -> None:
        super().__init__(" ".join(wrong.values()))
        self.errors = wrong


@dataclass(frozen=True)
class ReplyText:
    """The form of a reply: a title to find it by, the text, and whether all operators share it."""

    title: str
    text: str
    shared: bool = False


def may_have_replies(person: Person) -> bool:
    """Whether this person has saved replies at all."""
    return person.has(DECIDE) and not person.is_auditor


def may_share(person: Person) -> bool:
    """Whether this person keeps the replies that everybody has."""
    return may_have_replies(person) and person.has(SUPERVISE)


def replies_of(person: Person, search: str = "", cursor: str = "") -> Page[SavedReply]:
    """Return the person's own and the shared replies, by title. Raises NotOffered for an unknown cursor."""
    rows = _visible_replies(person)
    for word in search.replace("\0", "").split()[:8]:
        rows = rows.filter(Q(title__icontains=word) | Q(text__icontains=word))
    return keyset_page(rows, ("title", "id"), cursor=cursor, limit=PAGE_ROWS)


def reply_of(person: Person, number: int) -> SavedReply:
    """Return a reply that this person may use. Raises ReplyNotFound."""
    reply = _visible_replies(person).filter(pk=number).first()
    if reply is None:
        raise ReplyNotFound(number)
    return reply


def may_change(person: Person, reply: SavedReply) -> bool:
    """One's own, and for supervisors the shared ones."""
    return reply.owner_id == person.id or (reply.owner_id is None and may_share(person))


@transaction.atomic
def save_reply(person: Person, reply_text: ReplyText, number: int | None = None) -> SavedReply:
    """Store a new reply, or change an existing one. Raises ReplyRefused, ReplyNotFound."""
    row = SavedReply() if number is None else _locked_reply(person, number)
    reply_text = _check_reply(person, reply_text)
    row.owner_id = None if reply_text.shared else person.id
    row.title, row.text = reply_text.title, reply_text.text
    row.changed_by_id, row.changed_at = person.id, clock.now()
    row.save()
    _record_act("reply.saved", person, row)
    return row


@transaction.atomic
def delete_reply(person: Person, number: int) -> None:
    """Delete a reply. Raises ReplyNotFound."""
    row = _locked_reply(person, number)
    _record_act("reply.deleted", person, row)
    row.delete()


def _visible_replies(person: Person) -> QuerySet[SavedReply]:
    return SavedReply.objects.filter(Q(owner__isnull=True) | Q(owner=person.id)).select_related("changed_by")


def _locked_reply(person: Person, number: int) -> SavedReply:
    row = SavedReply.objects.select_for_update().filter(pk=number).first()
    if row is None or not may_change(person, row):
        raise ReplyNotFound(number)
    return row


def _check_reply(person: Person, reply_text: ReplyText) -> ReplyText:
    title, text = str(storable_value(reply_text.title)).strip(), str(storable_value(reply_text.text)).strip()
    wrong: dict[str, str] = {}
    if not 0 < len(title) <= MAX_TITLE_CHARACTERS:
        wrong["title"] = _("Give it a title of 1 to %s characters, to find it by.") % MAX_TITLE_CHARACTERS
    if not 0 < len(text) <= MAX_TEXT_CHARACTERS:
        wrong["text"] = _("Write between 1 and %s characters.") % f"{MAX_TEXT_CHARACTERS:,}"
    if reply_text.shared and not may_share(person):
        wrong["shared"] = _("Shared replies are kept by supervisors.")
    if wrong:
        raise ReplyRefused(wrong)
    return ReplyText(" ".join(title.split()), text, reply_text.shared)


def _record_act(act: str, person: Person, row: SavedReply) -> None:
    facts = {"shared": row.owner_id is None}
    detail = {"title": row.title, "text": row.text}
    chain.record(CONSOLE, [Act(act, person.name, person.id, f"reply {row.pk}", facts, detail)], clock.now())
