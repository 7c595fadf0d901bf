"""The page that shows the API, from ninja's own bundle; its styles are the one exception to the strict policy."""

import json

from csp.constants import SELF, UNSAFE_INLINE
from csp.decorators import csp_replace
from django.apps import apps
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from dialogue.web.api.app import api


# The bundle writes style elements of its own and draws its arrows from data addresses; its scripts are files of ours.
@require_safe
@csp_replace({"style-src": [SELF, UNSAFE_INLINE]})
def docs_page(request: HttpRequest) -> HttpResponse:
    """Swagger UI over `/api/v1/openapi.json`; a signed-in reader can try the calls."""
    if not apps.is_installed("ninja"):  # its page and bundle are found by the app
        raise Http404
    settings = {"url": reverse("dialogue:api:openapi-json"), "layout": "BaseLayout", "deepLinking": True}
    context = {"swagger_settings": json.dumps(settings), "api": api, "add_csrf": True}
    return render(request, "ninja/swagger.html", context)
