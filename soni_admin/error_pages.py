"""The page of an error of ours: with the console's rail for people who work with it, as far as that can be drawn."""

import logging

from django.http import HttpRequest, HttpResponseServerError
from django.template.loader import render_to_string

log = logging.getLogger(__name__)


def server_error(request: HttpRequest) -> HttpResponseServerError:
    """Return the 500. The rail reads the database; if that is what has failed, the page stands without it."""
    try:
        page = render_to_string("500.html", request=request)
    except Exception as error:  # whatever broke the page may break this one too
        log.warning("the page of an error was drawn without its rail", exc_info=error)
        page = render_to_string("500.html")
    return HttpResponseServerError(page)
