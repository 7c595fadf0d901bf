"""What a program says when it opens a conversation: who the customer is, and values for declared slots."""

from typing import Any

from django.utils.translation import gettext as _

from dialogue.desk.access.user_tokens import SignedUser, TokenRefused, count_token_use, read_user_token
from dialogue.turns.compiled_releases import assistant_of
from dialogue.turns.opening import MAX_OPENING_BYTES, OpeningRefused, OpeningTooLarge, active_release, read_opening
from dialogue.web.api.problems import Problem, part_too_large, wrong_fields
from dialogue.web.api.schemas import NewConversation

MAX_NAME_CHARACTERS = 100


def customer_of(body: NewConversation) -> SignedUser:
    """The customer: of the signed token, or else as the opener says. Raises the 422 of a token that is refused."""
    if not body.user_token:
        return SignedUser(body.user_ref)
    try:
        customer = read_user_token(body.user_token, body.assistant)
    except TokenRefused as error:
        raise _token_problem(str(error)) from None
    if body.user_ref not in ("", customer.reference):
        raise _token_problem(_("`user_ref` and the token name different customers."))
    return customer


def checked_opening(body: NewConversation, claims: dict[str, Any]) -> dict[str, Any]:
    """`{opening, release}` for the opened conversation. Raises the 422 of wrong values.

    {} without slots and claims; after a signed token the opening says that there are none.
    """
    if not body.slots and not claims:
        return {"opening": {"claims": {}, "slots": {}}} if body.user_token else {}
    release = active_release(body.assistant)
    try:
        opening = read_opening(release, body.slots, claims, body.language)
    except OpeningRefused as error:
        raise wrong_fields("", error.wrong) from None
    except OpeningTooLarge:
        raise part_too_large("slots", MAX_OPENING_BYTES) from None
    return {"opening": opening, "release": release}


def count_use(customer: SignedUser) -> None:
    """Store, in the opening's transaction, that the customer's token was used. Raises a 422 if it may not be."""
    try:
        count_token_use(customer)
    except TokenRefused as error:
        raise _token_problem(str(error)) from None


def metadata_of(body: NewConversation, customer: SignedUser) -> dict[str, Any]:
    """What staff see of the customer beside the reference: the signed `name` first, then what the opener says.

    An assistant that declares the claim as a slot shows it there, masked where the slot is sensitive.
    """
    name = customer.claims.get("name")
    if customer.secret is None or not isinstance(name, str) or not name.isprintable():
        return body.metadata
    slots = assistant_of(active_release(body.assistant)).slots.values()
    if any(slot.source == "claim" and slot.claim_name == "name" for slot in slots):
        return body.metadata
    others = {key: value for key, value in body.metadata.items() if key != "name"}
    return {"name": name[:MAX_NAME_CHARACTERS], **others}


def _token_problem(message: str) -> Problem:
    field = {"name": "user_token", "rule": "refused", "message": message}
    return Problem(422, "user_token_refused", message, [field])
