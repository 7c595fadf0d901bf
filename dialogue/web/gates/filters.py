"""The choices that the queue's page offers: filters and orders, and the views that a person has saved."""

from dataclasses import dataclass

from django.contrib.auth.models import Group
from django.utils.translation import gettext_lazy

from dialogue.desk.access.people import Person
from dialogue.models import SavedView
from dialogue.web.gates.query import ORDERS, QueueQuery
from dialogue.web.shared.priorities import PRIORITIES

MOST = 100
PROBLEMS = {
    "full": gettext_lazy("You have as many views as there may be. Delete one first."),
    "nameless": gettext_lazy("A view needs a name."),
}
"""Why a view was not saved, by the word in the address."""


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
    groups: list[Option]
    priorities: list[Option]


@dataclass(frozen=True)
class OwnView:
    """A saved view: its address, and whether it is what the page shows."""

    number: int
    name: str
    address: str
    here: bool


def filters_of(query: QueueQuery, person: Person) -> Filters:
    """The menus, with what is chosen. Groups are those whose gates this person may have in the queue."""
    groups = Group.objects.all() if person.sees_every_session else Group.objects.filter(pk__in=person.groups)
    names = groups.order_by("name").values_list("name", flat=True)[:MOST]
    priorities = [(str(value), str(words)) for value, words in PRIORITIES.items()]
    return Filters(
        orders=[Option(name, str(title), name == query.order) for name, (title, _columns) in ORDERS.items()],
        groups=[Option(name, name, name == query.group) for name in names],
        priorities=[Option(value, words, value == query.priority) for value, words in priorities],
    )


def saved_views(person: Person, query: QueueQuery) -> list[OwnView]:
    """This person's own views, by name."""
    shown = query.plain()
    views = [(view, QueueQuery.read(view.query)) for view in SavedView.objects.filter(owner_id=person.id)]
    return [OwnView(view.pk, view.name, kept.address(), kept.plain() == shown) for view, kept in views]
