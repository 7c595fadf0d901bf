"""The filters and orders of the list of conversations: read from the address, applied to the rows, shown as chips."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime, time, timedelta
from functools import reduce
from operator import and_
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import BooleanField, Exists, F, Func, OuterRef, Q
from django.utils.functional import Promise
from django.utils.timezone import get_current_timezone, localdate
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from dialogue.models import Assistant, Conversation, HITLSession
from dialogue.models.account import name_matches
from dialogue.turns import clock
from dialogue.web.conversations.words import OUTCOME_WORDS
from dialogue.web.gates.chat_rows import channel_name
from dialogue.web.shared.filter_chips import Chip, Option

Choices = Iterable[tuple[str, str | Promise]]

MAX_FILTER_CHARACTERS = 100
MAX_SEARCH_WORDS = 8
STATES: dict[str, str | Promise] = {"open": gettext_lazy("Open"), "ended": gettext_lazy("Ended")}
PERIODS: dict[str, str | Promise] = {
    "1": gettext_lazy("Today"),
    "7": gettext_lazy("Last 7 days"),
    "30": gettext_lazy("Last 30 days"),
    "90": gettext_lazy("Last 90 days"),
}
"""Days that end today, in the reader's zone."""
ORDERS: dict[str, tuple[str | Promise, tuple[str, str]]] = {
    "": (gettext_lazy("Last activity, newest first"), ("-active_at", "-id")),
    "oldest": (gettext_lazy("Last activity, oldest first"), ("active_at", "id")),
    "begun": (gettext_lazy("Start, newest first"), ("-created_at", "-id")),
}
"""The orders that an index has, by name: words and columns."""

TESTS: dict[str, str | Promise] = {
    "": gettext_lazy("Customers"),
    "only": pgettext_lazy("conversations", "Tests"),
    "too": pgettext_lazy("conversations", "All"),
}
"""Authors' tests among the rows: without them, only them, or both."""


@dataclass(frozen=True)
class ConversationQuery:
    """The list with its search and filters; all empty: the list as it opens, with customers' conversations only.

    Dates are ISO 8601, `gate` is "yes", `tests` a key of `TESTS`.
    """

    q: str = ""
    assistant: str = ""
    state: str = ""
    outcome: str = ""
    channel: str = ""
    days: str = ""
    since: str = ""
    until: str = ""
    gate: str = ""
    unclear: str = ""
    order: str = ""
    tests: str = ""

    @classmethod
    def read(cls, values: Mapping[str, str]) -> "ConversationQuery":
        """Read from an address, a form or a saved view; values that do not exist are left out."""
        texts = {
            name: str(values.get(name, "")).replace("\0", "").strip()[:MAX_FILTER_CHARACTERS]
            for name in cls.__dataclass_fields__
        }
        known: dict[str, Mapping[str, object]] = {
            "state": STATES,
            "outcome": OUTCOME_WORDS,
            "days": PERIODS,
            "order": ORDERS,
            "tests": TESTS,
        }
        texts |= {name: texts[name] if texts[name] in choices else "" for name, choices in known.items()}
        texts |= {name: "yes" if texts[name] else "" for name in ("gate", "unclear")}
        texts |= {name: texts[name] if _day_of(texts[name]) else "" for name in ("since", "until")}
        if texts["since"] or texts["until"]:
            texts["days"] = ""
        if texts["channel"] == "test" and not texts["tests"]:
            texts["tests"] = "only"  # addresses and views from before the tests had a filter of their own
        return cls(**texts)

    def plain(self) -> dict[str, str]:
        """Return the filters that are not empty, by name; this is what a saved view stores."""
        return {name: text for name, text in asdict(self).items() if text}

    def query_string(self, **changes: str) -> str:
        """Return the query string of the page with these filters."""
        return urlencode(replace(self, **changes).plain())

    @property
    def order_columns(self) -> tuple[str, str]:
        return ORDERS[self.order][1]

    @property
    def is_filtered(self) -> bool:
        """Whether a filter is set that "Clear filters" takes away; whose conversations they are is no such filter."""
        return bool(replace(self, order="", tests="").plain())

    def indexed_conditions(self, assistants: Iterable[Assistant]) -> Q:
        """Return what an index answers in the list's order: tests, days, and the filter that leaves the fewest rows."""
        condition = self._days_condition() & self._tests_condition()
        if self.order:
            return condition
        if self.outcome:
            return condition & Q(outcome=self.outcome)
        if self.unclear:
            return condition & Q(_IS_UNCLEAR)
        return condition & self._of_assistant(assistants)

    def scanned_conditions(self, assistants: Iterable[Assistant]) -> Q:
        """Return all conditions but the days; those that an index answers too cost nothing more."""
        conditions = [self._of_assistant(assistants), *map(_word_condition, self.q.split()[:MAX_SEARCH_WORDS])]
        if self.outcome:
            conditions.append(Q(outcome=self.outcome))
        if self.unclear:
            conditions.append(Q(_IS_UNCLEAR))
        if self.state:
            is_over = Q(state__in=Conversation.OVER)
            conditions.append(is_over if self.state == "ended" else ~is_over)
        if self.channel:
            conditions.append(Q(channel=self.channel))
        if self.gate:
            conditions.append(_HAS_GATE)
        return reduce(and_, conditions, Q())

    def _of_assistant(self, assistants: Iterable[Assistant]) -> Q:
        if not self.assistant:
            return Q()
        key = next((row.pk for row in assistants if row.name == self.assistant), None)
        return Q(assistant_id=key) if key else Q(pk__in=[])

    def _tests_condition(self) -> Q:
        """Tests or customers. A search for an id finds that conversation wherever it is."""
        if self.tests == "too" or _id_of(self.q):
            return Q()
        return Q(test=self.tests == "only")

    def _days_condition(self) -> Q:
        """The days of the column that the list is sorted by, in the reader's zone."""
        column, condition = self.order_columns[0].removeprefix("-"), Q()
        first, last = _day_of(self.since), _day_of(self.until)
        if self.days:
            first = localdate(clock.now()) - timedelta(days=int(self.days) - 1)
        if first:
            condition &= Q(**{f"{column}__gte": _midnight(first)})
        return condition & Q(**{f"{column}__lt": _midnight(last + timedelta(days=1))}) if last else condition


_DATES_FORM = "dialogue/conversations/dates_form.html"
_BEGINNING_OF_ID = re.compile("[0-9a-f]{8}")
_OWN_CHANNELS = ("web", "api", "test", "terminal")
_IS_UNCLEAR = Func(F("unclear_turns"), template="%(expressions)s > 0", output_field=BooleanField())
"""Written out and not bound, so that SQLite recognises the condition of the partial index."""
_HAS_GATE = Q(
    Exists(HITLSession.objects.filter(conversation=OuterRef("pk"), audience="staff", kind=HITLSession.Kind.HUMAN))
)


def _word_condition(word: str) -> Q:
    condition = Q(user_ref__icontains=word) | name_matches(word, "user") | Q(state=word.lower())
    condition |= Q(assistant__name__icontains=word) | Q(assistant__title__icontains=word)
    if _BEGINNING_OF_ID.fullmatch(word.lower()):  # as the rows show it
        condition |= Q(pk__gte=UUID(word + "0" * 24), pk__lte=UUID(word + "f" * 24))
    key = _id_of(word)
    return condition | Q(pk=key) if key else condition


def _id_of(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _day_of(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), get_current_timezone())


def chips_of(query: ConversationQuery, assistants: Iterable[Assistant], channels: Iterable[str]) -> list[Chip]:
    """Build the chips above the list. `channels`: those of the rows, which may be a project's own."""
    titles = [(row.name, row.translated_title or row.name) for row in assistants]
    names = sorted({*_OWN_CHANNELS, *channels, *filter(None, [query.channel])}, key=channel_name)
    return [
        _chip(query, "assistant", _("Assistant"), titles),
        _chip(query, "outcome", _("Outcome"), OUTCOME_WORDS.items()),
        _chip(query, "state", _("State"), STATES.items()),
        _chip(query, "channel", _("Channel"), [(name, channel_name(name)) for name in names]),
        _days_chip(query),
        _switch(query, "gate", _("Has a gate")),
        _switch(query, "unclear", _("Not understood")),
    ]


def test_options(query: ConversationQuery) -> list[Option]:
    """Build the choices between customers' conversations, tests and both, with the other filters as they are."""
    customers = replace(query, channel="" if query.channel == "test" else query.channel)
    queries = {"": customers, "only": query, "too": query}
    return [
        Option(str(words), queries[tests].query_string(tests=tests), tests == query.tests)
        for tests, words in TESTS.items()
    ]


def order_options(query: ConversationQuery) -> list[Option]:
    """Build the choices of the order."""
    return [
        Option(str(words), query.query_string(order=name), name == query.order)
        for name, (words, _columns) in ORDERS.items()
    ]


def _chip(query: ConversationQuery, name: str, title: str, choices: Choices) -> Chip:
    value = getattr(query, name)
    options = [
        Option(str(words), query.query_string(**{name: choice}), choice == value) for choice, words in choices if choice
    ]
    chosen = next((option.label for option in options if option.is_current), value)
    return Chip(name, title, chosen, query.query_string(**{name: ""}), options)


def _days_chip(query: ConversationQuery) -> Chip:
    without = replace(query, since="", until="", days="")
    options = [
        Option(str(words), without.query_string(days=days), days == query.days) for days, words in PERIODS.items()
    ]
    chosen = str(PERIODS[query.days]) if query.days else " – ".join(filter(None, (query.since, query.until)))
    if chosen and not query.days and not (query.since and query.until):
        chosen = _("from %s") % query.since if query.since else _("until %s") % query.until
    return Chip("days", _("Date"), chosen, without.query_string(), options, form=_DATES_FORM)


def _switch(query: ConversationQuery, name: str, title: str) -> Chip:
    value = getattr(query, name)
    return Chip(name, title, title if value else "", query.query_string(**{name: "" if value else "yes"}), [])
