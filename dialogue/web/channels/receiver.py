"""The receiver of channels: takes what a channel sends, and acknowledges it when it is stored."""

import logging
from uuid import UUID

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from dialogue.channels.connections import open_connection
from dialogue.channels.credentials import CredentialsLost
from dialogue.channels.port import NotReadable, Request
from dialogue.channels.table import ChannelUnknown, channel_named
from dialogue.turns.accept import storable_value

log = logging.getLogger(__name__)

RETRY_AFTER_SECONDS = 60


@csrf_exempt
@require_POST
def receive(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Take one request of a channel: 200 once it is stored, 401 for a wrong secret and an unknown address alike.

    A message whose values cannot be stored is noted as refused, with 200: after another answer some channels repeat it.
    """
    # The engine is loaded with the first message, not at start.
    from dialogue.channels import arrivals

    connection = open_connection(uid)
    try:
        channel = channel_named(connection.channel) if connection else None
    except ChannelUnknown:
        channel = None
    if connection is None or channel is None:
        return _problem(401, "not_verified", _("This request is not signed as the channel signs."))
    body = request.read(channel.max_request_bytes + 1)
    if len(body) > channel.max_request_bytes:
        limit = f"{channel.max_request_bytes // 1024:,} KiB"
        return _problem(413, "too_large", _("A request may have at most %s.") % limit)
    headers = {name.lower(): value for name, value in request.headers.items()}
    try:
        arrival = arrivals.receive(connection, Request(headers, body))
    except (arrivals.NotVerified, CredentialsLost):
        return _problem(401, "not_verified", _("This request is not signed as the channel signs."))
    except NotReadable as error:
        return _problem(400, "not_readable", str(error))
    except arrivals.NotNow as error:
        log.warning("a message of channel %s was not taken: %s", connection, error)
        return _later()
    except DatabaseError:
        log.exception("a message of channel %s could not be stored; the channel sends it again", connection)
        return _later()
    return JsonResponse(dict(arrival.reply) if arrival.reply else {"outcome": arrival.outcome})


def _later() -> HttpResponse:
    answer = _problem(503, "try_again", _("This cannot be taken now. Please send it again later."))
    answer["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return answer


def _problem(status: int, code: str, detail: str) -> JsonResponse:
    facts = {"status": status, "code": code, "detail": storable_value(detail)[:500]}
    return JsonResponse(facts, status=status, content_type="application/problem+json")
