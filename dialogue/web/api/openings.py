"""What a program says when it opens a conversation: who the customer is, and values for declared slots."""

from typing import Any

from django.utils.translation import gettext as _

from dialogue.desk.access.user_tokens import SignedUser, TokenRefused, read_user_token
from dialogue.turns.opening import MAX_OPENING_BYTES, OpeningRefused, OpeningTooLarge, active_release, read_opening
from dialogue.web.api.problems import Problem, part_too_large, wrong_fields
from dialogue.web.api.schemas import NewConversation


def customer_of(body: NewConversation) -> SignedUser:
    """The customer: of the signed token, or else as the opener says. Raises the 422 of a token that is refused."""
    if not body.user_token:
        return SignedUser(body.user_ref)
    try:
        customer = read_user_token(body.user_token)
    except TokenRefused as error:
        raise _token_problem(str(error)) from None
    if body.user_ref not in ("", customer.reference):
        raise _token_problem(_("`user_ref` and the token name different customers."))
    return customer


def checked_opening(body: NewConversation, claims: dict[str, Any]) -> dict[str, Any]:
    """`{opening, release}` for the opened conversation; {} without slots and claims. Raises the 422 of wrong values."""
    if not body.slots and not claims:
        return {}
    release = active_release(body.assistant)
    try:
        opening = read_opening(release, body.slots, claims, body.language)
    except OpeningRefused as error:
        raise wrong_fields("", error.wrong) from None
    except OpeningTooLarge:
        raise part_too_large("slots", MAX_OPENING_BYTES) from None
    return {"opening": opening, "release": release}


def _token_problem(message: str) -> Problem:
    field = {"name": "user_token", "rule": "refused", "message": message}
    return Problem(422, "user_token_refused", message, [field])
