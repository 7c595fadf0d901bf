"""Messages in templates: which addresses of links and images a page may use."""

import re

from django import template

register = template.Library()

_LINK = re.compile(r"(https?://|mailto:)\S+", re.IGNORECASE)
_IMAGE = re.compile(r"(https?://\S+|/[^/\\]\S*)", re.IGNORECASE)


@register.filter
def is_link(address: str) -> bool:
    """Whether a page may link to the address: the web and mail. The engine has checked it; a page repeats it."""
    return _LINK.fullmatch(address) is not None


@register.filter
def is_image(address: str) -> bool:
    """Whether a page may show an image from the address: the web, or a path on this server."""
    return _IMAGE.fullmatch(address) is not None
