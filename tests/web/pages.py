"""How tests read pages."""

from typing import Any

HTMX = {"HX-Request": "true"}
"""What a browser's module sends when it asks for a part of a page."""


def text_of(response: Any) -> str:
    """The page's HTML."""
    return str(response.content.decode())
