"""Accounts as the users page lists them: filters, roles as words, and a page of rows."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce
from operator import and_, or_
from typing import Any

from django.contrib.auth.models import Group
from django.db.models import Q, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from dialogue.desk.access.token_scopes import ENDS_SOON, SCOPES, scope_names
from dialogue.models import ApiToken
from dialogue.models.account import Account, accounts, name_fields
from dialogue.turns import clock

MAX_SEARCH_CHARACTERS = 100
MAX_SEARCH_WORDS = 5

ROLE_WORDS = {
    "operators": gettext_lazy("Operator"),
    "supervisors": gettext_lazy("Supervisor"),
    "flow authors": gettext_lazy("Flow author"),
    "auditors": gettext_lazy("Auditor"),
    "agent programs": gettext_lazy("Agent program"),
    "sign-in programs": gettext_lazy("Sign-in program"),
    "event programs": gettext_lazy("Event program"),
}
"""The built-in groups as a role, in the order of pages; other groups are named as they are."""
PROGRAM_ROLES = ("agent programs", "sign-in programs", "event programs")
"""The built-in groups of accounts that no person signs in with."""
ROLE_MEANINGS = {
    "operators": gettext_lazy("Answers the gates and chats of their groups."),
    "supervisors": gettext_lazy("Answers every gate, takes over, extends and withdraws, and sees every conversation."),
    "flow authors": gettext_lazy("Writes, tests and publishes flows."),
    "auditors": gettext_lazy("Reads everything masked, exports and verifies the audit, and never decides."),
    "agent programs": gettext_lazy(
        "A program that asks staff to decide for agents of other systems, and never decides."
    ),
    "sign-in programs": gettext_lazy("A program that says who the customer of a conversation is."),
    "event programs": gettext_lazy("A program that reports events to conversations and begins their flows."),
}

CHOICES: dict[str, dict[str, str | Promise]] = {
    "role": {
        "": gettext_lazy("All staff"),
        "operators": ROLE_WORDS["operators"],
        "supervisors": ROLE_WORDS["supervisors"],
        "flow authors": ROLE_WORDS["flow authors"],
        "auditors": ROLE_WORDS["auditors"],
        "agent programs": ROLE_WORDS["agent programs"],
        "sign-in programs": ROLE_WORDS["sign-in programs"],
        "event programs": ROLE_WORDS["event programs"],
        "administrators": gettext_lazy("Administrator"),
        "customers": gettext_lazy("Customer"),
        "everyone": gettext_lazy("Everyone"),
    },
    "state": {
        "": gettext_lazy("Any"),
        "active": gettext_lazy("Active"),
        "inactive": gettext_lazy("Deactivated"),
    },
}
CHIP_TITLES = {"role": gettext_lazy("Role"), "state": gettext_lazy("State")}


@dataclass(frozen=True)
class AccountFilters:
    """The filters of a request; a value that is not offered counts as the first one."""

    role: str = ""
    state: str = ""
    words: str = ""

    @classmethod
    def of_query(cls, query: Mapping[str, Any]) -> "AccountFilters":
        """Read the query of an address."""
        chosen = {name: str(query.get(name, "")) for name in CHOICES}
        known = {name: value if value in CHOICES[name] else "" for name, value in chosen.items()}
        return cls(**known, words=str(query.get("q", "")).replace("\0", "").strip()[:MAX_SEARCH_CHARACTERS])

    @property
    def plain(self) -> dict[str, str]:
        """The filters as they stand in an address, without the search."""
        return {name: getattr(self, name) for name in CHOICES}

    @property
    def is_empty(self) -> bool:
        """Whether the page lists what it lists by default."""
        return not (self.role or self.state or self.words)

    def rows(self) -> QuerySet[Account]:
        """The accounts that fit, with their groups."""
        rows = accounts().filter(_role_condition(self.role)).prefetch_related("groups")
        if self.state:
            rows = rows.filter(is_active=self.state == "active")
        words = self.words.split()[:MAX_SEARCH_WORDS]
        return rows.filter(reduce(and_, map(_word_condition, words), Q()))

    def chips(self) -> list[dict[str, Any]]:
        """One chip a filter, as `filter_chip.html` shows it."""
        return [
            {
                "name": name,
                "title": CHIP_TITLES[name],
                "chosen": choices[getattr(self, name)],
                "is_set": bool(getattr(self, name)),
                "choices": [
                    {"value": value, "label": label, "chosen": value == getattr(self, name)}
                    for value, label in choices.items()
                ],
            }
            for name, choices in CHOICES.items()
        ]


@dataclass(frozen=True)
class TokenRow:
    """A token in the list. `state`: valid, ending (within `ENDS_SOON`), ended, revoked, or closed with its account."""

    token: ApiToken
    state: str
    remaining: timedelta
    scopes: tuple[tuple[str, str], ...]
    """What each scope is called, with its meaning; empty for all that the account may do."""

    @property
    def counts(self) -> bool:
        """Whether programs that send it are let in, so that it can be revoked."""
        return self.state in ("valid", "ending", "closed")


def token_rows(tokens: Iterable[ApiToken]) -> list[TokenRow]:
    """The tokens as the page lists them."""
    now = clock.now()
    return [TokenRow(row, _token_state(row, now), (row.ends_at or now) - now, _scopes_of(row)) for row in tokens]


def _token_state(row: ApiToken, now: datetime) -> str:
    if row.revoked_at is not None:
        return "revoked"
    if row.has_ended(now):
        return "ended"
    if not getattr(row.user, "is_active", True):
        return "closed"
    return "ending" if row.ends_at is not None and row.ends_at - now <= ENDS_SOON else "valid"


def _scopes_of(row: ApiToken) -> tuple[tuple[str, str], ...]:
    scopes = row.scopes or []
    return tuple(zip(scope_names(scopes), (str(SCOPES.get(name, name)) for name in scopes), strict=True))


@dataclass(frozen=True)
class Role:
    """A group that an account has or may get: its name as a word, and what it may.

    `kind` is "person" or "program" for a built-in role, and "group" for any other group.
    """

    number: int
    title: str
    meaning: str
    kind: str

    @property
    def is_built_in(self) -> bool:
        """Whether it is a role of the product, and no group of the project's own."""
        return self.kind != "group"


def role_of(group: Group) -> Role:
    """Return the group as a role."""
    title, meaning = ROLE_WORDS.get(group.name), ROLE_MEANINGS.get(group.name)
    if title is None:
        return Role(group.pk, group.name, "", "group")
    kind = "program" if group.name in PROGRAM_ROLES else "person"
    return Role(group.pk, str(title), str(meaning), kind)


def roles_of(groups: Iterable[Group]) -> list[Role]:
    """The roles of these groups: those of people, those of programs, then other groups by name."""
    places = {name: place for place, name in enumerate(ROLE_WORDS)}
    ordered = sorted(groups, key=lambda group: (places.get(group.name, len(places)), group.name.casefold()))
    return list(map(role_of, ordered))


def _role_condition(role: str) -> Q:
    in_a_group = Q(pk__in=accounts().filter(groups__isnull=False).values("pk"))
    match role:
        case "everyone":
            return Q()
        case "administrators":
            return Q(is_superuser=True)
        case "customers":
            return ~in_a_group & Q(is_superuser=False)
        case "":
            return in_a_group | Q(is_superuser=True)
        case _:
            return Q(pk__in=accounts().filter(groups__name=role).values("pk"))


def _word_condition(word: str) -> Q:
    return reduce(or_, (Q(**{f"{name}__icontains": word}) for name in name_fields()))
