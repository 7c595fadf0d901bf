"""The last calls of the API, for the page Integrate.

They are kept in this process's memory, the newest `MAX_CALLS`: a call costs no statement and nothing is left on disk. A
server with several processes shows the calls of the one that answers, and a restart forgets them; the server's access
log has all. Neither bodies nor tokens are kept: a path is that of the route, without the values in it, and the words of
a refusal are kept only for codes whose words quote nothing of the request.
"""

from collections import deque
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

MAX_CALLS = 1_000
FIRST_FAILURE = 400
QUOTING_NOTHING = frozenset(
    {
        *("user_token_refused", "not_signed_in", "token_revoked", "token_ended", "scope_missing", "not_allowed"),
        *("unknown_assistant", "rate_limited", "busy", "try_again", "too_many_open", "csrf_failed", "too_large"),
    }
)
"""The codes whose words say what was wrong without a value of the request in them."""


@dataclass(frozen=True, slots=True)
class ApiCall:
    """One call: `code` is the problem's, empty for a success; `caller` is the token's name, empty without a token."""

    at: datetime
    method: str
    route: str
    status: int
    code: str
    caller: str
    milliseconds: int
    detail: str = ""
    """The words of the refusal; empty for codes that are not in `QUOTING_NOTHING`."""

    @property
    def has_failed(self) -> bool:
        """Whether the call was refused or went wrong."""
        return self.status >= FIRST_FAILURE


_calls: deque[ApiCall] = deque(maxlen=MAX_CALLS)


def note_call(call: ApiCall) -> None:
    """Keep a call; the oldest one is dropped."""
    _calls.append(call)


def last_calls(limit: int, *, failed_only: bool = False) -> list[ApiCall]:
    """Return the newest calls, newest first."""
    newest_first = reversed(_calls.copy())  # a copy, because other threads append meanwhile
    return list(islice((call for call in newest_first if call.has_failed or not failed_only), limit))


def count_calls() -> tuple[int, int]:
    """Return how many calls are kept, and how many of them failed."""
    calls = _calls.copy()
    return len(calls), sum(call.has_failed for call in calls)


def forget_calls() -> None:
    """Drop all calls; for tests."""
    _calls.clear()
