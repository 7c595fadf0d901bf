"""Refusals of operations: one exception for each reason, with the HTTP status and the code for all channels.

409: another person decided or holds it, and the text names them. 410: the gate ended without an answer. 422: a value
is wrong, and the gate stays as it was. 403: the person may not do it. 404: the person may not know of it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.utils.translation import gettext_noop

from dialogue.desk.forms import choices
from dialogue.desk.forms.overtaking import overtaking_of
from dialogue.desk.forms.sentences import Sentence, at_moment, clock_time, joined
from dialogue.desk.forms.sentences import sentence as _
from dialogue.models import HITLSession
from dialogue.models.account import display_name

MomentWords = Callable[[datetime | None], str]
"""Writes a moment for the reader of a refusal; empty for None."""


@dataclass(frozen=True)
class WrongField:
    """One refused value: its field, the rule it broke, the sentence, and what was sent, as text.

    `secret`: the field is sensitive, so the value must not be stored.
    """

    name: str
    reference: str
    rule: str
    message: str
    value: str
    secret: bool = False

    def plain(self) -> dict[str, str]:
        # "gate" is the API's key for the reference.
        return {
            "name": self.name,
            "gate": self.reference,
            "rule": self.rule,
            "message": self.message,
            "value": self.value,
        }


def sentence_of_fields(wrong: Sequence[WrongField]) -> Sentence:
    """Return what a terminal prints of wrong fields: each with its reference and its sentence."""
    parts = [part for field in wrong for part in (" ", f"{field.reference or field.name}: ", field.message)]
    return joined(parts[1:])


class LineRefused(ValueError):
    """A line of the command bar that cannot be parsed; the text says what to write instead."""


class Refused(Exception):
    """A refused operation. Nothing has changed, but the attempt is stored."""

    status = 409
    code = "refused"

    def __init__(
        self,
        detail: str,
        *,
        session: HITLSession | None = None,
        fields: tuple[WrongField, ...] = (),
        draft: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.session = session
        self.fields = fields
        self.draft = draft

    @property
    def on_record(self) -> str:
        """The sentence as it is stored: without what was typed into a sensitive field."""
        if not any(field.secret for field in self.fields):
            return self.detail
        masked = [replace(field, message=field.rule) if field.secret else field for field in self.fields]
        return sentence_of_fields(masked)

    def plain(self) -> dict[str, Any]:
        """Return {code, detail, fields}, with `current` for a known session and `draft` for a stored draft."""
        plain: dict[str, Any] = {"code": self.code, "detail": self.detail}
        plain["fields"] = [field.plain() for field in self.fields]
        if self.session is not None:
            plain["current"] = session_facts(self.session)
        if self.draft is not None:
            plain["draft"] = self.draft
        return plain


class SessionNotFound(Refused):
    status, code = 404, "not_found"

    def __init__(self, number: int) -> None:
        super().__init__(_("There is no gate g%(number)s.") % {"number": number})


class NotAllowed(Refused):
    status, code = 403, "not_allowed"


class NotClaimHolder(Refused):
    status, code = 403, "not_claim_holder"


class FourEyes(Refused):
    status, code = 403, "four_eyes"


class AlreadySubmitted(Refused):
    code = "already_submitted"


class ClaimedByOther(Refused):
    code = "claimed_by_other"


class ClaimRequired(Refused):
    code = "claim_required"


class NotClaimed(Refused):
    code = "not_claimed"


class StaleVersion(Refused):
    code = "stale_version"


class NotDecided(Refused):
    code = "not_decided"


class NotInIncident(Refused):
    code = "not_in_incident"


class GateExpired(Refused):
    status, code = 410, "gate_expired"


class GateCancelled(Refused):
    status, code = 410, "gate_cancelled"


class InvalidValue(Refused):
    status, code = 422, "invalid_value"


class UnknownAction(Refused):
    status, code = 422, "unknown_action"


class ReasonRequired(Refused):
    status, code = 422, "reason_required"


class KeyReused(Refused):
    status, code = 422, "idempotency_key_reused"


class RowChanged(Exception):
    """The row changed between reading and writing; the operation starts again."""


def session_facts(session: HITLSession) -> dict[str, Any]:
    """Return what a refused caller may know of the session: {state, version, decided_by, decided_at}."""
    return {
        "state": session.state,
        "version": session.version,
        "decided_by": decider_name(session) or None,
        "decided_at": session.decided_at.isoformat() if session.decided_at else None,
    }


def decider_name(session: HITLSession) -> str:
    """Return the name of the person who decided; "" if it is undecided, or the deadline decided."""
    if session.decided_by is not None:
        return display_name(session.decided_by)
    return session.decided_as


def already_submitted(session: HITLSession, moment_words: MomentWords = clock_time) -> AlreadySubmitted:
    """Return the refusal that names the decision, and what overtook it."""
    overtaking = overtaking_of(session)
    detail = decision_sentence(session, moment_words)
    return AlreadySubmitted(joined((detail, ". ", overtaking.text)) if overtaking else detail, session=session)


def decision_sentence(session: HITLSession, moment_words: MomentWords = clock_time) -> str:
    """Return who decided what and when: "Olga Petrov approved at 14:17"."""
    who, moment = decider_name(session) or _("Somebody"), at_moment(moment_words(session.decided_at))
    if done := past_of_action(session.handle):
        return _("%(who)s %(done)s %(moment)s") % {"who": who, "done": done, "moment": moment}
    label = choices.label_of_handle(session, session.handle)
    return _("%(who)s answered “%(label)s” %(moment)s") % {"who": who, "label": label, "moment": moment}


def past_of_action(action_id: str) -> str:
    """Return what a person did who took this action, such as "approved"; "" for an action with a name of its own."""
    return str(_(_PAST[action_id])) if action_id in _PAST else ""


_PAST = {
    "approve": gettext_noop("approved"),
    "accept": gettext_noop("accepted"),
    "agree": gettext_noop("agreed"),
    "allow": gettext_noop("allowed"),
    "confirm": gettext_noop("confirmed"),
    "decline": gettext_noop("declined"),
    "deny": gettext_noop("denied"),
    "refuse": gettext_noop("refused"),
    "reject": gettext_noop("rejected"),
    "release": gettext_noop("released"),
}


def gate_expired(session: HITLSession, moment_words: MomentWords = clock_time) -> GateExpired:
    """Return the refusal of an expired gate; the sweep may not have expired it yet."""
    when = moment_words(session.decided_at or session.expires_at)
    facts = {"gate": session.name, "when": when, "moment": at_moment(when)}
    if session.state != HITLSession.State.EXPIRED:
        return GateExpired(_("The deadline of %(gate)s was %(when)s.") % facts, session=session)
    if session.decided_by is not None:
        who = {**facts, "who": decider_name(session)}
        return GateExpired(_("%(who)s let %(gate)s expire %(moment)s.") % who, session=session)
    if not session.on_timeout:
        return GateExpired(_("%(gate)s expired %(moment)s.") % facts, session=session)
    sent = {**facts, "label": choices.label_of_handle(session, session.on_timeout)}
    return GateExpired(_("%(gate)s expired %(moment)s; “%(label)s” was sent instead.") % sent, session=session)


def gate_cancelled(session: HITLSession, moment_words: MomentWords = clock_time) -> GateCancelled:
    """Return the refusal of a cancelled gate, with the person who cancelled it."""
    facts = {"gate": session.name, "moment": at_moment(moment_words(session.decided_at)), "who": decider_name(session)}
    if session.reason == "customer_left":
        return GateCancelled(
            _("%(who)s did not want to wait and went back to the bot %(moment)s.") % facts, session=session
        )
    if session.decided_by is None:
        return GateCancelled(_("%(gate)s was withdrawn %(moment)s.") % facts, session=session)
    return GateCancelled(_("%(who)s cancelled %(gate)s %(moment)s.") % facts, session=session)


def conversation_over(number: int) -> GateCancelled:
    """Return the refusal of an operation in a conversation that has ended, whatever state its session has."""
    session = HITLSession.objects.filter(pk=number).first()
    return GateCancelled(_("This conversation has ended."), session=session)


def claimed_by_other(session: HITLSession) -> ClaimedByOther:
    """Return the refusal that names the holder and the end of the claim."""
    who = display_name(session.assignee) if session.assignee else _("Somebody")
    facts = {"who": who, "gate": session.name, "when": clock_time(session.claimed_until)}
    return ClaimedByOther(_("%(who)s has %(gate)s until %(when)s.") % facts, session=session)


def key_reused(session: HITLSession) -> KeyReused:
    """Return the refusal of a known idempotency key with another body."""
    return KeyReused(_("This idempotency key was used before, with another answer."), session=session)


def stale_version(session: HITLSession, version: int) -> StaleVersion:
    facts = {"gate": session.name, "now": session.version, "seen": version}
    return StaleVersion(_("%(gate)s has changed: it is at version %(now)s, you saw %(seen)s.") % facts, session=session)
