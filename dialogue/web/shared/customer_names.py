"""Names of customers on pages: one that only the customer says has a sign behind it."""

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from dialogue.models import Conversation


def customer_element(conversation: Conversation, form: str = "sign") -> SafeString:
    """Return the customer's name as HTML; `form` is "sign", or "word" where there is room for the word "unverified"."""
    if conversation.is_name_unverified:
        return unverified_element(conversation.customer_name, form)
    return format_html('<bdi class="customer">{}</bdi>', conversation.customer_name)


def unverified_element(text: str, form: str = "sign") -> SafeString:
    """Return what only the customer says, and the sign for that. A long text gives way, the sign does not."""
    advice = _("Unverified: only the customer says so")
    mark = (
        format_html('<span class="unverified" title="{}">{}</span>', advice, _("unverified"))
        if form == "word"
        else format_html(
            '<span class="unverified sign" title="{}"><span aria-hidden="true">?</span>'
            '<span class="hidden">{}</span></span>',
            advice,
            _("unverified"),
        )
    )
    return format_html('<span class="stated"><bdi class="customer">{}</bdi> {}</span>', text, mark)
