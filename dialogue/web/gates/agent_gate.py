"""What stands around the gate of another system's agent: who asks, its own words, and how far the answer has come."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext_lazy, ngettext

from dialogue.desk.access.people import Person
from dialogue.desk.access.redaction import sees_in_full
from dialogue.desk.agent_requests.previews import preview_answers
from dialogue.desk.forms.agent_answers import asked_pause
from dialogue.dialects.answer_forms import changed_args
from dialogue.dialects.pauses import Meaning
from dialogue.dialects.table import DIALECTS
from dialogue.models import AgentPause, AgentRequest, HITLSession
from dialogue.turns.live.serializers import answered_in_secret, redactor_for_values, sensitive_texts
from dialogue.web.gates.forms import FormInput

Delivery = HITLSession.Delivery

_DELIVERIES = {
    Delivery.NONE: gettext_lazy("Waits for a decision"),
    Delivery.PENDING: gettext_lazy("The agent does not have it yet"),
    Delivery.APPLYING: gettext_lazy("It is being sent"),
    Delivery.APPLIED: gettext_lazy("The agent has it"),
    Delivery.INCIDENT: gettext_lazy("It could not be sent"),
    Delivery.ABANDONED: gettext_lazy("It was not sent"),
    Delivery.OVERTAKEN: gettext_lazy("The agent needed it no more"),
}


@dataclass(frozen=True)
class ContextLine:
    """One line of what the agent says led to its question; `speaker` is what stands before its first colon."""

    speaker: str
    text: str


@dataclass(frozen=True)
class AgentGate:
    """The agent and its question, for the template. Every text is the agent's own, and was not checked."""

    source: str
    framework: str
    thread: str
    run: str
    link: str
    account: str
    reference: str
    question: str
    call: str
    question_link: str
    context: list[ContextLine]
    delivery: str
    is_stuck: bool
    delivered_at: datetime | None
    others: int
    error: str
    sent: str
    is_called_back: bool


def agent_gate(session: HITLSession, person: Person) -> AgentGate | None:
    """Return what is known of the agent that asks; None for a gate of our own flows."""
    if not session.is_from_agent:
        return None
    row = AgentPause.objects.select_related("request__by").get(session=session)
    request, pause = row.request, asked_pause(row).pause
    redact = _redactor(session, person)
    sent = _json_text(request.answer and request.answer.get("answer"))
    question = redact(pause.question)
    return AgentGate(
        source=request.source,
        framework=DIALECTS[request.dialect].title if request.dialect in DIALECTS else request.dialect,
        thread=request.thread,
        run=request.details.get("run", ""),
        link=request.details.get("link", ""),
        account=request.by.get_username(),
        reference=request.ref,
        question=question if question.strip() != session.title else "",
        call=pause.proposal.name if pause.proposal else "",
        question_link=pause.link if pause.link.startswith(("https://", "http://")) else "",
        context=[_line(redact(text)) for text in request.details.get("context", ())],
        delivery=str(_DELIVERIES[Delivery(session.delivery)]),
        is_stuck=session.delivery == Delivery.INCIDENT,
        delivered_at=request.delivered_at if request.state == AgentRequest.State.DELIVERED else None,
        others=request.pauses.count() - 1,
        error=request.error,
        sent=redact(sent),
        is_called_back=bool(request.callback),
    )


def preview_facts(session: HITLSession, person: Person, typed: FormInput) -> dict[str, Any]:
    """Return, as JSON data, what each answer would send for what is typed, and which arguments were changed.

    `answers` have their `action`, the `label` of its button, and the `body` as text or the `problem`; `edit` is the
    action that sends the changes.
    """
    previews = preview_answers(session, person, typed.values, typed.reason)
    redact = _redactor(session, person)
    count = len(previews.changed)
    edit = asked_pause(AgentPause.objects.get(session=session)).pause.answer_meaning(Meaning.EDIT)
    return {
        "answers": [{**vars(answer), "body": redact(_json_text(answer.body))} for answer in previews.answers],
        "changed": list(previews.changed),
        "changes": ngettext("%(count)s change by you", "%(count)s changes by you", count) % {"count": count},
        "edit": edit.id if edit else "",
    }


def _redactor(session: HITLSession, person: Person) -> Callable[[str], str]:
    """Return the function that masks the secrets of questions and answers for people who may not see them.

    What is sent holds those of the request's other questions too. In JSON a secret is escaped, and escaped twice where
    a text holds JSON itself, such as the arguments of a call.
    """
    if sees_in_full(session, person):
        return lambda text: text
    secrets: set[str] = set()
    for row in HITLSession.objects.filter(agent_pause__request__pauses__session=session):
        secrets |= {*sensitive_texts(row.shown), *answered_in_secret(row)}
    escaped = {_escape_for_json(secret) for secret in secrets}
    return redactor_for_values(secrets | escaped | {_escape_for_json(text) for text in escaped})


def _escape_for_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _json_text(answer: Any) -> str:
    return "" if answer is None else json.dumps(answer, ensure_ascii=False, indent=2)


def editable_arguments(session: HITLSession) -> dict[str, str]:
    """Return the proposed arguments for which the form has a field that shows the proposal: {field: argument}."""
    if not session.is_from_agent or not session.shown:
        return {}
    asked = asked_pause(AgentPause.objects.get(session=session))
    return {field.name: field.prop for field in asked.fields if "default" in field.slot}


def changed_fields(session: HITLSession) -> frozenset[str]:
    """Return the fields of the form in which a decided call differs from the agent's proposal."""
    if not session.is_from_agent or not session.values:
        return frozenset()
    asked = asked_pause(AgentPause.objects.get(session=session))
    proposed = asked.pause.proposal.args if asked.pause.proposal else {}
    return frozenset(changed_args(asked.fields, proposed, session.values))


def _line(text: str) -> ContextLine:
    speaker, colon, words = text.partition(":")
    is_speaker = bool(colon) and len(speaker) <= 30 and "\n" not in speaker
    return ContextLine(speaker, words.strip()) if is_speaker else ContextLine("", text)
