"""What the audit page may be filtered by: a kind of act, the answer to a gate, who acted, since when, and words."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce
from operator import and_, or_
from typing import Any

from django.db.models import Q
from django.utils.functional import Promise
from django.utils.timezone import localtime
from django.utils.translation import gettext_lazy

from dialogue.desk.access.people import Person
from dialogue.turns import clock
from dialogue.web.audit.words import answer_condition, sentence_condition

MAX_SEARCH_CHARACTERS = 100
MAX_SEARCH_WORDS = 8

_ACTS_BY_KIND = {
    "gates": ("session.", "link.", "request."),
    "conversations": ("conversation.", "turn"),
    "publishing": ("flow_", "release_", "document_", "images_", "program_", "reply."),
    "accounts": (
        *("account.", "token.", "signing_secret.", "origin.", "sign_in."),
        *("webhook.", "callback_secret.", "channel."),
    ),
    "record": ("audit.", "conversations.exported", "receipt_key."),
}
"""The beginnings of the acts of each kind."""

_GATE = re.compile(r"@?g[0-9]{1,18}")
_SPANS = {"week": timedelta(days=7), "month": timedelta(days=30)}

CHOICES: dict[str, dict[str, str | Promise]] = {
    "what": {
        "": gettext_lazy("Everything"),
        "gates": gettext_lazy("Gates"),
        "conversations": gettext_lazy("Conversations"),
        "publishing": gettext_lazy("Flows and releases"),
        "accounts": gettext_lazy("Users and tokens"),
        "record": gettext_lazy("Exports and checks"),
    },
    "answer": {
        "": gettext_lazy("Any"),
        "approve": gettext_lazy("Approved"),
        "reject": gettext_lazy("Rejected"),
        "other": gettext_lazy("Another answer"),
    },
    "who": {
        "": gettext_lazy("Anyone"),
        "me": gettext_lazy("Me"),
        "people": gettext_lazy("People"),
        "system": gettext_lazy("Assistants and clock"),
    },
    "when": {
        "": gettext_lazy("Any time"),
        "today": gettext_lazy("Today"),
        "week": gettext_lazy("Last 7 days"),
        "month": gettext_lazy("Last 30 days"),
    },
}
CHIP_TITLES = {
    "what": gettext_lazy("What"),
    "answer": gettext_lazy("Answer"),
    "who": gettext_lazy("Who"),
    "when": gettext_lazy("When"),
}


class FilterNotOffered(ValueError):
    """A value that no filter of the page has."""


@dataclass(frozen=True)
class AuditFilters:
    """The filters of a request; "" where nothing is filtered. `act` is one act, such as `session.submit`."""

    what: str = ""
    answer: str = ""
    who: str = ""
    when: str = ""
    act: str = ""
    words: str = ""

    @classmethod
    def of_query(cls, query: Mapping[str, Any]) -> "AuditFilters":
        """Read the query of an address. Raises FilterNotOffered."""
        chosen = {name: str(query.get(name, "")) for name in CHOICES}
        if any(chosen[name] not in CHOICES[name] for name in CHOICES):
            raise FilterNotOffered(chosen)
        words = str(query.get("q", "")).replace("\0", "").strip()[:MAX_SEARCH_CHARACTERS]
        return cls(**chosen, act=str(query.get("act", "")).replace("\0", "")[:60], words=words)

    @property
    def plain(self) -> dict[str, str]:
        """The filters as they stand in an address, without the search."""
        return {**{name: getattr(self, name) for name in CHOICES}, "act": self.act}

    @property
    def is_empty(self) -> bool:
        """Whether every entry passes."""
        return not (self.what or self.answer or self.who or self.when or self.act or self.words)

    def indexed(self, person: Person) -> Q:
        """The conditions that an index of the table supports: since when, and one's own acts."""
        condition = Q(actor_id=person.id) if self.who == "me" else Q()
        since = self._since()
        return condition & Q(at__gte=since) if since else condition

    def scanned(self) -> Q:
        """The conditions that are tested row by row."""
        condition = Q()
        if self.what:
            condition &= reduce(or_, (Q(act__startswith=start) for start in _ACTS_BY_KIND[self.what]))
        if self.who in ("people", "system"):
            condition &= Q(actor_id__isnull=self.who == "system")
        if self.answer:
            condition &= answer_condition(self.answer)
        if self.act:
            condition &= Q(act=self.act)
        words = self.words.split()[:MAX_SEARCH_WORDS]
        return condition & reduce(and_, map(_word_condition, words), Q())

    def _since(self) -> datetime | None:
        if self.when == "today":
            return localtime(clock.now()).replace(hour=0, minute=0, second=0, microsecond=0)
        return clock.now() - _SPANS[self.when] if self.when else None


def _word_condition(word: str) -> Q:
    """Entries with the word somewhere; those of exactly one gate for its name, so that g3 does not find g30."""
    if _GATE.fullmatch(word.lower()):
        return Q(subject=word.lower().removeprefix("@")) | Q(actor__iexact=word)
    condition = Q(actor__icontains=word) | Q(act__icontains=word) | Q(subject__icontains=word)
    return condition | Q(chain__icontains=word) | sentence_condition(word)
