"""Scopes of API tokens: the parts of what an account may do to which a token can be limited.

A scope gives no right. The account's rights are asked as always, and a call that its token's scopes do not cover is
refused before.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

CHAT = "chat"
CONVERSATIONS_READ = "conversations:read"
CONVERSATIONS_SIGNAL = "conversations:signal"
CONVERSATIONS_MANAGE = "conversations:manage"
SESSIONS_READ = "sessions:read"
SESSIONS_DECIDE = "sessions:decide"
SESSIONS_SUPERVISE = "sessions:supervise"
REQUESTS = "requests"
FLOWS_READ = "flows:read"
FLOWS_WRITE = "flows:write"
FLOWS_TEST = "flows:test"
FLOWS_PUBLISH = "flows:publish"

SCOPES: dict[str, str | Promise] = {
    CHAT: gettext_lazy("Open conversations, write in them, and read them as their customer does"),
    CONVERSATIONS_READ: gettext_lazy("Those that the account may see, with their turns"),
    CONVERSATIONS_SIGNAL: gettext_lazy("Also begin flows, and write first to customers"),
    CONVERSATIONS_MANAGE: gettext_lazy("Cancel them, and show or hide masked values"),
    SESSIONS_READ: gettext_lazy("With their lists and receipts"),
    SESSIONS_DECIDE: gettext_lazy("Also claim them, write drafts and notes, and answer chats"),
    SESSIONS_SUPERVISE: gettext_lazy("Take over, extend and cancel them, and resend failed deliveries"),
    REQUESTS: gettext_lazy("Those of other agents; also read the answers"),
    FLOWS_READ: gettext_lazy("Also check them, and list releases"),
    FLOWS_WRITE: gettext_lazy("Save new versions of their texts"),
    FLOWS_TEST: gettext_lazy("Open test conversations, and play scenarios"),
    FLOWS_PUBLISH: gettext_lazy("Also activate earlier ones"),
}
"""Every scope with its meaning, in the order of the forms."""

SCOPE_NAMES: dict[str, str | Promise] = {
    CHAT: gettext_lazy("Chat as a customer"),
    CONVERSATIONS_READ: gettext_lazy("Read conversations"),
    CONVERSATIONS_SIGNAL: gettext_lazy("Report events"),
    CONVERSATIONS_MANAGE: gettext_lazy("Manage conversations"),
    SESSIONS_READ: gettext_lazy("Read gates"),
    SESSIONS_DECIDE: gettext_lazy("Decide gates"),
    SESSIONS_SUPERVISE: gettext_lazy("Supervise gates"),
    REQUESTS: gettext_lazy("Send requests"),
    FLOWS_READ: gettext_lazy("Read flows"),
    FLOWS_WRITE: gettext_lazy("Change flows"),
    FLOWS_TEST: gettext_lazy("Test flows"),
    FLOWS_PUBLISH: gettext_lazy("Publish releases"),
}
"""What pages call each scope."""

DEFAULT_DAYS = 90
OFFERED_DAYS = (30, DEFAULT_DAYS, 365)
ENDS_SOON = timedelta(days=14)


class ScopeUnknown(Exception):
    """A scope that does not exist; the message is its name."""


def checked_scopes(names: Iterable[str]) -> list[str]:
    """The scopes in the order of the forms, each once. Raises ScopeUnknown."""
    chosen = set(names)
    for name in sorted(chosen - SCOPES.keys()):
        raise ScopeUnknown(name)
    return [name for name in SCOPES if name in chosen]


def scope_names(scopes: Iterable[str]) -> list[str]:
    """What pages call these scopes; one of another version as it is stored."""
    return [str(SCOPE_NAMES.get(name, name)) for name in scopes]


def end_after(days: int, now: datetime) -> datetime:
    """The end of a token that is created now for so many days."""
    return now + timedelta(days=days)
