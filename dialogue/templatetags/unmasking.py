"""The form by which masked values are shown for a while, and titles without them."""

from django import template
from django.template.context import RequestContext

from dialogue.desk.access.people import UNMASK
from dialogue.desk.access.unmasking import MAX_REASON_CHARACTERS, unmasked_until
from dialogue.models import Conversation, HITLSession
from dialogue.turns.live.titles import listed_title_for_reader
from dialogue.web.shared.people import person_of_request

register = template.Library()


@register.filter
def list_title(session: HITLSession) -> str:
    """The session's title where it stands in a list."""
    return listed_title_for_reader(session)


@register.inclusion_tag("dialogue/conversations/masking_notice.html", takes_context=True)
def masking_notice(context: RequestContext, conversation: Conversation, back: str) -> dict[str, object]:
    """Nothing for who may not; `back` is the page that is shown again afterwards."""
    person = person_of_request(context["request"])
    return {
        "allowed": person.has(UNMASK),
        "until": unmasked_until(person, conversation),
        "conversation": conversation,
        "back": back,
        "longest": MAX_REASON_CHARACTERS,
        "csrf_token": context.get("csrf_token"),
    }
