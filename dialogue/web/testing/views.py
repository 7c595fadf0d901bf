"""The test console: chat with a draft or a release as the customer, and see the trace of each turn."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from dialogue.desk.access.redaction import redact_lines
from dialogue.desk.agent_requests.opening import authored_assistants
from dialogue.desk.command_bar.bar import run_command
from dialogue.desk.command_bar.lines import FieldRef, Input, parse_chat_line
from dialogue.desk.forms.refusals import LineRefused, SessionNotFound
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer, InputFormat, Refused, expire_due
from dialogue.engine.source.problems import FlowProblems, Problem
from dialogue.library.releases.releases import ReleaseNotFound
from dialogue.library.releases.test_conversations import open_test_conversation
from dialogue.models import Assistant, Conversation, Flow, Message, Trial
from dialogue.turns import clock
from dialogue.turns.accept import Incoming, MessageRefused
from dialogue.turns.actions.test_world import move_clock, now_in
from dialogue.turns.compiled_releases import assistant_of
from dialogue.turns.files.refusals import FileRefused
from dialogue.turns.waiting.outreach import begin_due
from dialogue.turns.waiting.timers import fire_due
from dialogue.web.gates.file_inputs import read_sent_form
from dialogue.web.gates.forms import Attempt
from dialogue.web.shared.chat_texts import texts_of_release
from dialogue.web.shared.people import account_of_request, caller_of, needs, person_of_request
from dialogue.web.shared.permissions import may_change_flows, may_test
from dialogue.web.shared.running import accept_and_start, start_due_turn
from dialogue.web.shared.scope import visible_conversations
from dialogue.web.shared.words.understanding import WAYS_OF_TESTS
from dialogue.web.testing.forms import (
    FieldRefused,
    read_actions,
    read_circumstances,
    read_duration,
    read_stubs,
)
from dialogue.web.testing.page import (
    NO_ATTEMPTS,
    flow_path,
    llm_prompts,
    simulated_actions,
    stack_entries,
    transcript_turns,
    waiting_gates,
)

MAX_RELEASES = 50
MAX_RECENT_TESTS = 20
MAX_TEXT_LENGTH = 20_000
FOLDED_FIELDS = ("language", "at", "nlu")
"""Fields of the start form that are folded until they are wanted, or refused."""


@needs(may_test)
@require_GET
def choose_assistant(request: HttpRequest) -> HttpResponse:
    """Choose an assistant to test, or one of this person's last tests; a single assistant is opened at once."""
    assistants = list(authored_assistants().select_related("active_release").order_by("name")[:200])
    if len(assistants) == 1:
        return redirect("dialogue:test", assistants[0].name)
    tests = Conversation.objects.filter(test=True, trial__owner=person_of_request(request).id)
    rows = tests.select_related("assistant", "release", "user").order_by("-active_at", "-id")
    facts = {"assistants": assistants, "tests": _with_first_lines(rows[:MAX_RECENT_TESTS])}
    return render(request, "dialogue/testing/choose_assistant.html", facts)


@needs(may_test)
@require_http_methods(["GET", "POST"])
def begin_test(request: HttpRequest, assistant: str) -> HttpResponse:
    """The form that begins a test; without `new`, this person's last test."""
    home = get_object_or_404(authored_assistants().select_related("active_release"), name=assistant)
    if request.method == "POST":
        return _open_new_test(request, home)
    own_tests = _tests_of(request, home).filter(trial__owner=person_of_request(request).id)
    last = None if "new" in request.GET else own_tests.first()
    return redirect("dialogue:test_chat", home.name, last.pk) if last else _start_page(request, home, 200)


@needs(may_test)
@require_GET
def test_console(request: HttpRequest, assistant: str, conversation: UUID) -> HttpResponse:
    """One test: its chat, the graph that follows it, and its state."""
    return console_page(request, fetch_test(request, assistant, conversation))


def console_page(request: HttpRequest, test: Conversation, failure: str = "", status: int = 200) -> HttpResponse:
    """The console with this test; `failure` says which request was refused a moment ago."""
    return render(
        request,
        "dialogue/testing/console.html",
        {**_console_context(request, test), "failure": failure},
        status=status,
    )


@needs(may_test)
@require_GET
def test_panel(request: HttpRequest, assistant: str, conversation: UUID) -> HttpResponse:
    """The parts of the page that change with a turn."""
    return render(
        request,
        "dialogue/testing/panel_parts.html",
        _console_context(request, fetch_test(request, assistant, conversation)),
    )


@needs(may_test)
@require_POST
def send_message(request: HttpRequest, assistant: str, conversation: UUID) -> JsonResponse:
    """Accept a message or choice of the customer; 202 when it is stored. `@g12.0 yes` answers a gate as an operator."""
    test = fetch_test(request, assistant, conversation)
    try:
        line = parse_chat_line(request.POST.get("text", "")[:MAX_TEXT_LENGTH])
        if isinstance(line, Input):
            # As the gate's operator; the turn that follows runs at once.
            if isinstance(line.field, FieldRef) and not test.sessions.filter(pk=line.field.number).exists():
                raise SessionNotFound(line.field.number)
            reply = run_command(line, caller_of(request, "bar"))
            start_due_turn(test.pk)
            return JsonResponse({"said": reply.text}, status=reply.status)
        uploads = request.FILES.getlist("file")
        incoming = _incoming_files(test, request) if uploads else _incoming_event(request.POST, line.text)
        accepted = accept_and_start(test.pk, incoming)
    except LineRefused as refused:
        return JsonResponse({"detail": str(refused)}, status=422)
    except Refused as refused:
        return JsonResponse({"detail": refused.detail}, status=refused.status)
    except (MessageRefused, FileRefused) as error:
        return JsonResponse({"detail": error.detail}, status=error.status)
    return JsonResponse({"seq": accepted.seq}, status=202)


@needs(may_test)
@require_POST
def answer_gate(request: HttpRequest, assistant: str, conversation: UUID, number: int) -> HttpResponse:
    """Decide a gate of this test, as its operator."""
    test = fetch_test(request, assistant, conversation)
    session = test.sessions.filter(pk=number).first()
    if session is None:
        raise Http404
    typed, file_refusal = read_sent_form(request, session, caller_of(request))
    if file_refusal is not None:
        return _panel_page(request, test, file_refusal.status, {number: Attempt(typed, file_refusal)})
    sent = Answer(typed.action, typed.values, InputFormat.TYPED, typed.reason)
    key = request.POST.get("key", "")[:200] or uuid4().hex
    try:
        status = service.submit(number, caller_of(request), sent, key=key).status
    except Refused as refused:
        attempts = {number: Attempt(typed, refused)}
        return _panel_page(request, test, refused.status, attempts)
    start_due_turn(test.pk)
    return _panel_page(request, test, status)


@needs(may_test)
@require_POST
def move_test_clock(request: HttpRequest, assistant: str, conversation: UUID) -> HttpResponse:
    """Move the clock of the test ahead; what is due by then happens at once."""
    test = fetch_test(request, assistant, conversation)
    try:
        duration = read_duration(request.POST.get("by", ""))
    except FieldRefused as refused:
        return _panel_page(request, test, 422, refused=refused)
    move_clock(test.trial, duration)
    expire_due(MAX_RELEASES)
    fire_due(MAX_RELEASES)
    begin_due(MAX_RELEASES)
    start_due_turn(test.pk)
    return _panel_page(request, test, 200)


@needs(may_test)
@require_POST
def save_stubs(request: HttpRequest, assistant: str, conversation: UUID) -> HttpResponse:
    """Save what actions return from now on, and whether actions without a stub are real."""
    test = fetch_test(request, assistant, conversation)
    text = request.POST.get("stubs", "")
    try:
        stubs = read_stubs(text[:MAX_TEXT_LENGTH])
        actions = read_actions(request.POST.get("actions", ""), test.trial)
    except FieldRefused as refused:
        return _panel_page(request, test, 422, refused=refused, stubs=text)
    Trial.objects.filter(pk=test.pk).update(stubs=stubs, actions=actions)
    return _panel_page(request, test, 200, stubs=text)


def fetch_test(request: HttpRequest, assistant: str, conversation: UUID) -> Conversation:
    """The test conversation of this URL. Raises Http404, also when this person may not see it."""
    rows = visible_conversations(person_of_request(request)).select_related("trial", "assistant__active_release")
    return get_object_or_404(rows, pk=conversation, assistant__name=assistant, test=True, trial__isnull=False)


def _open_new_test(request: HttpRequest, home: Assistant) -> HttpResponse:
    try:
        test = open_test_conversation(home, read_circumstances(request.POST), account_of_request(request))
    except FieldRefused as refused:
        return _start_page(request, home, 422, refused=refused)
    except ReleaseNotFound:
        return _start_page(request, home, 422, refused=FieldRefused("release", _("There is no such release.")))
    except FlowProblems as error:
        return _start_page(request, home, 422, problems=error.problems)
    return redirect("dialogue:test_chat", home.name, test.pk)


def _start_page(
    request: HttpRequest,
    home: Assistant,
    status: int,
    refused: FieldRefused | None = None,
    problems: Sequence[Problem] = (),
) -> HttpResponse:
    facts = {
        "assistant": home,
        "releases": home.releases.filter(trial=False).order_by("-number")[:MAX_RELEASES],
        "understandings": WAYS_OF_TESTS.items(),
        "drafts": Flow.objects.filter(assistant=home, archived=False).exclude(draft="").order_by("name"),
        "given": request.POST,
        "refused": refused,
        "problems": [problem for problem in problems if problem.severity == "error"],
        "tests": _with_first_lines(_tests_of(request, home)[:12]),
        "languages": settings.LANGUAGES,
        "opens_more": refused is not None and refused.field in FOLDED_FIELDS,
    }
    return render(request, "dialogue/testing/start.html", facts, status=status)


def _tests_of(request: HttpRequest, home: Assistant) -> QuerySet[Conversation]:
    rows = visible_conversations(person_of_request(request)).filter(assistant=home, test=True, trial__isnull=False)
    return rows.select_related("trial", "release").order_by("-active_at", "-id")


def _with_first_lines(tests: Iterable[Conversation]) -> list[tuple[Conversation, str]]:
    """Each with what the tester wrote first, by which tests are told apart; sensitive values are masked."""
    rows = {test.pk: test for test in tests}
    said = Message.objects.filter(conversation=OuterRef("pk"), role=Message.Role.USER).order_by("seq")
    first = Conversation.objects.filter(pk__in=rows).order_by().values_list(Subquery(said.values("pk")[:1]))
    lines = list(Message.objects.filter(pk__in=first))
    for line in lines:
        line.conversation = rows[line.conversation_id]
    redact_lines(lines)
    texts = {line.conversation_id: line.text for line in lines}
    return [(test, texts.get(key, "")) for key, test in rows.items()]


def _incoming_files(test: Conversation, request: HttpRequest) -> Incoming:
    """Store the files that the tester sends for the slot that asks for them. Raises FileRefused."""
    from dialogue.turns.files.sending import incoming_files  # the engine is loaded with the first file, not at start
    from dialogue.turns.files.uploads import FilePlace, expected_slot, mark_used, store_uploads

    uploads: list[Any] = list(request.FILES.getlist("file"))
    rows = store_uploads(FilePlace(test, expected_slot(test)), uploads)
    mark_used([row.pk for row in rows], clock.now())
    return incoming_files(request.POST.get("id", "")[:100] or uuid4().hex, rows)


def _incoming_event(form: Mapping[str, str], text: str) -> Incoming:
    client_id = form.get("id", "")[:100] or uuid4().hex
    if "choice" in form:
        value = form["choice"][:MAX_TEXT_LENGTH]
        return Incoming("choice", client_id, {"value": value}, text=form.get("label", value)[:MAX_TEXT_LENGTH])
    return Incoming("message", client_id, {"text": text}, text=text)


def _panel_page(
    request: HttpRequest,
    test: Conversation,
    status: int,
    attempts: Mapping[int, Attempt] = NO_ATTEMPTS,
    **more: Any,
) -> HttpResponse:
    current_test = fetch_test(request, test.assistant.name, test.pk)
    return render(
        request,
        "dialogue/testing/panel_parts.html",
        {**_console_context(request, current_test, attempts), **more},
        status=status,
    )


def _console_context(
    request: HttpRequest, test: Conversation, attempts: Mapping[int, Attempt] = NO_ATTEMPTS
) -> dict[str, Any]:
    person = person_of_request(request)
    turns = transcript_turns(test)
    records = [turn.record for turn in turns if turn.record]
    definition = assistant_of(test.release)
    return {
        "conversation": test,
        "trial": test.trial,
        "assistant": test.assistant,
        "transcript": turns,
        "starters": [] if turns else [each["text"] for each in texts_of_release(test, test.assistant)["starters"]],
        "records": records[::-1],
        "stack_entries": stack_entries(test, person, test.trial),
        "gates": waiting_gates(test, person, attempts),
        "flow_path": flow_path(test, request.GET.get("flow", "")),
        "flows": list(definition.flows),
        "prompts": llm_prompts(records[-1].turn if records else None),
        "simulated_actions": simulated_actions(definition, now_in(test.trial, test.created_at)),
        "over": test.state in Conversation.OVER,
        "pending_buttons": _pending_buttons(test),
        "corrects": may_change_flows(person),
    }


def _pending_buttons(test: Conversation) -> list[dict[str, str]]:
    """The buttons of the newest message; none once it is answered."""
    newest = test.messages.order_by("-seq").first()
    return list(newest.buttons) if newest and newest.role == "assistant" else []
