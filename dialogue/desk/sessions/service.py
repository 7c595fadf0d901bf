"""The operations on sessions, for every channel: page, command bar, API, link, terminal and sweep.

Each operation is one conditional update with its audit entry, its inbox event and, for a decision, the conversation's
event, in one transaction. It returns an `Outcome` or raises one of `refusals`; a refused attempt is stored.
"""

from dialogue.desk.access.people import AccountClosed, Caller
from dialogue.desk.forms.forms import InputFormat
from dialogue.desk.forms.refusals import Refused
from dialogue.desk.sessions.claims import (
    CLAIM_LEASE,
    add_note,
    claim,
    extend,
    release,
    return_expired_claims,
    save_draft,
    snooze,
    take_over,
    unsnooze,
)
from dialogue.desk.sessions.decisions import Answer, cancel, expire, expire_due, submit
from dialogue.desk.sessions.field_answers import answer_field
from dialogue.desk.sessions.incidents import abandon_delivery, retry_delivery
from dialogue.desk.sessions.operation import Outcome
from dialogue.desk.sessions.triage import prioritise, set_tags

__all__ = [
    "CLAIM_LEASE",
    "AccountClosed",
    "Answer",
    "Caller",
    "InputFormat",
    "Outcome",
    "Refused",
    "abandon_delivery",
    "add_note",
    "answer_field",
    "cancel",
    "claim",
    "expire",
    "expire_due",
    "extend",
    "prioritise",
    "release",
    "retry_delivery",
    "return_expired_claims",
    "save_draft",
    "set_tags",
    "snooze",
    "submit",
    "take_over",
    "unsnooze",
]
