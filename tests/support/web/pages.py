"""How tests read pages."""

import re
from typing import Any

HTMX = {"HX-Request": "true"}
"""What a browser's module sends when it asks for a part of a page."""

_TAG = re.compile(r"""<[a-zA-Z/](?:"[^"]*"|'[^']*'|[^'">])*>""")
_ATTRIBUTE_OR_SPACE = re.compile(r"""(\sclass=)"([^"]*)"|"[^"]*"|'[^']*'|\s+""")
_LINE_BREAK_AT_TAG = re.compile(r"(?<=>)\s*\n\s*|\s*\n\s*(?=<)")


def text_of(response: Any) -> str:
    """Return the page's HTML without the line breaks that its templates have between tags and between attributes."""
    text = str(response.content.decode())
    return compact(text) if "html" in response.get("Content-Type", "") else text


def compact(html: str) -> str:
    """Write the tags as on one line: one space between attributes, and no line break beside a tag."""
    html = html.replace("<wbr>", "")  # where a line may break inside a word
    return _LINE_BREAK_AT_TAG.sub("", _TAG.sub(_compact_tag, html))


def _compact_tag(tag: re.Match[str]) -> str:
    def compact_part(part: re.Match[str]) -> str:
        if part[1]:
            return f' class="{" ".join(part[2].split())}"'
        return part[0] if part[0][0] in "\"'" else " "

    return re.sub(r"\s+(/?>)$", r"\1", _ATTRIBUTE_OR_SPACE.sub(compact_part, tag[0]))
