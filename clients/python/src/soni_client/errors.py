"""Errors: one class for each kind of refusal, with the API's own code and sentence."""

from collections.abc import Mapping
from typing import Any


class SoniError(Exception):
    """Base of all errors of this package."""


class Unreachable(SoniError):
    """The server did not answer, also after retries. The request may have arrived: send it again with the same id."""


class StillWaiting(SoniError):
    """The people have not decided within the caller's patience. The request stays open: ask again with the same id."""

    def __init__(self, request_id: str) -> None:
        super().__init__(f"request {request_id} is not decided yet")
        self.request_id = request_id


class Refusal(SoniError):
    """The API refused a call.

    `status` is the HTTP status, `code` the API's word for programs, `detail` its sentence for people, `fields` the
    wrong values as `{name, rule, message, value}`, `current` a session as it is now after a conflict, `body` the whole
    answer.
    """

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        self.status = status
        self.body = dict(body)
        self.code = str(body.get("code") or f"http_{status}")
        self.detail = str(body.get("detail") or body.get("title") or "The server gave no reason.")
        self.fields: list[dict[str, Any]] = list(body.get("fields") or [])
        self.current: dict[str, Any] | None = body.get("current")
        super().__init__(f"{status} {self.code}: {self.detail}")


class BadRequest(Refusal):
    """400: a filter or number that the call does not offer."""


class NotSignedIn(Refusal):
    """401: the token is missing, unknown or revoked."""


class NotAllowed(Refusal):
    """403: the token's account lacks the permission."""


class NotFound(Refusal):
    """404: it does not exist, or this account may not see it."""


class Conflict(Refusal):
    """409: something else happened first, such as another person's decision."""


class Gone(Refusal):
    """410: the session expired or was cancelled."""


class TooLarge(Refusal):
    """413: the body or one of its parts is too large."""


class InvalidValues(Refusal):
    """422: a value is wrong; `fields` says which, and nothing was stored."""


class RateLimited(Refusal):
    """429: too many calls, also after retries."""


class ServerFailed(Refusal):
    """5xx: the server failed, also after retries."""


_KINDS: dict[int, type[Refusal]] = {
    400: BadRequest,
    401: NotSignedIn,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    410: Gone,
    413: TooLarge,
    422: InvalidValues,
    429: RateLimited,
}


def refusal_of(status: int, body: Any) -> Refusal:
    """Return the error of an answer that is not 2xx."""
    kind = _KINDS.get(status, ServerFailed if status >= 500 else Refusal)
    return kind(status, body if isinstance(body, dict) else {})
