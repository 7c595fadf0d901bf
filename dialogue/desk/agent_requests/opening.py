"""Open a request of another system's agent: a gate for each of its questions, in the thread's own conversation."""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from django.contrib.auth.models import Group
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _

from dialogue.audit import chain
from dialogue.audit.chain import Act
from dialogue.conf import soni
from dialogue.desk.access.people import Person
from dialogue.desk.agent_requests.question_texts import label_of_answer, masked_question, shown_args, title_of
from dialogue.desk.forms.agent_answers import form_of_fields, snapshot_of
from dialogue.desk.forms.choices import NO_ANSWER
from dialogue.desk.sessions.operation import publish_inbox_event
from dialogue.dialects.answer_forms import AnswerField, fields_of_form
from dialogue.dialects.pauses import WITHOUT_CONSENT, Meaning, Pause
from dialogue.dialects.table import DIALECTS, read_ask
from dialogue.engine.language.steps import HumanAction
from dialogue.models import AgentPause, AgentRequest, Assistant, Conversation, HITLSession, Release
from dialogue.models.sessions.session import AGENT_FRAME, earliest_of
from dialogue.turns import clock
from dialogue.turns.accept import AGENT_CHANNEL, storable_value
from dialogue.turns.answer_links import invite_people
from dialogue.turns.live.values_at_stake import searchable_text
from dialogue.turns.process.crash_points import crash_point

HOME = "other-agents"
"""The assistant of all threads of other systems' agents. It was never published, so no one can chat with it."""
_HOME_TEXTS = {"assistant.yaml": "version: 1\nassistant: other_agents\ntitle: Other agents\n"}
_STYLES = {Meaning.AGREE: "primary", Meaning.CHOOSE: "default", Meaning.REFUSE: "danger"}


def authored_assistants() -> QuerySet[Assistant]:
    """The assistants that somebody wrote, and so can test and explain: all but the one of other systems' agents."""
    return Assistant.objects.exclude(name=HOME)


class RequestRefused(ValueError):
    """The request cannot be opened; `path` is the key of the body that is wrong."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(problem)
        self.path = path


class SameRefOtherBody(RequestRefused):
    """The id was used before, with another body."""


class TooManyOpen(Exception):
    """So many requests of the account wait that no further one is taken; the argument is the limit."""


@dataclass(frozen=True)
class NewRequest:
    """A request as a program sends it; `ask` is in the shape of the dialect. `body_sha256` recognises a repeat."""

    ref: str
    dialect: str
    ask: Any
    source: str
    thread: str
    timeout: timedelta
    on_timeout: str
    due: timedelta | None = None
    group: str = ""
    queue: str = ""
    people: int = 1
    four_eyes: bool = False
    details: dict[str, Any] = field(default_factory=dict)
    channels: tuple[dict[str, str], ...] = ()
    callback: str = ""
    body_sha256: str = ""


def open_request(person: Person, new: NewRequest) -> tuple[AgentRequest, bool]:
    """Store a request and open its gates; return it, and whether it was there before.

    Raises AskRefused for a question that is not in the dialect's shape, RequestRefused, SameRefOtherBody, TooManyOpen.
    """
    earlier = _earlier_request(person, new)
    if earlier is not None:
        return earlier, True
    _check_open_requests(person)
    new = replace(new, ask=storable_value(new.ask))
    pauses = [Pause.from_plain(storable_value(pause.plain())) for pause in read_ask(new.dialect, new.ask)]
    forms = [_fields_of(pause, several=new.people > 1) for pause in pauses]
    _check_rules(new, pauses)
    try:
        with transaction.atomic():
            return _store(person, new, list(zip(pauses, forms, strict=True))), False
    except IntegrityError:  # the same id came twice at once
        earlier = _earlier_request(person, new)
        if earlier is None:
            raise
        return earlier, True


def digest_of(body: Any) -> str:
    """Return the hash by which a repeated body is recognised."""
    text = json.dumps(body, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _earlier_request(person: Person, new: NewRequest) -> AgentRequest | None:
    earlier = AgentRequest.objects.filter(by=person.id, ref=new.ref).first()
    if earlier is not None and earlier.body_sha256 != new.body_sha256:
        raise SameRefOtherBody("id", _("This id was used before, with another body. Use a new id."))
    return earlier


def _check_open_requests(person: Person) -> None:
    """Refuse an account whose agents ask faster than people decide. Requests at the same moment may pass together."""
    limit: int = soni.OPEN_REQUESTS_PER_ACCOUNT
    unanswered = AgentRequest.objects.filter(by=person.id, state=AgentRequest.State.WAITING, answered_at=None)
    if limit and _reaches(unanswered, limit):
        # `answered_at` is written when the answer is read: those that no agent came back for are open no more.
        undecided = HITLSession.objects.filter(agent_pause__request=OuterRef("pk"), state__in=HITLSession.UNDECIDED)
        if _reaches(unanswered.filter(Exists(undecided)), limit):
            raise TooManyOpen(limit)


def _reaches(rows: QuerySet[AgentRequest], limit: int) -> bool:
    return len(rows.order_by().values_list("pk")[:limit]) >= limit


def _fields_of(pause: Pause, *, several: bool) -> tuple[AnswerField, ...]:
    """Return the fields of the gate's form: none for a call to which several people agree as it was proposed."""
    edits = pause.answer_meaning(Meaning.EDIT) is not None
    proposed = pause.proposal.args if pause.proposal and edits else None
    if not pause.form or (several and proposed is not None):
        return ()
    return fields_of_form(pause.form, proposed)


def _check_rules(new: NewRequest, pauses: Sequence[Pause]) -> None:
    """Refuse a deadline that would approve, and a quorum of an answer that no one can agree to."""
    for pause in pauses:
        ends = [answer.id for answer in pause.answers if answer.meaning in WITHOUT_CONSENT]
        if new.on_timeout != NO_ANSWER and new.on_timeout not in ends:
            facts = {"word": new.on_timeout[:60], "words": ", ".join([*ends, NO_ANSWER])}
            text = _("“%(word)s” cannot end this request, because a deadline never approves. Choose: %(words)s.")
            raise RequestRefused("on_timeout", text % facts)
        if new.people > 1 and not any(answer.consents for answer in pause.answers):
            raise RequestRefused("people", _("Several people can only agree to something; this question is open."))


def _store(person: Person, new: NewRequest, asked: list[tuple[Pause, tuple[AnswerField, ...]]]) -> AgentRequest:
    group = Group.objects.filter(name=new.group).first() if new.group else None
    if new.group and group is None:
        raise RequestRefused("group", _("There is no group of this name."))
    conversation = _thread_of(person, new)
    at = clock.now()
    request = AgentRequest.objects.create(
        by_id=person.id,
        ref=new.ref,
        body_sha256=new.body_sha256,
        conversation=conversation,
        dialect=new.dialect,
        source=new.source,
        thread=new.thread,
        ask=new.ask,
        details=storable_value(new.details),
        callback=new.callback,
        made_at=at,
        due_at=at,
    )
    opening = _Opening(request, new, group, at)
    sessions = [opening.open_gate(position, pause, fields) for position, (pause, fields) in enumerate(asked)]
    acts = [act for session in sessions for act in _announce(session, person, new, at)]
    chain.record(conversation.pk, acts, at, is_locked=True)
    crash_point("R1")
    return request


def _thread_of(person: Person, new: NewRequest) -> Conversation:
    """Return the locked conversation of the agent's thread; a new one if there is none that goes on."""
    earlier = AgentRequest.objects.filter(by=person.id, source=new.source, thread=new.thread)
    keys = earlier.order_by("-pk").values_list("conversation", flat=True)[:1]
    rows = Conversation.objects.select_for_update(of=("self",)).filter(pk__in=list(keys))
    conversation = rows.exclude(state__in=Conversation.OVER).first() or _new_conversation(person, new)
    conversation.state = Conversation.State.WAITING
    conversation.explicit = "waiting_for_human"
    conversation.outcome = Conversation.Outcome.STAFF
    conversation.active_at = clock.now()
    conversation.save(update_fields=["state", "explicit", "outcome", "active_at"])
    return conversation


def _new_conversation(person: Person, new: NewRequest) -> Conversation:
    release = _home_release()
    at = clock.now()
    title = DIALECTS[new.dialect].title
    return Conversation.objects.create(
        assistant=release.assistant,
        release=release,
        user_id=person.id,
        user_ref=f"{new.source} ({title})" if title else new.source,
        vouched=True,
        channel=AGENT_CHANNEL,
        metadata={"thread": new.thread},
        created_at=at,
        active_at=at,
    )


def _home_release() -> Release:
    home, _made = Assistant.objects.get_or_create(name=HOME, defaults={"title": "Other agents"})
    digest = digest_of(_HOME_TEXTS)
    release, _made = Release.objects.get_or_create(
        assistant=home,
        sha256=digest,
        trial=True,
        defaults={"number": 0, "engine_version": "1", "texts": _HOME_TEXTS},
    )
    return release


@dataclass(frozen=True)
class _Opening:
    """A stored request whose gates are opened at one moment."""

    request: AgentRequest
    new: NewRequest
    group: Group | None
    at: datetime

    def open_gate(self, position: int, pause: Pause, fields: tuple[AnswerField, ...]) -> HITLSession:
        """Store the gate of one question."""
        new, shown = self.new, shown_args(pause)
        expires_at, due_at = self.at + new.timeout, self.at + new.due if new.due else None
        row = HITLSession(
            uid=uuid4(),
            conversation=self.request.conversation,
            release=self.request.conversation.release,
            flow=_identifier(new.source),
            frame=f"{AGENT_FRAME}{self.request.pk}",
            step=_identifier(pause.proposal.name if pause.proposal else "question"),
            visit=position + 1,
            kind=HITLSession.Kind.HUMAN,
            audience=HITLSession.Audience.STAFF,
            title=title_of(masked_question(pause, shown)),
            schema=form_of_fields(pause, fields),
            shown=shown,
            actions=_actions_of(pause, several=new.people > 1),
            digest=digest_of(pause.plain()),
            group=self.group,
            queue=new.queue,
            four_eyes=new.four_eyes,
            people_required=new.people,
            channels=list(new.channels),
            opened_at=self.at,
            due_at=due_at,
            expires_at=expires_at,
            urgent_at=earliest_of(due_at, expires_at),
            on_timeout=new.on_timeout,
        )
        row.search_text = searchable_text(row)
        row.save()
        snapshot = snapshot_of(pause, fields)
        AgentPause.objects.create(session=row, request=self.request, position=position, snapshot=snapshot)
        return row


def _actions_of(pause: Pause, *, several: bool) -> list[dict[str, Any]]:
    """Return the answers as a gate's actions. Several people agree to what was proposed, so they may not edit it."""
    offered = [answer for answer in pause.answers if not (several and answer.meaning is Meaning.EDIT)]
    return [
        HumanAction.model_validate(
            {
                "id": answer.id,
                "label": label_of_answer(answer),
                "style": answer.style or _STYLES.get(answer.meaning, "default"),
                **({"reason": "required"} if answer.needs_text else {}),
            },
            context={"language": "en"},
        ).model_dump(mode="json")
        for answer in offered
    ]


def _announce(session: HITLSession, person: Person, new: NewRequest, at: datetime) -> list[Act]:
    publish_inbox_event(session, "opened", at)
    facts = {"flow": session.flow, "step": session.step, "dialect": new.dialect, "request": new.ref}
    return [Act("session.opened", person.name, person.account, session.name, facts), *invite_people(session, at)]


def _identifier(text: str) -> str:
    name = re.sub(r"[^a-z0-9]+", "_", re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", text).lower()).strip("_")[:64]
    return name or "agent"
