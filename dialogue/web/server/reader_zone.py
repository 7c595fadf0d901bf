"""Middleware that writes times in the reader's zone."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from dialogue.web.shared.zones import zone_of_request

Respond = Callable[[HttpRequest], HttpResponseBase]


def activate_reader_zone(respond: Respond) -> Respond:
    """Middleware behind sessions: while a request is answered, its reader's time zone is the current one."""

    def respond_in_zone(request: HttpRequest) -> HttpResponseBase:
        zone = zone_of_request(request)
        if zone is None:
            return respond(request)
        with timezone.override(zone):
            return respond(request)

    return respond_in_zone
