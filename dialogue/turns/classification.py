"""What a turn and its conversation came to, in one word each, for lists and figures."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from dialogue.models import Conversation, Event, Turn

Outcome, Reading = Conversation.Outcome, Turn.Reading

_NOT_UNDERSTOOD = "cannot_handle"
"""The name of the command and of the response for a message that says nothing that the assistant can do."""
_QUESTIONS_BACK = frozenset({"clarify", "which_option", "confirm_option", "no_match", "which_item", "ask_change"})
"""Responses that ask what a message meant."""
_FAILURES = frozenset({"action_failed", "loop_limit", "error"})
"""Responses that tell the customer that a flow could not go on."""


def turn_reading(record: Mapping[str, Any]) -> str:
    """Return how the typed message of this record was understood; "" for other events and lines to a person.

    A message that a flow answered with "I did not understand" counts as not understood, whatever was proposed.
    """
    if record.get("event") != Event.Kind.MESSAGE or not record.get("path"):
        return Reading.NONE
    said, proposed = _response_names(record), _command_names(record.get("proposed") or ())
    if _NOT_UNDERSTOOD in said or proposed == {_NOT_UNDERSTOOD}:
        return Reading.NOT_UNDERSTOOD
    if "clarify" in proposed or said & _QUESTIONS_BACK:
        return Reading.ASKED_BACK
    return Reading.UNDERSTOOD


def waiting_outcome(kinds: Collection[str]) -> str:
    """Return what a conversation with open tasks of these kinds waits for; "" without any.

    Staff come before the customer: a question to the customer beside an open gate does not close the gate.
    """
    if "handoff" in kinds:
        return Outcome.PERSON
    if "human" in kinds:
        return Outcome.STAFF
    if set(kinds) - {"wait"}:
        return Outcome.CUSTOMER
    return Outcome.EVENT if kinds else Outcome.NONE


def conversation_outcome(before: str, record: Mapping[str, Any], kinds: Collection[str], *, ended: bool) -> str:
    """Return the conversation's outcome after a turn with this record, which left tasks of these kinds open.

    `before` is the outcome before the turn: small talk after a finished flow changes nothing.
    """
    if ended:
        return _ending(before, record)
    if kinds:
        return waiting_outcome(kinds)
    said = _response_names(record)
    if said & _FAILURES:
        return Outcome.FAILED
    if "cancelled" in said:
        return Outcome.CANCELLED
    has_flow_ended = any(change.get("change") == "ended" for change in record.get("stack") or ())
    was_open = before not in (Outcome.NONE, Outcome.FINISHED, Outcome.CANCELLED)
    return Outcome.FINISHED if has_flow_ended or was_open else before


def _ending(before: str, record: Mapping[str, Any]) -> str:
    """A conversation that ends by itself in the middle of something was left; one that is over stays what it was."""
    if record.get("event") == Event.Kind.CANCEL:
        return Outcome.CANCELLED
    is_over = before in (Outcome.NONE, Outcome.FINISHED, Outcome.CANCELLED, Outcome.FAILED)
    return before if is_over else Outcome.LEFT


def _response_names(record: Mapping[str, Any]) -> set[str]:
    """The names of the responses that were said, without what they are about: "ask:iban" is "ask"."""
    return {str(key).partition(":")[0] for key in record.get("messages") or ()}


def _command_names(proposed: Iterable[Any]) -> set[str]:
    return {next(iter(command), "") if isinstance(command, dict) else str(command) for command in proposed}
