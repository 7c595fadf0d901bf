"""A person's own views of the queue: saved under a name, listed beside the built-in ones, and deleted."""

from dataclasses import dataclass

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from dialogue.desk.access.people import Person
from dialogue.models import SavedView
from dialogue.turns import clock
from dialogue.turns.accept import storable_value
from dialogue.web.gates.filters import QueueQuery
from dialogue.web.shared.people import needs, person_of_request
from dialogue.web.shared.permissions import may_command

MAX_VIEWS = 20
"""Per person, so that the list stays readable."""


PROBLEMS = {
    "full": gettext_lazy("You have as many views as there may be. Delete one first."),
    "nameless": gettext_lazy("A view needs a name."),
}
"""Why a view was not saved, by the word in the address."""


@dataclass(frozen=True)
class SavedViewLink:
    """A saved view: its address, and whether it is what the page shows."""

    number: int
    name: str
    query_string: str
    is_current: bool


def views_of(person: int) -> QuerySet[SavedView]:
    return SavedView.objects.filter(owner_id=person)


def saved_view_links(person: Person, query: QueueQuery) -> list[SavedViewLink]:
    """This person's own views, by name."""
    current = query.plain()
    views = [(view, QueueQuery.read(view.query)) for view in SavedView.objects.filter(owner_id=person.id)]
    return [
        SavedViewLink(view.pk, view.name, saved_query.query_string(), saved_query.plain() == current)
        for view, saved_query in views
    ]


@needs(may_command)
@require_POST
def save(request: HttpRequest) -> HttpResponse:
    """Keep what is shown under a name; the same name again replaces it."""
    person, name = (
        person_of_request(request).id,
        " ".join(str(storable_value(request.POST.get("name", ""))).split())[:60],
    )
    query = QueueQuery.read(request.POST.dict())
    full = views_of(person).exclude(name=name).count() >= MAX_VIEWS
    if not name or full:
        return redirect(f"{reverse('dialogue:gates')}?{query.query_string()}&problem={'full' if full else 'nameless'}")
    defaults = {"query": query.plain(), "made_at": clock.now()}
    SavedView.objects.update_or_create(owner_id=person, name=name, defaults=defaults)
    return redirect(f"{reverse('dialogue:gates')}?{query.query_string()}")


@needs(may_command)
@require_POST
def delete(request: HttpRequest, number: int) -> HttpResponse:
    """Forget one of the own views; others' do not exist here."""
    deleted, _rows = views_of(person_of_request(request).id).filter(pk=number).delete()
    if not deleted:
        raise Http404
    return redirect("dialogue:gates")
