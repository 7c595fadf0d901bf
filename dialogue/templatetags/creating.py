"""How things are created on every page with a list: a button in the heading, and a form in the place of the list."""

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
    """The button that opens the form at `address`; the form's Cancel leads back to it."""
    return {"title": title, "address": address}


@register.inclusion_tag("dialogue/new_head.html")
def new_head(place: str, title: str, back: str) -> dict[str, str]:
    """The heading above the form: `place` names the list at `back`, `title` what is created."""
    return {"place": place, "title": title, "back": back}


@register.simple_block_tag(takes_context=True, end_name="end_new_panel")
def new_panel(
    context: RequestContext,
    content: SafeString,
    *,
    action: str,
    submit: str,
    back: str,
    kinds: Sequence[Kind] = (),
) -> SafeString:
    """The form with the fields in between. `submit` are the words of its one button, `back` is where Cancel leads."""
    facts = {"fields": content, "action": action, "submit": submit, "back": back, "kinds": kinds}
    return render_to_string("dialogue/new_panel.html", facts, request=context["request"])
