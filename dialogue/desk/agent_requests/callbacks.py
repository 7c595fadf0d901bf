"""POST an answer to the address that an agent named (see `dialogue.desk.webhooks.signed_posts`)."""

import json
from dataclasses import dataclass
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction

from dialogue.audit import chain
from dialogue.audit.chain import CONSOLE, Act
from dialogue.desk.access.people import Person
from dialogue.desk.webhooks.signed_posts import AddressRefused, PostFailed, SignedPost, check_address, send_post
from dialogue.desk.webhooks.signing_keys import account_secrets, replace_account_secret
from dialogue.turns import clock

__all__ = [
    "Callback",
    "CallbackFailed",
    "CallbackRefused",
    "check_address",
    "replace_secret",
    "secret_of",
    "send_callback",
]

CallbackRefused = AddressRefused


class CallbackFailed(Exception):
    """The answer was not taken; the text says why."""


@dataclass(frozen=True)
class Callback:
    """One answer on its way; `webhook_id` is the same in every attempt, and `seconds` the time of this one.

    `earlier_secrets` sign too: those that were replaced a short time ago.
    """

    url: str
    webhook_id: str
    body: Any
    secret: str
    seconds: int
    earlier_secrets: tuple[str, ...] = ()


def secret_of(account: int) -> str:
    """Return the secret with which this account's callbacks are signed; it is derived, and stored nowhere.

    Empty where it was derived from a key of this installation that is gone.
    """
    return next(iter(account_secrets(account)), "")


def replace_secret(person: Person) -> str:
    """Replace the secret of this person's account, and return the new one. The earlier one signs too for a day."""
    with transaction.atomic():
        secret = replace_account_secret(person.id)
        act = Act("callback_secret.replaced", person.name, person.account, subject=f"account {person.id}")
        chain.record(CONSOLE, [act], clock.now())
    return secret


def send_callback(callback: Callback) -> None:
    """POST the answer. Raises CallbackFailed unless the other side says that it has it (2xx)."""
    if not callback.secret:
        raise CallbackFailed("the secret was made with an earlier key of this server; replace it")
    body = json.dumps(callback.body, ensure_ascii=False, cls=DjangoJSONEncoder).encode("utf-8", "replace")
    secrets = (callback.secret, *callback.earlier_secrets)
    try:
        answer = send_post(SignedPost(callback.url, callback.webhook_id, body, secrets, callback.seconds))
    except PostFailed as failure:
        raise CallbackFailed(str(failure)) from None
    if not answer.is_success:
        raise CallbackFailed(f"the address answered {answer.status}")
