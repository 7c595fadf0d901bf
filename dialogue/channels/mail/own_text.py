"""The text that the sender of a mail wrote: without quoted history and signature, and read from HTML if need be.

Every function reads its text once, from the beginning to the end.
"""

import re
from collections.abc import Sequence
from html import unescape

MAX_ATTRIBUTION_LINES = 3
"""Mail programs break a long "On … wrote:" into lines."""
HEADER_LINES = 6
_ATTRIBUTION_STARTS = ("on ", "el ", "le ", "am ")
_ATTRIBUTION_ENDS = ("wrote:", "escribió:", "a écrit :", "schrieb:")
_ORIGINAL = re.compile(r"-{2,}\s?(original message|mensaje original)\s?-{2,}", re.IGNORECASE)
_HEADERS = (("from:", "de:"), ("sent:", "date:", "enviado:", "fecha:"), ("to:", "para:", "subject:", "asunto:"))
_DEVICE = ("sent from my ", "enviado desde mi ", "get outlook for ", "obtener outlook para ")
_RULE = re.compile(r"_{10,}")


def own_text(text: str) -> str:
    """Return the sender's own lines of a plain text.

    >>> own_text("Yes, please.\\n\\nOn Mon, 23 Nov 2026, Shop wrote:\\n> Order a lamp?\\n")
    'Yes, please.'
    >>> own_text("On Mon, 23 Nov 2026, Shop wrote:\\n> Order a lamp?\\n\\nYes, please.\\n-- \\nUrsula")
    'Yes, please.'
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    own: list[str] = []
    number = 0
    while number < len(lines):
        line = lines[number].strip()
        if _ends_own_text(lines, number):
            break
        length = _attribution_length(lines, number)
        if length and not _is_quoted(_next_line(lines, number + length)):
            break  # the history follows without a mark
        if not length and not _is_quoted(line):
            own.append(lines[number].rstrip())
        number += length or 1
    return "\n".join(own).strip()


def _ends_own_text(lines: Sequence[str], number: int) -> bool:
    """Whether only the signature or the history follows."""
    line = lines[number].strip()
    if line == "--" or line.lower().startswith(_DEVICE) or _ORIGINAL.fullmatch(line):
        return True
    if _RULE.fullmatch(line):
        number += 1
    head = [each.strip().lstrip("*").lower() for each in lines[number : number + HEADER_LINES]]
    return (
        bool(head)
        and head[0].startswith(_HEADERS[0])
        and all(any(each.startswith(names) for each in head[1:]) for names in _HEADERS[1:])
    )


def _attribution_length(lines: Sequence[str], number: int) -> int:
    """How many lines from this one on say who wrote what follows; 0 where there are none."""
    if not lines[number].strip().lower().startswith(_ATTRIBUTION_STARTS):
        return 0
    for length in range(1, MAX_ATTRIBUTION_LINES + 1):
        words = " ".join(lines[number : number + length]).strip().lower()
        is_german = " schrieb " in words and words.endswith(":")  # the name stands behind the verb
        if (is_german or words.endswith(_ATTRIBUTION_ENDS)) and any(map(str.isdigit, words)):  # with a date
            return length
    return 0


def _next_line(lines: Sequence[str], number: int) -> str:
    return next((line.strip() for line in lines[number : number + HEADER_LINES] if line.strip()), "")


def _is_quoted(line: str) -> bool:
    return line.startswith(">")


_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)([^<>]*)>")
_COMMENT = re.compile(r"<[!?][^<>]*>")
_QUOTE_NAMES = ("gmail_quote", "yahoo_quoted", "moz-cite-prefix")
"""What mail programs call the element that holds the history."""
_HISTORY_STARTS = ("divRplyFwdMsg", "appendonsend")
"""What Outlook calls the element behind which there is nothing but the history."""
_CELLS = frozenset(("td", "th"))
_BLOCKS = frozenset(("p", "div", "br", "tr", "li", "ul", "ol", "table", "h1", "h2", "h3", "h4", "pre", "hr"))
_HIDDEN = frozenset(("script", "style", "head", "title", "template"))
_VOID = frozenset(("br", "hr", "img", "input", "meta", "link", "wbr"))


class _TextOfHtml:
    """Collects the text; quotes get the mark of quoted lines, and what is not shown is left out."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._hidden, self._depth, self._quotes = "", 0, 0
        self.is_over = False

    def text(self, data: str) -> None:
        if not self._hidden and not self.is_over:
            self.parts.append(re.sub(r"\s+", " ", unescape(_COMMENT.sub("", data))))

    def tag(self, name: str, attributes: str, *, is_end: bool) -> None:
        if self._hidden:
            if name == self._hidden:
                self._depth += -1 if is_end else 1
                self._hidden = name if self._depth else ""
            return
        self.is_over = self.is_over or any(start in attributes for start in _HISTORY_STARTS)
        is_quote = name not in _VOID and any(quote in attributes for quote in _QUOTE_NAMES)
        if not is_end and (name in _HIDDEN or is_quote):
            self._hidden, self._depth = name, 1
        elif name == "blockquote":
            self._quotes = max(0, self._quotes + (-1 if is_end else 1))
            self._break_line()
        elif name in _BLOCKS:
            self._break_line()
        elif name in _CELLS:
            self.parts.append(" ")

    def _break_line(self) -> None:
        self.parts.append("\n> " if self._quotes else "\n")


def text_of_html(html: str) -> str:
    """Return the text that an HTML mail shows, with quotes marked by `>`.

    >>> text_of_html("<p>Yes,&nbsp;please.</p><blockquote>Order a lamp?</blockquote>")
    'Yes, please.\\n\\n> Order a lamp?'
    """
    collected, end = _TextOfHtml(), 0
    for found in _TAG.finditer(html):
        collected.text(html[end : found.start()])
        collected.tag(found[2].lower(), found[3], is_end=bool(found[1]))
        end = found.end()
    collected.text(html[end:])
    lines = "".join(collected.parts).replace("\xa0", " ").split("\n")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(re.sub(" {2,}", " ", line).strip() for line in lines)).strip("\n> ")
