"""Errors as `application/problem+json`: status, code, detail, and the fields that are wrong."""

import json
import logging
from collections.abc import Callable, Iterable, Sequence
from http import HTTPStatus
from typing import Any
from uuid import uuid4

from django.core.exceptions import RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from dialogue.desk.access.people import AccountClosed
from dialogue.desk.forms.refusals import Refused
from dialogue.desk.protocols.incoming import ReplyRefused
from dialogue.desk.queue.keyset import NotOffered
from dialogue.engine.slots.payloads import WrongField
from dialogue.models import ApiToken
from dialogue.turns.accept import AssistantNotFound, ConversationNotFound, MessageRefused, TextTooLarge
from dialogue.turns.load import ServerBusy
from dialogue.turns.process import writes
from dialogue.web.shared.limits import LimitReached, limit_text

log = logging.getLogger(__name__)

MAX_BODY_SIZE = "1 MiB"


class Problem(Exception):
    """A request that cannot be answered as asked. `fields` are {name, rule, message, value}."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        fields: list[dict[str, Any]] | None = None,
        retry_after_seconds: int = 0,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.fields = fields or []
        self.retry_after_seconds = retry_after_seconds

    def plain(self) -> dict[str, Any]:
        return {"code": self.code, "detail": self.detail, "fields": self.fields}


def not_found() -> Problem:
    """The 404 of what does not exist, and of what this caller may not know of."""
    return Problem(404, "not_found", _("There is nothing here."))


def not_signed_in() -> Problem:
    return Problem(401, "not_signed_in", _("Sign in, or send a bearer token."))


def token_unknown() -> Problem:
    """The 401 of a bearer token that opens nothing; it does not tell whether the token was ever valid."""
    detail = _("This token is not known here, has ended or was revoked. Check it, or ask for a new one.")
    return Problem(401, "not_signed_in", detail)


def token_refused(token: ApiToken) -> Problem:
    """The 401 of an API token that was revoked or has ended."""
    if token.revoked_at is not None:
        day = date_format(localtime(token.revoked_at), "DATE_FORMAT")
        return Problem(401, "token_revoked", _("This token was revoked on %s. Ask for a new one.") % day)
    day = date_format(localtime(token.ends_at), "DATE_FORMAT")
    return Problem(401, "token_ended", _("This token ended on %s. Ask for a new one.") % day)


def scope_missing(token: ApiToken, scopes: Sequence[str]) -> Problem:
    """The 403 of an API token that has none of the scopes that open a call."""
    needed, granted = (" · ".join(names) or "—" for names in (scopes, token.scopes or ()))
    detail = _("This token may not do this. It needs the scope %(needed)s, and has: %(granted)s.")
    return Problem(403, "scope_missing", detail % {"needed": needed, "granted": granted})


def problem_response(status: int, plain: dict[str, Any]) -> HttpResponse:
    """The response of a problem; `plain` holds at least code and detail."""
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "fields": [], **plain}
    response = HttpResponse(json.dumps(body, default=str), status=status, content_type="application/problem+json")
    if status == 401:
        response["WWW-Authenticate"] = "Bearer"
    if status in (429, 503):
        response["Retry-After"] = "2"
    return response


def add_problem_handlers(api: NinjaAPI) -> None:
    """Answer every known exception with its problem, and every other one with a 500 and a reference."""
    for exception, problem in _PROBLEM_MAKERS.items():
        api.add_exception_handler(exception, _handler_of(problem))
    for closed in (AuthenticationError, AccountClosed):
        api.add_exception_handler(closed, _not_signed_in_answer)
    for away in (OperationalError, InterfaceError):
        api.add_exception_handler(away, database_answer)
    api.add_exception_handler(Problem, _problem_answer)
    api.add_exception_handler(Refused, _problem_answer)
    api.add_exception_handler(HttpError, _http_error_answer)
    api.add_exception_handler(ValidationError, _invalid_request_answer)
    api.add_exception_handler(Exception, _internal_error_answer)


def problem_of_response(response: HttpResponse) -> HttpResponse:
    """A bare error response of a library (405, for example) as a problem; anything else as it is."""
    if response.status_code < 400 or "json" in response.get("Content-Type", ""):
        return response
    code = HTTPStatus(response.status_code).name.lower()
    problem = problem_response(response.status_code, {"code": code, "detail": HTTPStatus(response.status_code).phrase})
    if "Allow" in response:
        problem["Allow"] = response["Allow"]
    return problem


ProblemMaker = Callable[[Any], Problem]

_PROBLEM_MAKERS: dict[type[Exception], ProblemMaker] = {
    Http404: lambda _error: not_found(),
    ConversationNotFound: lambda _error: not_found(),
    ReplyRefused: lambda error: Problem(422, "invalid_body", str(error)),
    NotOffered: lambda error: Problem(400, "not_offered", str(error)),
    AssistantNotFound: lambda error: _unknown_assistant(str(error)),
    MessageRefused: lambda error: Problem(error.status, error.code, error.detail),
    RequestDataTooBig: lambda _error: body_too_large(),
    MultiPartParserError: lambda error: Problem(400, "invalid_form", _("The form was not taken: %s.") % error),
    TextTooLarge: lambda error: part_too_large("text", error.limit),
    ServerBusy: lambda error: Problem(503, "busy", limit_text(error), retry_after_seconds=error.seconds),
    LimitReached: lambda error: Problem(429, "rate_limited", limit_text(error), retry_after_seconds=error.seconds),
}


def body_too_large() -> Problem:
    return Problem(413, "too_large", _("A request may hold at most %s.") % MAX_BODY_SIZE)


def part_too_large(name: str, limit: int) -> Problem:
    """The 413 of one field that holds more than `limit` bytes."""
    message = _("At most %s KiB fit here.") % (limit // 1024)
    return Problem(413, "too_large", f"{name}: {message}", [{"name": name, "rule": "max_bytes", "message": message}])


def wrong_fields(part: str, wrong: Iterable[WrongField]) -> Problem:
    """The 422 of values that do not fit what the assistant declares; `part` is their common key in the body, or ""."""
    prefix = f"{part}." if part else ""
    fields = [{"name": f"{prefix}{field.name}", "rule": field.rule, "message": field.message} for field in wrong]
    detail = "; ".join(f"{field['name']}: {field['message']}" for field in fields)
    return Problem(422, "invalid_values", detail, fields)


def _unknown_assistant(name: str) -> Problem:
    message = _("There is no published assistant of this name.")
    field = {"name": "assistant", "rule": "unknown", "message": message, "value": name[:200]}
    return Problem(422, "unknown_assistant", message, [field])


def _handler_of(maker: ProblemMaker) -> Callable[[HttpRequest, Any], HttpResponse]:
    return lambda request, error: _problem_answer(request, maker(error))


def _not_signed_in_answer(request: HttpRequest, _error: Any) -> HttpResponse:
    scheme, _blank, token = request.headers.get("Authorization", "").partition(" ")
    has_token = scheme.lower() == "bearer" and token.strip() != ""
    return _problem_answer(request, token_unknown() if has_token else not_signed_in())


def _problem_answer(_request: HttpRequest, problem: Any) -> HttpResponse:
    response = problem_response(problem.status, problem.plain())
    seconds = getattr(problem, "retry_after_seconds", 0)
    if seconds:
        response["Retry-After"] = str(seconds)
    return response


def _http_error_answer(request: HttpRequest, error: Any) -> HttpResponse:
    """Ninja wraps the error of reading the body; its cause says more."""
    if isinstance(error.__cause__, Problem):
        return _problem_answer(request, error.__cause__)
    if isinstance(error.__cause__, RequestDataTooBig):
        return _problem_answer(request, body_too_large())
    code = HTTPStatus(error.status_code).name.lower()
    return problem_response(error.status_code, {"code": code, "detail": str(error)})


def _invalid_request_answer(request: HttpRequest, error: Any) -> HttpResponse:
    """A body of the wrong form is 422, a query that is not offered 400, an address of the wrong form 404."""
    source = str(error.errors[0]["loc"][0]) if error.errors else "body"
    if source == "path":
        return _problem_answer(request, not_found())
    fields = [_field_of(field_error) for field_error in error.errors]
    detail = "; ".join(f"{field['name']}: {field['message']}" for field in fields)
    status, code = (400, "not_offered") if source == "query" else (422, "invalid_body")
    return problem_response(status, {"code": code, "detail": detail, "fields": fields})


def _field_of(error: dict[str, Any]) -> dict[str, Any]:
    # The first two parts are where it came from and our own name of the body.
    path = [str(part) for part in error["loc"][1:]]
    name = ".".join(path[1:] or path)
    # Pydantic writes what kind of error it is before the sentence of one of our own checks.
    message = error["msg"].removeprefix("Value error, ")
    return {"name": name, "rule": error["type"], "message": message, "value": ""}


def database_answer(request: HttpRequest, error: Any) -> HttpResponse:
    """The 503 of a database that is away. The request may be sent again: by its id or key it is taken once."""
    log.error("the database did not answer a request", exc_info=error)
    writes.remember_failure()
    detail = _("The database does not answer. Please try again.")
    return _problem_answer(request, Problem(503, "try_again", detail))


def _internal_error_answer(_request: HttpRequest, error: Any) -> HttpResponse:
    reference = uuid4().hex[:8]
    log.error("a request failed, reference %s", reference, exc_info=error)
    detail = _("Something went wrong on our side. Reference: %s") % reference
    return problem_response(500, {"code": "error", "detail": detail, "ref": reference})
