"""How things are created on every page with a list: a button in the heading, and a panel above the list."""

from collections.abc import Sequence

from django import template
from django.template.context import RequestContext
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

register = template.Library()

Kind = tuple[str, str, bool]
"""A kind of the new thing: its name, the address of its form, and whether it is the chosen one."""


@register.inclusion_tag("dialogue/new_button.html")
def new_button(title: str, address: str) -> dict[str, str]:
    """The button that opens the panel at `address`; the panel's Cancel leads back to it."""
    return {"title": title, "address": address}


@register.simple_block_tag(takes_context=True, end_name="end_new_panel")
def new_panel(
    context: RequestContext,
    content: SafeString,
    *,
    title: str,
    action: str,
    submit: str,
    back: str,
    kinds: Sequence[Kind] = (),
) -> SafeString:
    """The form with the fields in between. `submit` are the words of its one button, `back` is where Cancel leads."""
    facts = {"fields": content, "title": title, "action": action, "submit": submit, "back": back, "kinds": kinds}
    return render_to_string("dialogue/new_panel.html", facts, request=context["request"])
