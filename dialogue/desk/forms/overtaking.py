"""Overtaken decisions: before the decision's turn, the customer changed or withdrew what it was about."""

from dataclasses import asdict, dataclass
from typing import Any

from dialogue.desk.forms.sentences import joined
from dialogue.desk.forms.sentences import sentence as _
from dialogue.models import AuditEntry, HITLSession

ACT = "session.overtaken"


@dataclass(frozen=True)
class Overtaking:
    """The slots that changed, the session that asks again ("" while there is none), and a sentence with both."""

    changed: list[str]
    next: str
    text: str

    @property
    def number(self) -> int:
        """The number of the session that asks again; 0 while there is none."""
        return int(self.next.removeprefix("g") or 0)

    def plain(self) -> dict[str, Any]:
        """Return {changed, next, text}; `next` is None while no session asks again."""
        return {**asdict(self), "next": self.next or None}


def overtaking_of(session: HITLSession) -> Overtaking | None:
    """Return what overtook the session's decision; None if it was not overtaken."""
    if session.delivery != HITLSession.Delivery.OVERTAKEN:
        return None
    entry = AuditEntry.objects.filter(subject=session.name, act=ACT).order_by("number").last()
    facts = entry.facts if entry else {}
    changed, next_session = list(facts.get("changed", ())), str(facts.get("next") or _asked_again(session))
    how = str(facts.get("how", ""))
    text = _REASONS.get(how, _changed_sentence)(changed)
    if next_session:
        text = joined((text, " ", _("It is asked again as %s.") % next_session))
    return Overtaking(changed, next_session, text)


def _asked_again(session: HITLSession) -> str:
    """Return the next session of the same step; often the customer confirms the new value before it opens."""
    rows = HITLSession.objects.filter(conversation=session.conversation_id, frame=session.frame, step=session.step)
    again = rows.filter(number__gt=session.number).order_by("number").first()
    return again.name if again else ""


def _changed_sentence(names: list[str]) -> str:
    if not names:
        return _("The customer changed the request meanwhile, so this decision was not carried out.")
    parts = [part for name in names for part in (_(" and "), _("the %s") % name.replace("_", " "))]
    return _("The customer changed %s meanwhile, so this decision was not carried out.") % joined(parts[1:])


def _withdrawn_sentence(_names: list[str]) -> str:
    return _("The customer withdrew the request meanwhile, so this decision was not carried out.")


def _over_sentence(_names: list[str]) -> str:
    return _("The conversation ended meanwhile, so this decision was not carried out.")


_REASONS = {"voided": _changed_sentence, "cancelled": _withdrawn_sentence, "conversation_over": _over_sentence}
