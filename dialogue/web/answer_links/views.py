"""The page of an answer link, without scripts. Reading changes nothing; submitting decides, as the desk does."""

from dataclasses import dataclass
from functools import partial
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_GET, require_http_methods

from dialogue.desk.access.people import LinkClosed, read_link_holder
from dialogue.desk.forms.deadlines import absolute_words, deadline_passed, words_beside
from dialogue.desk.forms.refusals import already_submitted, gate_cancelled, gate_expired
from dialogue.desk.sessions import links, service
from dialogue.desk.sessions.links import LinkNotFound
from dialogue.desk.sessions.service import Answer, InputFormat, Refused
from dialogue.models import AnswerLink, HITLSession
from dialogue.turns import clock
from dialogue.turns.live.values_at_stake import summary_line
from dialogue.web.gates.file_inputs import file_links, read_sent_form
from dialogue.web.gates.forms import Attempt, FormInput
from dialogue.web.gates.page import gate_page
from dialogue.web.gates.table_rows import change_rows
from dialogue.web.shared.downloads import file_response, find_file

State = HITLSession.State

BLANK = Attempt(FormInput({}))
"""An empty form: fields that staff answered one by one are not shown to approvers."""


@dataclass(frozen=True)
class Notice:
    """A page that only says something."""

    status: int
    heading: str
    text: str
    again: bool = False


# The token in the address is all that counts here: no cookie is read, so nothing can be forged with one.
@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_variables("token")
def answer(request: HttpRequest, token: str) -> HttpResponse:
    """The question and its form; 409 after it was answered, 410 after it expired, 404 for an unknown link."""
    try:
        link = links.open_link(token)
        response = _submit_answer(request, link) if request.method == "POST" else _page_response(request, link)
    except (LinkNotFound, LinkClosed):
        response = render(request, "dialogue/answer/unknown_link.html", status=LinkNotFound.status)
    response["Referrer-Policy"] = "no-referrer"
    response["X-Robots-Tag"] = "noindex"
    return response


@never_cache
@require_GET
@sensitive_variables("token")
def answer_file(request: HttpRequest, token: str, file_id: UUID) -> HttpResponseBase:
    """A file that the question shows, as an attachment; 404 for any other file."""
    try:
        link = links.open_link(token)
    except (LinkNotFound, LinkClosed):
        raise Http404 from None
    # A link alone shows masked values, so it opens no sensitive file of the conversation.
    shown = [entry for entry in link.session.shown if not entry.get("sensitive")]
    shown_ids = {file.id for entry in shown for file in file_links(entry.get("value"))}
    row = find_file(link.session.conversation_id, str(file_id))
    is_own = row is not None and row.session_id == link.session_id
    if row is None or _ending_notice(link.session) or not (is_own or str(file_id) in shown_ids):
        raise Http404
    return file_response(row)


def _submit_answer(request: HttpRequest, link: AnswerLink) -> HttpResponse:
    if request.POST.get("undecided"):
        return _leave_undecided(request, link)
    typed, file_refusal = read_sent_form(request, link.session, links.caller_of_link(link))
    if (changed := change_rows(request, typed)) is not None:
        return _refusal_response(request, link, Attempt(changed, file_refusal))
    if file_refusal is not None:
        return _refusal_response(request, link, Attempt(typed, file_refusal))
    sent = Answer(typed.action, typed.values, InputFormat.TYPED, typed.reason)
    key = request.POST.get("key", "")[:200]
    try:
        outcome = service.submit(link.session_id, links.caller_of_link(link), sent, version=_version(request), key=key)
    except Refused as refused:
        return _refusal_response(request, link, Attempt(typed, refused))
    return _notice_response(request, link, _thank_you_notice(outcome.status))


def _leave_undecided(request: HttpRequest, link: AnswerLink) -> HttpResponse:
    try:
        links.mark_undecided(link)
    except Refused as refused:
        return _refusal_response(request, link, Attempt(FormInput({}), refused))
    text = _("We noted that you cannot decide this. The question stays open, and you can still answer it.")
    return _notice_response(request, link, Notice(200, _("Thank you"), text, again=True))


def _refusal_response(request: HttpRequest, link: AnswerLink, attempt: Attempt) -> HttpResponse:
    """Return the form with what was typed and its errors, or how the session ended."""
    if attempt.refused is not None and attempt.refused.status == LinkNotFound.status:
        raise attempt.refused
    return _page_response(request, links.reload_link(link), attempt)


def _page_response(request: HttpRequest, link: AnswerLink, attempt: Attempt = BLANK) -> HttpResponse:
    ended = _ending_notice(link.session)
    return _notice_response(request, link, ended) if ended else _form_response(request, link, attempt)


def _form_response(request: HttpRequest, link: AnswerLink, attempt: Attempt) -> HttpResponse:
    session, now = link.session, clock.now()
    page = gate_page(session, read_link_holder(link.pk), attempt)
    context = _link_context(link) | {
        "gate": page,
        "options": [option for option in page.options if option.id],
        "expiry": next((option for option in page.options if option.on_expiry), None),
        "deadline": absolute_words(session.expires_at, session),
        "asked": words_beside(session.opened_at, session.expires_at, session),
        "now": words_beside(now, session.expires_at, session),
        "at_stake": summary_line(session),
        "wrong": attempt.refused,
    }
    return render(
        request, "dialogue/answer/answer.html", context, status=attempt.refused.status if attempt.refused else 200
    )


def _version(request: HttpRequest) -> int | None:
    text = request.POST.get("version", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _notice_response(request: HttpRequest, link: AnswerLink, notice: Notice) -> HttpResponse:
    return render(
        request, "dialogue/answer/answered.html", _link_context(link) | {"notice": notice}, status=notice.status
    )


def _link_context(link: AnswerLink) -> dict[str, object]:
    return {"link": link, "session": link.session, "asker": link.session.conversation.assistant.translated_title}


def _ending_notice(session: HITLSession) -> Notice | None:
    """Return how the session ended, with who and when; None while it can be answered."""
    moment_words = partial(absolute_words, session=session)
    match State(session.state):
        case State.SUBMITTED:
            refusal: Refused = already_submitted(session, moment_words)
            return Notice(refusal.status, _("This has been answered"), refusal.detail)
        case State.CANCELLED:
            refusal = gate_cancelled(session, moment_words)
            return Notice(refusal.status, _("This is not needed any more"), refusal.detail)
        case State.EXPIRED:
            return _expiry_notice(session)
        case State.OPEN | State.CLAIMED:
            return _expiry_notice(session) if deadline_passed(session, clock.now()) else None


def _expiry_notice(session: HITLSession) -> Notice:
    refusal = gate_expired(session, partial(absolute_words, session=session))
    return Notice(refusal.status, _("The time to answer is over"), refusal.detail)


def _thank_you_notice(status: int) -> Notice:
    if status == 202:
        return Notice(
            status, _("Thank you"), _("Your answer was taken. A second person has to agree before it counts.")
        )
    return Notice(status, _("Thank you"), _("Your answer was taken. You can close this page."))
