"""Drafts: what was typed into a session's form and not sent, and the fields that were answered one at a time.

`Draft.values` is {"values": {field: as typed}, "action": chosen, "gates": {field: {"value": stored, "at": when}}};
`of` names the person who typed it, for a draft that was passed on.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from dialogue.models import Draft, HITLSession
from dialogue.models.account import Account, display_name
from dialogue.turns.accept import storable_value


@dataclass(frozen=True)
class DraftText:
    """One person's draft: the values as typed and the chosen action; `author` typed it before it was passed on."""

    values: Mapping[str, Any] = field(default_factory=dict)
    action: str = ""
    author: str = ""

    def plain(self) -> dict[str, Any]:
        """Return {values, action}, and `of` for a draft that was passed on."""
        author = {"of": self.author} if self.author else {}
        return {"values": dict(self.values), "action": self.action, **author}

    @property
    def is_empty(self) -> bool:
        return not self.action and not any(self.values.values())


def draft_of(session: HITLSession, person: int) -> DraftText:
    """Return this person's unsent draft; an empty one if there is none."""
    stored = _stored_draft(session, person)
    return DraftText(stored.get("values", {}), stored.get("action", ""), stored.get("of", ""))


def store_draft(session: HITLSession, person: int, text: DraftText, at: datetime) -> None:
    """Store what was typed; the field answers stored so far stay."""
    typed = {"values": storable_value(dict(text.values)), "action": storable_value(text.action), "of": text.author}
    _update_draft(session, person, typed, at)


def pass_on_draft(session: HITLSession, old_holder: Account | None, new_holder: int, at: datetime) -> None:
    """Copy the old holder's unsent draft to the new holder, unless the new holder has a draft."""
    if old_holder is None or old_holder.pk == new_holder:
        return
    draft = draft_of(session, old_holder.pk)
    if not draft.is_empty and draft_of(session, new_holder).is_empty:
        store_draft(session, new_holder, replace(draft, author=display_name(old_holder)), at)


def store_answer(session: HITLSession, person: int, name: str, value: Any, at: datetime) -> None:
    """Store one field's validated answer."""
    gates = _stored_draft(session, person).get("gates", {})
    _update_draft(session, person, {"gates": {**gates, name: {"value": value, "at": at.isoformat()}}}, at)


def answers_of(session: HITLSession) -> dict[str, Any]:
    """Return the fields answered one at a time, by any person: {field: stored value}, the newest answer of each."""
    newest: dict[str, tuple[str, Any]] = {}
    for stored in Draft.objects.filter(session=session).values_list("values", flat=True):
        for name, answer in stored.get("gates", {}).items():
            if name not in newest or answer["at"] >= newest[name][0]:
                newest[name] = (answer["at"], answer["value"])
    return {name: value for name, (_at, value) in newest.items()}


def delete_draft(session: HITLSession, person: int) -> None:
    """Delete this person's draft, because it was sent."""
    Draft.objects.filter(session=session, by_id=person).delete()


def _stored_draft(session: HITLSession, person: int) -> dict[str, Any]:
    return Draft.objects.filter(session=session, by_id=person).values_list("values", flat=True).first() or {}


def _update_draft(session: HITLSession, person: int, part: dict[str, Any], at: datetime) -> None:
    values = {**_stored_draft(session, person), **part}
    Draft.objects.update_or_create(session=session, by_id=person, defaults={"values": values, "saved_at": at})
