"""The actions that a session offers, read from its snapshot."""

from collections.abc import Iterable
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from dialogue.engine.language.steps import HumanAction
from dialogue.engine.stack.unknown_outcomes import OUTCOME_ANSWERS
from dialogue.models import HITLSession

REFUSALS = frozenset({"reject", "refuse", "deny", "decline"})
"""The ids of actions that refuse what was asked for, whatever they look like."""

NO_ANSWER = "no_answer"
"""The handle of a request that ends without any answer to the agent of another system that asked."""


def actions_of(session: HITLSession) -> tuple[HumanAction, ...]:
    """Return the session's actions in the order of the flow."""
    return tuple(_read_action(action) for action in session.actions)


def action_of(session: HITLSession, id_or_label: str) -> HumanAction | None:
    """Return the action with this id or label, in upper or lower case; None if there is none."""
    word = id_or_label.strip().casefold()
    return next((action for action in actions_of(session) if word in (action.id, label_of(action).casefold())), None)


def only_action(session: HITLSession) -> HumanAction | None:
    """Return the session's action if it has exactly one."""
    actions = actions_of(session)
    return actions[0] if len(actions) == 1 else None


def agreeing_action(session: HITLSession) -> HumanAction | None:
    """Return the action that approves; None if there is none, or more than one."""
    return _only_one(action for action in actions_of(session) if action.approves)


def refusing_action(session: HITLSession) -> HumanAction | None:
    """Return the action that refuses: the only one that does not approve, or the only one with an id of `REFUSALS`."""
    others = [action for action in actions_of(session) if not action.approves]
    return _only_one(others) or _only_one(action for action in others if action.id in REFUSALS)


def label_of(action: HumanAction) -> str:
    """Return the text of the action's button in the reader's language."""
    return action.label.in_language(get_language() or "")


def label_of_handle(session: HITLSession, handle: str) -> str:
    """Return the label of one of the session's actions, or the handle if the session does not have it."""
    if handle == NO_ANSWER:
        return _("the agent gets no answer")
    action = next((candidate for candidate in actions_of(session) if candidate.id == handle), None)
    return label_of(action) if action else handle


def asks_about_unknown_outcome(session: HITLSession) -> bool:
    """Whether staff are asked if an action happened; `message` is then the error.

    Only such a session has these actions and no deadline: a human step of a flow must have one.
    """
    return session.expires_at is None and {action["id"] for action in session.actions} == OUTCOME_ANSWERS


def _only_one(actions: Iterable[HumanAction]) -> HumanAction | None:
    several = tuple(actions)
    return several[0] if len(several) == 1 else None


def _read_action(action: dict[str, Any]) -> HumanAction:
    words = action.get("label")
    language = next(iter(words)) if isinstance(words, dict) and words else "en"
    return HumanAction.model_validate(action, context={"language": language})
