"""Format a document: one rule for indentation and spaces; its meaning stays the same."""

import re
from io import StringIO

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from dialogue.engine.source.parser import SourceRefused, read_source

_COMMENT = re.compile(r"(?:^|(?<=\s))#.*$", re.MULTILINE)


def format_document(text: str) -> str:
    """The text with two columns a level and one space where space is; comments, order and quotes are the author's.

    A text that cannot be read, or whose comments would not survive, only loses the blanks at the ends of its lines.
    Raises SourceRefused for the first.
    """
    before = read_source(text).tree
    formatted = _round_trip(text)
    if (
        formatted is not None
        and read_source(formatted).tree == before
        and _comments_of(formatted) == _comments_of(text)
    ):
        return formatted
    stripped = "\n".join(line.rstrip() for line in text.splitlines()).rstrip("\n") + "\n"
    return stripped if _has_tree(stripped, before) else text


def _round_trip(text: str) -> str | None:
    yaml = YAML(typ="rt", pure=True)
    yaml.preserve_quotes = True
    yaml.width = 4096
    yaml.indent(mapping=2, sequence=4, offset=2)
    out = StringIO()
    try:
        yaml.dump(yaml.load(text), out)
    except (YAMLError, ValueError, AttributeError, TypeError):
        return None
    return out.getvalue()


def _has_tree(text: str, tree: object) -> bool:
    try:
        return bool(read_source(text).tree == tree)
    except SourceRefused:
        return False


def _comments_of(text: str) -> list[str]:
    return [comment.rstrip() for comment in _COMMENT.findall(text)]
