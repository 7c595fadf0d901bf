"""“Should have been…”: what a customer said becomes an example of the flow that its author picks."""

from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from dialogue.audit import chain
from dialogue.desk.looks import read_conversation
from dialogue.desk.people import Person
from dialogue.desk.storable import storable
from dialogue.library.examples import LONGEST, ExampleKnown, add_example
from dialogue.library.flow_text import EditRefused
from dialogue.models import Conversation, Event, Flow, Turn
from dialogue.models.assistant import OWN_DOCUMENT
from dialogue.turns import clock
from dialogue.web.people import may_change_flows, needs, person_of_request
from dialogue.web.scope import visible_conversations
from dialogue.web.views.testing import may_test

FLOWS = 500


def may_correct(person: Person) -> bool:
    """Flow authors, who see the conversation too."""
    return may_change_flows(person) and may_test(person)


@needs(may_correct)
@require_http_methods(["GET", "POST"])
def correct(request: HttpRequest, conversation: UUID, number: int) -> HttpResponse:
    """The words of a turn, to be made an example: GET asks of which flow, POST puts them into the author's draft."""
    person = person_of_request(request)
    found = get_object_or_404(visible_conversations(person), pk=conversation)
    rows = found.turns.select_related("event__message").filter(event__kind=Event.Kind.MESSAGE)
    turn = get_object_or_404(rows, number=number)
    if request.method == "GET":
        read_conversation(found, person, "page")
        said = turn.event.message.text if turn.event.message else ""
        return _form(request, turn, said[:LONGEST], str(request.GET.get("flow", "")))
    text, flow = str(storable(request.POST.get("text", "")))[:LONGEST], request.POST.get("flow", "")
    try:
        with transaction.atomic():
            line = add_example(found.assistant, flow, text, User.objects.get(pk=person.id))
            _record(found, turn, flow, person)
    except Flow.DoesNotExist:
        return _form(request, turn, text, flow, _("Choose the flow that was meant."))
    except ExampleKnown:
        return _form(request, turn, text, flow, _("This flow has that example already."))
    except EditRefused as why:
        return _form(request, turn, text, flow, str(why))
    return redirect(f"{reverse('flow', args=[found.assistant.name, flow])}#line-{line}")


def _form(request: HttpRequest, turn: Turn, text: str, flow: str, failure: str = "") -> HttpResponse:
    rows = Flow.objects.filter(assistant=turn.conversation.assistant, archived=False).exclude(name=OWN_DOCUMENT)
    names = rows.order_by("name").values_list("name", flat=True)[:FLOWS]
    facts = {"conversation": turn.conversation, "turn": turn, "text": text, "flow": flow, "flows": names}
    status = 422 if failure else 200
    return render(request, "conversations/correct.html", {**facts, "failure": failure}, status=status)


def _record(found: Conversation, turn: Turn, flow: str, person: Person) -> None:
    """Whoever takes a customer's words out of a conversation has done so on record."""
    act = chain.Act("conversation.example", person.name, person.account, facts={"turn": turn.number, "flow": flow})
    chain.record(found.pk, [act], clock.now())
