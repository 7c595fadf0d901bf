"""The first day: a page per role with three next steps, which a new person sees until they dismiss it."""

from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from dialogue.desk.access.people import DECIDE, SUPERVISE, Person
from dialogue.models import Assistant, AuditEntry, FlowVersion, HITLSession, Preference, Trial
from dialogue.web.shared.people import person_of_request
from dialogue.web.shared.permissions import may_change_flows


@dataclass(frozen=True)
class FirstStep:
    """One thing to do first: a title, a sentence, and where. `is_done`: the data shows that the person has done it."""

    title: str
    text: str
    href: str
    is_done: bool = False


@dataclass(frozen=True)
class Guide:
    """The first steps of a role, with one sentence about it."""

    role: str
    about: str
    steps: tuple[FirstStep, FirstStep, FirstStep]


def leads_to_first_steps(person: Person) -> bool:
    """Whether the start page shows the first steps instead of the person's work."""
    wants_steps = Preference.objects.filter(user=person.id, shows_first_steps=True).exists()
    return wants_steps and guide_for(person) is not None


@login_required
@require_GET
def first_steps(request: HttpRequest) -> HttpResponse:
    """The first steps of the person's role; customers have none."""
    person = person_of_request(request)
    guide = guide_for(person)
    if guide is None:
        raise Http404
    return render(request, "dialogue/first_steps.html", {"guide": guide, "name": person.name})


@login_required
@require_POST
def dismiss(request: HttpRequest) -> HttpResponse:
    """Lead this person to their work from now on."""
    Preference.objects.filter(user=request.user.pk).update(shows_first_steps=False)
    return redirect("dialogue:home")


def guide_for(person: Person) -> Guide | None:
    """The guide of the person's main role; None for customers."""
    if person.superuser:
        return _administrators_guide(person)
    if person.is_auditor:
        return _auditors_guide()
    if person.has(SUPERVISE):
        return _supervisors_guide()
    if person.has(DECIDE):
        return _operators_guide(person)
    return _authors_guide(person) if may_change_flows(person) else None


def _administrators_guide(person: Person) -> Guide:
    return Guide(
        _("Administrator"),
        _("You decide who may do what, and look after the service."),
        (
            FirstStep(
                _("Add your colleagues"),
                _("Give each person an account with a role. They set their own password with a link."),
                reverse("dialogue:users"),
            ),
            FirstStep(
                _("Check the service"),
                _("The status page says what works, what waits, and what to do."),
                reverse("dialogue:status"),
            ),
            FirstStep(
                _("Connect a program"),
                _("Create an API token for each program that calls the API."),
                reverse("dialogue:tokens"),
                _has_acted(person, "token.made"),
            ),
        ),
    )


def _auditors_guide() -> Guide:
    return Guide(
        _("Auditor"),
        _("You read everything, with sensitive values masked, and change nothing."),
        (
            FirstStep(
                _("See who did what"),
                _("The audit lists each act in words, with links to the gate and the conversation."),
                reverse("dialogue:audit"),
            ),
            FirstStep(
                _("Verify the record"),
                _("The check says whether an entry was changed or removed afterwards."),
                reverse("dialogue:audit_verify"),
            ),
            FirstStep(
                _("Read a conversation"),
                _("Beside each message you read how it was understood, and what the assistant did."),
                reverse("dialogue:conversations"),
            ),
        ),
    )


def _supervisors_guide() -> Guide:
    return Guide(
        _("Supervisor"),
        _("You see the gates and chats of every group, and help where something is stuck."),
        (
            FirstStep(
                _("Look at what waits"),
                _("Open a gate to take it over, extend its time or withdraw it."),
                reverse("dialogue:gates"),
            ),
            FirstStep(
                _("Read the figures"),
                _("They show how many gates were answered, how fast, and how many ran out of time."),
                reverse("dialogue:figures"),
            ),
            FirstStep(
                _("Check the service"),
                _("The status page says what works, what waits, and what to do."),
                reverse("dialogue:status"),
            ),
        ),
    )


def _operators_guide(person: Person) -> Guide:
    return Guide(
        _("Operator"),
        _("Assistants ask you to decide, and customers ask to talk to you."),
        (
            FirstStep(
                _("Answer a gate"),
                _("A gate is a question to staff. It shows the values, the conversation, and what each answer does."),
                reverse("dialogue:gates"),
                HITLSession.objects.filter(decided_by=person.id).exists(),
            ),
            FirstStep(
                _("Answer a chat"),
                _("The inbox has the customers who ask for a person. Afterwards, return the chat to the assistant."),
                reverse("dialogue:inbox"),
            ),
            FirstStep(
                _("Try the customer’s side"),
                _("Write to an assistant as a customer does. It is a test: no action is real, and no inbox shows it."),
                _chat_address(),
            ),
        ),
    )


def _authors_guide(person: Person) -> Guide:
    return Guide(
        _("Flow author"),
        _("You write what assistants ask, check and do."),
        (
            FirstStep(
                _("Open a flow"),
                _("Choose a step in the graph: its fields open beside it. Change a message, and save a version."),
                reverse("dialogue:flows"),
                FlowVersion.objects.filter(author=person.id).exists(),
            ),
            FirstStep(
                _("Try it as a customer"),
                _("A test runs your draft with simulated actions. The graph shows the step that it is at."),
                reverse("dialogue:tests"),
                Trial.objects.filter(owner=person.id).exists(),
            ),
            FirstStep(
                _("Look up the language"),
                _("The reference explains every step and key with an example."),
                reverse("dialogue:reference"),
            ),
        ),
    )


def _has_acted(person: Person, act: str) -> bool:
    """Whether the audit has this act of the person."""
    return AuditEntry.objects.filter(act=act, actor_id=person.id).exists()


def _chat_address() -> str:
    """The chat of the first published assistant; the gates where there is none."""
    name = Assistant.objects.filter(active_release__isnull=False).order_by("name").values_list("name", flat=True)
    first = name.first()
    return reverse("dialogue:chat", args=[first]) if first else reverse("dialogue:gates")
