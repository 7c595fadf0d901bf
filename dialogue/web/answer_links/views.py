"""The page of an answer link, without scripts. Reading changes nothing; submitting decides, as the desk does."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_GET, require_http_methods

from dialogue.desk.access.people import LinkClosed, read_link_holder
from dialogue.desk.forms.deadlines import absolute_words, words_beside
from dialogue.desk.sessions import links, service
from dialogue.desk.sessions.links import LinkNotFound
from dialogue.desk.sessions.service import Answer, InputFormat, Refused
from dialogue.models import AnswerLink
from dialogue.turns import clock
from dialogue.turns.live.values_at_stake import summary_line
from dialogue.web.answer_links.notices import Notice, ending_notice, thank_you_notice, undecided_notice
from dialogue.web.gates.file_inputs import file_links, read_sent_form
from dialogue.web.gates.forms import Attempt, FormInput
from dialogue.web.gates.page import gate_page
from dialogue.web.gates.rows import decider_name
from dialogue.web.gates.table_rows import change_rows
from dialogue.web.shared.downloads import file_response, find_file

BLANK = Attempt(FormInput({}))
"""An empty form: fields that staff answered one by one are not shown to approvers."""


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
    if row is None or ending_notice(link) or not (is_own or str(file_id) in shown_ids):
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
    link = links.reload_link(link)
    return _notice_response(request, link, thank_you_notice(link, outcome.status, sent.action))


def _leave_undecided(request: HttpRequest, link: AnswerLink) -> HttpResponse:
    try:
        links.mark_undecided(link)
    except Refused as refused:
        return _refusal_response(request, link, Attempt(FormInput({}), refused))
    return _notice_response(request, link, undecided_notice(link.session))


def _refusal_response(request: HttpRequest, link: AnswerLink, attempt: Attempt) -> HttpResponse:
    """Return the form with what was typed and its errors, or how the session ended."""
    if attempt.refused is not None and attempt.refused.status == LinkNotFound.status:
        raise attempt.refused
    return _page_response(request, links.reload_link(link), attempt)


def _page_response(request: HttpRequest, link: AnswerLink, attempt: Attempt = BLANK) -> HttpResponse:
    ended = ending_notice(link, answered=attempt.refused is not None)
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
    session = link.session
    facts = {
        "notice": notice,
        "at_stake": summary_line(session),
        "asked": absolute_words(session.opened_at, session),
        "decided": absolute_words(session.decided_at, session) if notice.outcome else "",
        "decider": decider_name(session) if notice.outcome else "",
    }
    return render(request, "dialogue/answer/answered.html", _link_context(link) | facts, status=notice.status)


def _link_context(link: AnswerLink) -> dict[str, object]:
    return {"link": link, "session": link.session, "asker": link.session.conversation.assistant.translated_title}
