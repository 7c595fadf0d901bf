"""“Should have been…”: what a customer said becomes an example of the flow that was meant, or a phrase for an act.

Who writes flows picks it for their draft; who only talks with customers proposes it, and an author decides.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from dialogue.audit import chain
from dialogue.desk.access.people import Person, visible_sessions
from dialogue.desk.access.redaction import record_reading, redact_lines
from dialogue.library.documents.flow_text import EditRefused
from dialogue.library.nlu_programs.examples import MAX_EXAMPLE_CHARACTERS, ExampleKnown
from dialogue.library.nlu_programs.suggested_examples import (
    ACT_MARK,
    SuggestionGone,
    TooManySuggestions,
    accept_suggestion,
    document_of,
    learn_text,
    meant_flows,
    refuse_suggestion,
    suggest_example,
)
from dialogue.models import Assistant, Conversation, Correction, Event, Flow, HITLSession, Message, Turn
from dialogue.models.account import Account, accounts
from dialogue.turns import clock
from dialogue.turns.accept import storable_value
from dialogue.turns.live.flow_words import flow_title, titles_of
from dialogue.web.shared.people import needs, person_of_request
from dialogue.web.shared.permissions import may_change_flows, may_propose_examples, may_teach, may_test
from dialogue.web.shared.scope import visible_conversations
from dialogue.web.shared.words.findings import in_words
from dialogue.web.shared.words.understanding import ACTS_IN_WORDS

MAX_FLOWS = 500
MAX_LINES = 20


def may_write_examples(person: Person) -> bool:
    """Whether this person writes examples: flow authors who may test."""
    return may_change_flows(person) and may_test(person)


def may_correct(person: Person) -> bool:
    """Whether this person writes examples or suggests them."""
    return may_write_examples(person) or may_propose_examples(person)


@dataclass(frozen=True)
class CustomerLine:
    """What a customer typed: `question` is the line before it, `flow` the title of the flow that took it up, or ""."""

    turn: Turn
    question: str
    flow: str


@dataclass(frozen=True)
class CorrectionAttempt:
    """A correction as it was typed: the turn's number, the words, and the flow or act that was meant."""

    number: int = 0
    text: str = ""
    flow: str = ""
    refusal: str = ""


@needs(may_correct)
@require_GET
def choose_misunderstood_line(request: HttpRequest, conversation: UUID) -> HttpResponse:
    """The customer's last lines, each with a form that says what was meant; `done` and `flow` name a saved one."""
    person = person_of_request(request)
    conversation_row = get_object_or_404(visible_conversations(person), pk=conversation)
    record_reading(conversation_row, person, "page")
    number, flow = request.GET.get("done", ""), request.GET.get("flow", "")
    done = int(number) if number.isascii() and number.isdigit() and len(number) < 9 else 0
    return _lines_page(request, conversation_row, CorrectionAttempt(done, flow=flow))


def _lines_page(request: HttpRequest, conversation: Conversation, attempt: CorrectionAttempt) -> HttpResponse:
    """`attempt` was saved, or has a refusal."""
    person, choices = person_of_request(request), _meanings(conversation.assistant)
    page = {
        "heading": _("Which message was misunderstood?"),
        "back": _return_url(person, conversation),
        "conversation": conversation,
        "lines": _customer_lines(conversation),
        "attempt": attempt,
        "meant": choices.title_of(attempt.flow),
        "document": document_of(attempt.flow) if choices.title_of(attempt.flow) else "",
        "writes": may_write_examples(person),
        "flows": choices.flows,
        "acts": choices.acts,
    }
    status = 422 if attempt.refusal else 200
    return render(request, "dialogue/conversations/misunderstood.html", page, status=status)


@needs(may_correct)
@require_http_methods(["GET", "POST"])
def correct_turn(request: HttpRequest, conversation: UUID, number: int) -> HttpResponse:
    """Make a turn's message an example: GET asks for the flow, POST saves or suggests it.

    The answer to a form with `row` is the list of the customer's lines.
    """
    person = person_of_request(request)
    conversation_row = get_object_or_404(visible_conversations(person), pk=conversation)
    turn = get_object_or_404(_turns_with_messages(conversation_row), number=number)
    if request.method == "GET":
        record_reading(conversation_row, person, "page")
        message = turn.event.message.text if turn.event.message else ""
        text_to_edit = message if may_write_examples(person) else _redacted(conversation_row, message)
        return _correction_page(request, turn, text_to_edit[:MAX_EXAMPLE_CHARACTERS], str(request.GET.get("flow", "")))
    text = str(storable_value(request.POST.get("text", "")))[:MAX_EXAMPLE_CHARACTERS]
    flow = request.POST.get("flow", "")
    try:
        line = _save_correction(request, turn, flow, text)
    except CorrectionRefused as refused:
        if "row" in request.POST:
            return _lines_page(request, conversation_row, CorrectionAttempt(number, text, flow, str(refused)))
        return _correction_page(request, turn, text, flow, str(refused))
    if "row" in request.POST:
        saved = reverse("dialogue:misunderstood", args=[conversation], query={"done": number, "flow": flow})
        return redirect(f"{saved}#turn-{number}")
    if line is None:
        return _correction_page(request, turn, _redacted(conversation_row, text), flow, proposed=True)
    editor = reverse("dialogue:flow", args=[conversation_row.assistant.name, document_of(flow)])
    return redirect(f"{editor}#line-{line}")


class CorrectionRefused(Exception):
    """The words cannot become an example; the message says why."""


def _save_correction(request: HttpRequest, turn: Turn, flow: str, text: str) -> int | None:
    """The line of the new example in its author's draft; None where it was proposed. Raises CorrectionRefused."""
    if not text.strip():
        raise CorrectionRefused(_("An example needs words."))
    try:
        if may_write_examples(person_of_request(request)):
            return _add_example(request, turn, flow, text)
        redacted = _redacted(turn.conversation, text)
        suggest_example(turn, flow, redacted, accounts().get(pk=person_of_request(request).id))
    except Turn.DoesNotExist as error:
        raise Http404 from error
    except Flow.DoesNotExist as error:
        raise CorrectionRefused(_("Choose the flow that was meant.")) from error
    except ExampleKnown as error:
        raise CorrectionRefused(_("This flow has that example already.")) from error
    except TooManySuggestions as error:
        raise CorrectionRefused(_("Very many examples wait for an author already; try again later.")) from error
    except EditRefused as error:
        raise CorrectionRefused(in_words(error.args[0])) from error
    return None


@needs(may_teach)
@require_POST
def decide_suggestion(request: HttpRequest, assistant: str, number: int, act: str) -> HttpResponse:
    """Accept a suggested example into the author's draft, or refuse it; the second decision changes nothing."""
    author = accounts().get(pk=person_of_request(request).id)
    row = Correction.objects.filter(assistant__name=assistant, pk=number).select_related("assistant").first()
    if act not in ("accept", "refuse"):
        raise Http404
    if row is None:
        return redirect("dialogue:understanding_of", assistant)
    try:
        return _decide(assistant, row, act, author)
    except SuggestionGone:
        return redirect("dialogue:understanding_of", assistant)


def _decide(assistant: str, row: Correction, act: str, author: Account) -> HttpResponse:
    if act == "refuse":
        refuse_suggestion(row, author)
        return redirect("dialogue:understanding_of", assistant)
    try:
        line = accept_suggestion(row, author)
    except (EditRefused, Flow.DoesNotExist):
        return redirect(
            "dialogue:flow", assistant, document_of(row.flow)
        )  # its page says what is wrong with it, or that it is gone
    return redirect(
        f"{reverse('dialogue:flow', args=[assistant, document_of(row.flow)])}{f'#line-{line}' if line else ''}"
    )


def titles_of_flows(assistant: Assistant, names: Iterable[str]) -> dict[str, str]:
    """Return the titles of these flows in the reader's language; the name too where two flows have one title.

    A flow that is in no active release has its name in words.
    """
    definition = titles_of(assistant)
    titles = {name: flow_title(name, definition) for name in names}
    counts = Counter(titles.values())
    return {name: title if counts[title] == 1 else f"{title} ({name})" for name, title in titles.items()}


def _customer_lines(conversation: Conversation) -> list[CustomerLine]:
    """The customer's last typed messages, the oldest first; sensitive values are masked."""
    turns = list(_turns_with_messages(conversation).order_by("-number")[:MAX_LINES])[::-1]
    turns = [turn for turn in turns if turn.event.message is not None]
    flows = {turn.pk: next((str(step["flow"]) for step in turn.record.get("steps") or ()), "") for turn in turns}
    titles = titles_of_flows(conversation.assistant, filter(None, flows.values()))
    questions = _mask_and_read_before([turn.event.message for turn in turns if turn.event.message], conversation)
    return [
        CustomerLine(turn, questions.get(turn.event.message_id or 0, ""), titles.get(flows[turn.pk], ""))
        for turn in turns
    ]


def _mask_and_read_before(messages: list[Message], conversation: Conversation) -> dict[int, str]:
    """Mask the messages; return the line before each by the message's key, "" where it is the customer's."""
    before = list(conversation.messages.filter(seq__in=[message.seq - 1 for message in messages]))
    for line in (*messages, *before):
        line.conversation = conversation
    redact_lines([*messages, *before])
    texts = {line.seq: line.text for line in before if line.role != Message.Role.USER}
    return {message.pk: texts.get(message.seq - 1, "") for message in messages}


def _turns_with_messages(conversation: Conversation) -> QuerySet[Turn]:
    return conversation.turns.select_related("event__message").filter(event__kind=Event.Kind.MESSAGE)


def _add_example(request: HttpRequest, turn: Turn, flow: str, text: str) -> int:
    """Write the example into the person's draft; the line where it stands."""
    conversation, person = turn.conversation, person_of_request(request)
    with transaction.atomic():
        line = learn_text(conversation.assistant, flow, text, accounts().get(pk=person.id))
        # Put on record who took a customer's words out of a conversation.
        act = chain.Act("conversation.example", person.name, person.account, facts={"turn": turn.number, "flow": flow})
        chain.record(conversation.pk, [act], clock.now())
    return line


def _redacted(conversation: Conversation, text: str) -> str:
    """The text without the conversation's sensitive values, which its reader may not see."""
    from dialogue.turns.live.redaction import redactor_of  # the engine is loaded when something is masked, not at start

    return redactor_of(conversation)(text)


@dataclass(frozen=True)
class Meanings:
    """What a message can have meant: flows, and acts that steer a dialogue, each as (name, title)."""

    flows: list[tuple[str, str]]
    acts: list[tuple[str, str]]

    def title_of(self, name: str) -> str:
        """The title of a flow or an act; "" for a name that is not offered."""
        return dict((*self.flows, *self.acts)).get(name, "")


def _meanings(assistant: Assistant) -> Meanings:
    names = list(meant_flows(assistant).values_list("name", flat=True)[:MAX_FLOWS])
    titles = titles_of_flows(assistant, names)
    acts = [(f"{ACT_MARK}{act}", str(words)) for act, words in ACTS_IN_WORDS.items()]
    return Meanings(sorted(titles.items(), key=lambda named: named[1].casefold()), acts)


def _correction_page(
    request: HttpRequest, turn: Turn, text: str, flow: str, failure: str = "", *, proposed: bool = False
) -> HttpResponse:
    person, choices = person_of_request(request), _meanings(turn.conversation.assistant)
    facts = {
        "conversation": turn.conversation,
        "turn": turn,
        "text": text,
        "flow": flow,
        "flows": choices.flows,
        "acts": choices.acts,
        "meant": choices.title_of(flow) or flow,
    }
    permissions = {"writes": may_write_examples(person), "proposed": proposed, "failure": failure}
    page = {"heading": _("This should have been…"), "back": _return_url(person, turn.conversation)}
    return render(
        request, "dialogue/conversations/correct.html", page | facts | permissions, status=422 if failure else 200
    )


def _return_url(person: Person, conversation: Conversation) -> str:
    """The page that this person came from: the test console, the conversation, or its newest gate or chat."""
    if may_write_examples(person):
        if hasattr(conversation, "trial"):
            return reverse("dialogue:test_chat", args=[conversation.assistant.name, conversation.pk])
        return reverse("dialogue:conversation", args=[conversation.pk])
    session = visible_sessions(person).filter(conversation=conversation, audience="staff").order_by("-number").first()
    if session is None:
        return reverse("dialogue:gates")
    return reverse(
        "dialogue:inbox_chat" if session.kind == HITLSession.Kind.HANDOFF else "dialogue:gate", args=[session.number]
    )
