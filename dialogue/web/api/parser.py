"""Reading request bodies: JSON only, and strictly."""

from typing import Any, cast

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja.parser import Parser

from dialogue.engine.source.json import JsonRefused, read_json
from dialogue.web.api.problems import Problem


class StrictJson(Parser):
    """Refuses another content type (415), broken JSON (400), and duplicate keys, NaN or endless nesting (422)."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        if request.content_type != "application/json":
            detail = _("Send JSON, with the content type application/json.")
            raise Problem(415, "unsupported_media_type", detail)
        try:
            return cast(dict[str, Any], read_json(request.body))
        except JsonRefused as refused:
            # Text that is no JSON at all carries the parser's error as its cause; what is JSON but too loose does not.
            status = 400 if refused.__cause__ else 422
            raise Problem(status, "invalid_json", _("The body was not taken: %s.") % refused) from None
