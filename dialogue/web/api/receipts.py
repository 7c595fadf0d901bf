"""Receipts of decisions over HTTP, and the public keys with which they are checked."""

from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Router

from dialogue.desk.access.token_scopes import SESSIONS_READ
from dialogue.desk.sessions.receipts import public_keys, receipt_of
from dialogue.web.api.auth import BearerToken, SessionCookie, scoped
from dialogue.web.api.problems import Problem
from dialogue.web.api.schemas import REFUSED
from dialogue.web.api.sessions import visible_session

router = Router(tags=["receipts"])
session_router = Router(auth=[BearerToken(), SessionCookie()], tags=["sessions"])


@router.get("/keys", response={200: dict[str, Any], REFUSED: None})
@scoped()
def list_keys(request: HttpRequest) -> dict[str, Any]:
    """The public keys of this installation's receipts, retired ones too; anyone may read them."""
    return {"keys": public_keys()}


@session_router.get("/{name}/receipt", response={200: dict[str, Any], REFUSED: None})
@scoped(SESSIONS_READ)
def get_receipt(request: HttpRequest, name: str) -> dict[str, Any]:
    """The signed receipt of a decision: `{payload, signature}`. 409 while there is no decision."""
    session = visible_session(request, name)
    receipt = receipt_of(session)
    if receipt is None:
        raise Problem(409, "not_decided", _("%s is not decided yet.") % session.name)
    return receipt
