"""Calls of Telegram's Bot API (https://core.telegram.org/bots/api), as JSON over HTTPS.

The bot's token is part of every address, so no error text holds an address.
"""

import json
import re
from collections.abc import Mapping
from datetime import timedelta
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

from dialogue.channels.port import CredentialsRefused, MessageNotTaken, NotLoaded, RecipientGone, SendFailed
from dialogue.conf import soni

MAX_SECONDS = 10.0
MAX_ANSWER_BYTES = 256 * 1024
MAX_FILE_BYTES = 20 * 1024 * 1024
"""The most that Telegram gives a bot."""
TOKEN = re.compile(r"[0-9]{1,20}:[A-Za-z0-9_-]{20,100}")
_FILE_PATH = re.compile(r"[A-Za-z0-9_./-]{1,300}")
_GONE = ("chat not found", "user is deactivated", "bot was blocked", "peer_id_invalid")


class _NoRedirects(HTTPRedirectHandler):
    """A redirect would carry the token elsewhere."""

    def redirect_request(self, *_args: Any) -> None:
        return None


def call(token: str, method: str, **parameters: Any) -> Any:
    """Call a method and return its `result`. Raises SendFailed or a subclass that says what to do."""
    body = json.dumps({name: value for name, value in parameters.items() if value is not None}).encode()
    request = Request(_url(f"bot{token}/{method}"), body, {"Content-Type": "application/json"})
    try:
        with _opener().open(request, timeout=MAX_SECONDS) as response:
            answer = _read_json(response.read(MAX_ANSWER_BYTES))
    except HTTPError as error:
        with error:
            answer = _read_json(error.read(MAX_ANSWER_BYTES))
        raise _failure(error.code, answer) from None
    except (URLError, HTTPException, OSError) as error:
        reason = getattr(error, "reason", None) or error
        raise SendFailed(f"Telegram does not answer: {type(reason).__name__}") from None
    if answer.get("ok") is not True:
        raise _failure(int(answer.get("error_code") or 500), answer)
    return answer.get("result")


def load_file(token: str, file_id: str) -> bytes:
    """Return the content of a file. Raises NotLoaded."""
    try:
        path = str(call(token, "getFile", file_id=file_id).get("file_path", ""))
        if not _FILE_PATH.fullmatch(path) or ".." in path:
            raise NotLoaded("Telegram named no path of the file")
        with _opener().open(_url(f"file/bot{token}/{path}"), timeout=MAX_SECONDS) as response:
            content: bytes = response.read(MAX_FILE_BYTES + 1)
    except (SendFailed, URLError, HTTPException, OSError, AttributeError) as error:
        raise NotLoaded(f"a file could not be fetched from Telegram: {type(error).__name__}") from None
    if len(content) > MAX_FILE_BYTES:
        raise NotLoaded("a file from Telegram is larger than it may be")
    return content


def _url(path: str) -> str:
    return f"{soni.TELEGRAM_URL.rstrip('/')}/{path}"


def _opener() -> OpenerDirector:
    return build_opener(_NoRedirects)


def _read_json(body: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) else {}


def _failure(status: int, answer: Mapping[str, Any]) -> SendFailed:
    """What an error of the API means; `description` is Telegram's own words."""
    words = str(answer.get("description") or f"Telegram answered {status}")[:300]
    parameters = answer.get("parameters")
    seconds = parameters.get("retry_after") if isinstance(parameters, dict) else None
    match status:
        case 429:
            wait = (
                timedelta(seconds=seconds)
                if isinstance(seconds, int) and 0 < seconds < 10**6
                else timedelta(seconds=30)
            )
            return SendFailed(words, retry_after=wait)
        case 403:
            return RecipientGone(words)
        case 401 | 404:  # the address of a method holds the token, so that a wrong one is "Not Found"
            return CredentialsRefused(words)
        case 400 if any(reason in words.lower() for reason in _GONE):
            return RecipientGone(words)
        case 400 | 413:
            return MessageNotTaken(words)
        case _:
            return SendFailed(words)
