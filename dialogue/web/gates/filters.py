"""The queue's filters and orders: read from the address, applied to the rows, and offered as menus."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from urllib.parse import urlencode

from django.contrib.auth.models import Group
from django.db.models import Q
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dialogue.desk.access.people import Person
from dialogue.desk.queue.queue import number_in, with_tag
from dialogue.turns.live.flow_words import flow_title, titles_of_active_flows

PRIORITIES: dict[int, str | Promise] = {
    2: gettext_lazy("urgent"),
    1: gettext_lazy("high"),
    0: gettext_lazy("normal"),
    -1: gettext_lazy("low"),
}


MAX_FILTER_CHARACTERS = 100
ORDERS: dict[str, tuple[str | Promise, tuple[str, ...]]] = {
    "": (gettext_lazy("default order"), ()),
    "newest": (gettext_lazy("newest first"), ("-number",)),
    "oldest": (gettext_lazy("oldest first"), ("number",)),
    "priority": (gettext_lazy("highest priority first"), ("-priority", "urgent_at", "number")),
}
"""The orders that the page offers beside a view's own, by name: title and columns."""


@dataclass(frozen=True)
class QueueQuery:
    """A view of the queue with its search and filters; all empty: the queue as it opens."""

    view: str = ""
    q: str = ""
    flow: str = ""
    group: str = ""
    tag: str = ""
    priority: str = ""
    order: str = ""

    @classmethod
    def read(cls, values: Mapping[str, str]) -> "QueueQuery":
        """Read from an address or a form; unknown values are left out."""
        texts = {name: values.get(name, "").replace("\0", "").strip()[:MAX_FILTER_CHARACTERS] for name in _NAMES}
        query = cls(**texts)
        order = query.order if query.order in ORDERS else ""
        priority = query.priority if query.priority in map(str, PRIORITIES) else ""
        return replace(query, order=order, priority=priority, tag=query.tag.casefold())

    def plain(self) -> dict[str, str]:
        """Return the filters that are not empty, by name; this is what a saved view stores."""
        return {name: text for name, text in asdict(self).items() if text}

    def query_string(self, **changes: str) -> str:
        """Return the query string of the page with these filters."""
        return urlencode(replace(self, **changes).plain())

    @property
    def is_selective(self) -> bool:
        """Whether a tag or a gate's number selects so few rows that they are found without the queue's index."""
        return bool(self.tag or self._gate_number())

    def indexed_conditions(self) -> Q:
        """Return the conditions that an index answers."""
        condition = Q(group__name=self.group) if self.group else Q()
        if self.tag:
            condition &= with_tag(self.tag)
        return condition & Q(number=self._gate_number()) if self._gate_number() else condition

    def scanned_conditions(self) -> Q:
        """Return the conditions that no index answers."""
        condition = Q(flow=self.flow) if self.flow else Q()
        return condition & Q(priority__gte=self.priority) if self.priority else condition

    def search_words(self) -> list[str]:
        """Return the words of the search, all of which must match."""
        return [] if self._gate_number() else self.q.split()[:8]

    def _gate_number(self) -> int:
        """Return the gate's number for `g12`; 0 otherwise, because a bare 12 may be anything."""
        words = self.q.lower()
        return number_in(words) if words.lstrip("@").startswith("g") else 0

    def order_columns(self, usual: tuple[str, ...]) -> tuple[str, ...]:
        """Return the order's columns; the last one is unique."""
        return ORDERS[self.order][1] or usual

    def filter_texts(self) -> list[str]:
        """Return each filter in words, for the line above the list."""
        texts = {"group": _("for %s"), "tag": _("tag %s")}
        words = [sentence % getattr(self, name) for name, sentence in texts.items() if getattr(self, name)]
        if self.flow:
            words.insert(0, _("flow “%s”") % _flow_titles(self.flow)[self.flow])
        if self.priority:
            words.append(_("priority %s or higher") % PRIORITIES[int(self.priority)])
        return [*words, str(ORDERS[self.order][0])] if self.order else words


_NAMES = tuple(QueueQuery.__dataclass_fields__)
NO_FILTER = QueueQuery()


MAX_GROUPS = 100


@dataclass(frozen=True)
class Option:
    """One choice of a menu."""

    value: str
    label: str
    chosen: bool


@dataclass(frozen=True)
class Filters:
    """The menus of the page's filters."""

    orders: list[Option]
    flows: list[Option]
    groups: list[Option]
    priorities: list[Option]


def filters_of(query: QueueQuery, person: Person) -> Filters:
    """Build the menus. The groups are those whose gates this person may have in the queue."""
    all_names = Group.objects.order_by("name").values_list("name", flat=True)
    names = (all_names if person.sees_every_session else person.group_names)[:MAX_GROUPS]
    priorities = [(str(value), str(words)) for value, words in PRIORITIES.items()]
    return Filters(
        orders=[Option(name, str(title), name == query.order) for name, (title, _columns) in ORDERS.items()],
        flows=[Option(name, title, name == query.flow) for name, title in _flow_titles(query.flow).items()],
        groups=[Option(name, name, name == query.group) for name in names],
        priorities=[Option(value, words, value == query.priority) for value, words in priorities],
    )


def _flow_titles(chosen: str) -> dict[str, str]:
    """Return the titles by name, sorted; the chosen flow too, which may be in no active release any more."""
    titles = titles_of_active_flows()
    named = titles if not chosen or chosen in titles else {**titles, chosen: flow_title(chosen, None)}
    return dict(sorted(named.items(), key=lambda entry: entry[1].casefold()))
