"""Requests of other systems' agents over HTTP: ask staff, wait for the answer, withdraw."""

from collections.abc import AsyncIterator
from datetime import timedelta
from time import monotonic
from typing import Annotated, Any
from urllib.parse import urlsplit

from django.http import HttpRequest, StreamingHttpResponse
from django.utils.translation import gettext as _
from ninja import Query, Router, Status
from pydantic import Field, StrictBool, StrictInt, StrictStr, field_validator, model_validator

from dialogue.desk.access.people import ASK, Person
from dialogue.desk.access.token_scopes import REQUESTS
from dialogue.desk.agent_requests.answers import WAITING, mark_delivered, request_view
from dialogue.desk.agent_requests.callbacks import CallbackRefused, check_address, replace_secret, secret_of
from dialogue.desk.agent_requests.opening import (
    NewRequest,
    RequestRefused,
    SameRefOtherBody,
    TooManyOpen,
    digest_of,
    open_request,
)
from dialogue.desk.agent_requests.withdrawal import NotWaiting, withdraw_request
from dialogue.dialects.pauses import AskRefused
from dialogue.dialects.table import DIALECTS
from dialogue.engine.language.human_steps import Channel
from dialogue.engine.slots.durations import DurationRefused, parse_duration
from dialogue.models import AgentRequest
from dialogue.turns.live import notify
from dialogue.turns.process.crash_points import crash_point
from dialogue.turns.process.database import in_background
from dialogue.web.api.auth import BearerToken, SessionCookie, person_of, person_or_401, scoped, visitor_of
from dialogue.web.api.event_stream import event_text, stream_limiter, stream_response
from dialogue.web.api.problems import Problem, not_found
from dialogue.web.api.schemas import REFUSED, Body

router = Router(auth=[BearerToken(), SessionCookie()], tags=["requests"])

JsonObject = dict[str, Any]
ANSWERS: dict[Any, Any] = {200: JsonObject, 201: JsonObject, REFUSED: None}
MAX_WAIT_SECONDS = 60
LOOK_SECONDS = 5.0
"""A waiting call looks again after so long, in case that a notification was lost."""
MAX_WAITING_CALLS = 50
"""Calls of one account that may wait at a time."""
RETRY_AFTER_SECONDS = 30
"""When a program may ask again whose account has too many open requests: people decide in minutes."""
MAX_TIMEOUT = timedelta(days=90)
MAX_CONTEXT_LINES = 50
MAX_CHANNELS = 10
Reference = Annotated[StrictStr, Field(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9._:~-]+$")]
Name = Annotated[StrictStr, Field(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f]+$")]


class RequestSource(Body):
    """Which agent asks, in which thread of its own, and where people can look at that."""

    name: Name
    thread: Annotated[StrictStr, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]+$")]
    run: Annotated[StrictStr, Field(max_length=200)] = ""
    link: Annotated[StrictStr, Field(max_length=2000)] = ""

    @field_validator("link")
    @classmethod
    def _is_address(cls, link: str) -> str:
        if link and (urlsplit(link).scheme not in ("http", "https") or not urlsplit(link).netloc):
            raise ValueError(_("Write an address that begins with https:// or http://."))
        return link


class NewAgentRequest(Body):
    """A question of an agent, in the words of its framework. `timeout` and `due` are durations, such as 30m."""

    id: Reference
    dialect: StrictStr
    ask: Any
    source: RequestSource
    timeout: StrictStr
    on_timeout: Annotated[StrictStr, Field(min_length=1, max_length=64)]
    due: StrictStr | None = None
    group: Annotated[StrictStr, Field(max_length=150)] = ""
    queue: Annotated[StrictStr, Field(max_length=64)] = ""
    people: Annotated[StrictInt, Field(ge=1, le=5)] = 1
    four_eyes: StrictBool = False
    callback: Annotated[StrictStr, Field(max_length=2000)] = ""
    channels: Annotated[list[Channel], Field(max_length=MAX_CHANNELS)] = []
    context: Annotated[list[Annotated[StrictStr, Field(max_length=2000)]], Field(max_length=MAX_CONTEXT_LINES)] = []

    @field_validator("dialect")
    @classmethod
    def _is_known(cls, name: str) -> str:
        if name not in DIALECTS:
            raise ValueError(_("This dialect is unknown. Write one of %s.") % ", ".join(DIALECTS))
        return name

    @field_validator("callback")
    @classmethod
    def _is_callback(cls, url: str) -> str:
        if url:
            try:
                check_address(url)
            except CallbackRefused as refused:
                raise ValueError(str(refused)) from None
        return url

    @field_validator("timeout", "due")
    @classmethod
    def _is_duration(cls, text: str | None) -> str | None:
        try:
            if text is not None and parse_duration(text) > MAX_TIMEOUT:
                raise ValueError(_("At most %s days are possible.") % MAX_TIMEOUT.days)
        except DurationRefused as refused:
            raise ValueError(str(refused)) from None
        return text

    @model_validator(mode="after")
    def _is_due_before_the_end(self) -> "NewAgentRequest":
        if self.due is not None and parse_duration(self.due) >= parse_duration(self.timeout):
            raise ValueError(_("`due` must come before `timeout`."))
        return self

    def request(self) -> NewRequest:
        """The request for the desk."""
        details = {"run": self.source.run, "link": self.source.link, "context": self.context}
        return NewRequest(
            ref=self.id,
            dialect=self.dialect,
            ask=self.ask,
            source=self.source.name,
            thread=self.source.thread,
            timeout=parse_duration(self.timeout),
            on_timeout=self.on_timeout,
            due=parse_duration(self.due) if self.due else None,
            group=self.group,
            queue=self.queue,
            people=self.people,
            four_eyes=self.four_eyes,
            details=details,
            callback=self.callback,
            channels=tuple(channel.model_dump(exclude_none=True) for channel in self.channels),
            body_sha256=digest_of(self.model_dump(mode="json")),
        )


class Waiting(Body):
    """How many seconds the call may wait for the answer."""

    wait: Annotated[int, Field(ge=0, le=MAX_WAIT_SECONDS)] = 0


@router.post("", response=ANSWERS)
@scoped(REQUESTS)
def post_request(request: HttpRequest, body: NewAgentRequest) -> Status[JsonObject]:
    """Ask staff to decide. 201 with a session for each question; the same id and body again 200, another body 422.

    With `callback` the answer is posted there, signed with `callback_secret` as Standard Webhooks says.
    """
    person = _asker(person_of(request))
    try:
        stored, repeated = open_request(person, body.request())
    except AskRefused as refused:
        path = refused.path if refused.path.startswith("ask") else f"ask.{refused.path}"
        raise _problem("invalid_ask", path, refused.problem) from None
    except SameRefOtherBody as refused:
        raise _problem("same_id_other_body", refused.path, str(refused)) from None
    except TooManyOpen as refused:
        detail = _("%s requests of this account wait for an answer. Send this one again when some are answered.")
        raise Problem(429, "too_many_open", detail % refused, retry_after_seconds=RETRY_AFTER_SECONDS) from None
    except RequestRefused as refused:
        raise _problem("invalid_values", refused.path, str(refused)) from None
    crash_point("R2")
    secret = {"callback_secret": secret_of(stored.by_id)} if stored.callback else {}
    return Status(200 if repeated else 201, {**request_view(stored), **secret})


@router.post("/callback-secret/replace", response={200: JsonObject, REFUSED: None})
@scoped(REQUESTS)
def replace_callback_secret(request: HttpRequest) -> JsonObject:
    """Replace the secret that signs callbacks of this account: `{callback_secret}`. The earlier one signs for a day."""
    return {"callback_secret": replace_secret(_asker(person_of(request)))}


@router.get("/{ref}", response={200: JsonObject, REFUSED: None}, auth=None)
@scoped(REQUESTS)
async def get_request(request: HttpRequest, ref: str, query: Query[Waiting]) -> JsonObject:
    """The request with its answer. `wait`: the call returns when all questions are decided, or after so many seconds.

    Reading the answer counts as its delivery; read again, it is the same.
    """
    stored, view = await in_background(_read)(request, ref)
    if view["state"] == WAITING and query.wait:
        view = await _wait_for_answer(request, stored, query.wait)
    return view


@router.get("/{ref}/events", response={200: Any, REFUSED: None}, auth=None)
@scoped(REQUESTS)
def follow_request(request: HttpRequest, ref: str) -> StreamingHttpResponse:
    """Server-sent events: `request` now and at each change, `answer` once all questions are decided; then it ends.

    The data of both is the request. Sending the answer counts as its delivery.
    """
    stored = _own_request(person_or_401(visitor_of(request)), ref)
    end = stream_limiter.begin(f"requests of {stored.by_id}", MAX_WAITING_CALLS)
    return stream_response(_request_events(request, stored), end)


@router.delete("/{ref}", response={200: JsonObject, REFUSED: None})
@scoped(REQUESTS)
def delete_request(request: HttpRequest, ref: str) -> JsonObject:
    """Withdraw the request: its open gates close. 409 when every question is decided."""
    person = person_of(request)
    stored = _own_request(person, ref)
    try:
        withdraw_request(person, stored)
    except NotWaiting:
        raise Problem(409, "already_decided", _("Every question of this request is decided.")) from None
    stored.refresh_from_db()
    return request_view(stored)


async def _request_events(request: HttpRequest, stored: AgentRequest) -> AsyncIterator[str]:
    last_event = ""
    async with notify.listening(notify.conversation_group(stored.conversation_id)) as wait:
        while True:
            try:
                _stored, view = await in_background(_read)(request, stored.ref)
            except Problem:
                return  # the right is gone, and the stream with it
            event = event_text("request" if view["state"] == WAITING else "answer", view)
            yield event if event != last_event else ": nothing new\n\n"
            if view["state"] != WAITING:
                return
            last_event = event
            await wait(LOOK_SECONDS)


async def _wait_for_answer(request: HttpRequest, stored: AgentRequest, seconds: int) -> JsonObject:
    end = stream_limiter.begin(f"requests of {stored.by_id}", MAX_WAITING_CALLS)
    try:
        until = monotonic() + seconds
        async with notify.listening(notify.conversation_group(stored.conversation_id)) as wait:
            while True:
                # Read after the group was joined, so that no decision falls in between.
                _stored, view = await in_background(_read)(request, stored.ref)
                remaining = until - monotonic()
                if view["state"] != WAITING or remaining <= 0:
                    return view
                await wait(min(remaining, LOOK_SECONDS))
    finally:
        end()


def _read(request: HttpRequest, ref: str) -> tuple[AgentRequest, JsonObject]:
    stored = _own_request(person_or_401(visitor_of(request)), ref)
    view = request_view(stored)
    if view["state"] != WAITING:
        crash_point("R5")
        mark_delivered(stored, "poll")
        crash_point("R6")
    return stored, view


def _asker(person: Person) -> Person:
    """The person, if they may send requests. Raises a 403."""
    if person.is_auditor or not person.has(ASK):
        text = _(
            "Your account may not ask staff in the name of agents. "
            "It needs the permission ask_agentrequest, and no role of an auditor."
        )
        raise Problem(403, "not_allowed", text)
    return person


def _own_request(person: Person, ref: str) -> AgentRequest:
    """The request with this id that this account sent. Raises a 404."""
    stored = AgentRequest.objects.filter(by=person.id, ref=ref).select_related("conversation").first()
    if stored is None:
        raise not_found()
    return stored


def _problem(code: str, path: str, message: str) -> Problem:
    name = path.rstrip(".")
    return Problem(422, code, f"{name}: {message}", [{"name": name, "rule": code, "message": message, "value": ""}])
