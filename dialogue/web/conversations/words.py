"""Outcomes of conversations in plain words, each with a sign."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from dialogue.models import Conversation

Outcome = Conversation.Outcome

OUTCOME_WORDS: dict[str, str | Promise] = {
    Outcome.STAFF: gettext_lazy("Waiting for staff"),
    Outcome.PERSON: gettext_lazy("With a person"),
    Outcome.CUSTOMER: gettext_lazy("Waiting for the customer"),
    Outcome.EVENT: gettext_lazy("Waiting for an event"),
    Outcome.FINISHED: gettext_lazy("Finished"),
    Outcome.CANCELLED: gettext_lazy("Cancelled"),
    Outcome.LEFT: gettext_lazy("Customer left"),
    Outcome.FAILED: gettext_lazy("Failed"),
}
OUTCOME_LOOKS: dict[str, tuple[str, str]] = {
    Outcome.STAFF: ("warm", "clock"),
    Outcome.PERSON: ("plum", "hand"),
    Outcome.CUSTOMER: ("", "ask"),
    Outcome.EVENT: ("", "clock"),
    Outcome.FINISHED: ("good", "check"),
    Outcome.CANCELLED: ("", "minus"),
    Outcome.LEFT: ("", "minus"),
    Outcome.FAILED: ("bad", "x"),
}
"""The class of the chip and its sign, so that colour is never all that tells outcomes apart."""


def outcome_words(outcome: str) -> str:
    """Return an outcome in the reader's language."""
    return str(OUTCOME_WORDS.get(outcome, gettext_lazy("No flow started")))
