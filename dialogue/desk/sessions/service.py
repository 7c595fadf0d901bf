"""The one door to a session, for every channel: button, command bar, API, link, terminal and sweep.

Each operation is one conditional update with its audit entry, its inbox row and, for a decision, the conversation's
event, in one transaction. It returns an `Outcome` or raises one of `refusals`; a refused attempt is kept.
"""

from dialogue.desk.access.people import AccountClosed, Caller
from dialogue.desk.forms.forms import Manner
from dialogue.desk.forms.refusals import Refused
from dialogue.desk.sessions.claims import (
    LEASE,
    claim,
    extend,
    note,
    release,
    return_claims,
    save_draft,
    snooze,
    take_over,
    unsnooze,
)
from dialogue.desk.sessions.decisions import Answer, cancel, expire, expire_due, submit
from dialogue.desk.sessions.deliveries import abandon, retry
from dialogue.desk.sessions.field_answers import answer_gate
from dialogue.desk.sessions.operation import Outcome
from dialogue.desk.sessions.triage import prioritise, tag

__all__ = [
    "LEASE",
    "AccountClosed",
    "Answer",
    "Caller",
    "Manner",
    "Outcome",
    "Refused",
    "abandon",
    "answer_gate",
    "cancel",
    "claim",
    "expire",
    "expire_due",
    "extend",
    "note",
    "prioritise",
    "release",
    "retry",
    "return_claims",
    "save_draft",
    "snooze",
    "submit",
    "tag",
    "take_over",
    "unsnooze",
]
