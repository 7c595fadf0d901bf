"""Query strings hold what is offered, or are refused: a filter that is silently ignored shows too much."""

from django.http import HttpRequest
from django.utils.translation import gettext as _
from pydantic import BaseModel

from dialogue.desk.queue.keyset import NotOffered

TOKEN = "token"


def refuse_unknown(request: HttpRequest, offered: type[BaseModel]) -> None:
    """Raise NotOffered for a parameter that this list does not have, and for one that is there twice."""
    for name, values in request.GET.lists():
        if name not in offered.model_fields and name != TOKEN:
            raise NotOffered(_("There is no filter “%s” here.") % name[:40])
        if len(values) > 1:
            raise NotOffered(_("The filter “%s” is there twice.") % name[:40])
