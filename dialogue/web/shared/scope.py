"""Permission as part of fetching: the conversations that a person may see, from `dialogue.desk.access`."""

from dialogue.desk.access.conversations import (
    conversation_parts,
    every_conversation,
    may_see_tests,
    visible_conversations,
)

__all__ = [
    "conversation_parts",
    "every_conversation",
    "may_see_tests",
    "visible_conversations",
]
