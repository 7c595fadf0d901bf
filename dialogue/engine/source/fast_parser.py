"""Parse plain documents with libyaml: many times faster, with the same events as a YAML 1.2 parser.

libyaml reads YAML 1.1. A document that the two versions read differently (tabs, other line ends, explicit keys, markers
between documents, block texts that begin with spaces) is not plain; the parser in Python reads it. That parser also
reads what libyaml refuses, because it says what is wrong.
"""

import re
from collections.abc import Iterator
from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", None)
"""None where PyYAML was built without libyaml."""

_NOT_PLAIN = re.compile(
    r"""[\t\u2028\u2029]
      | ^(?:---|\.\.\.|%)
      | (?:^|(?<=[\s,\[{]))\?(?:\s|$)
      | ["']:[^\s]
      | [|>][-+0-9]*(?:\#|[ ]*(?:\#.*)?\r?\n?[ ]+\r?$)""",
    re.MULTILINE | re.VERBOSE,
)


class NotPlainYaml(ValueError):
    """The document is not plain enough for libyaml, or it is not YAML."""


def fast_events(text: str) -> Iterator[Any]:
    """Yield the events of the document. Raises NotPlainYaml, possibly after some events."""
    if _LOADER is None or _NOT_PLAIN.search(text):
        raise NotPlainYaml
    try:
        yield from yaml.parse(text, Loader=_LOADER)
    except (yaml.YAMLError, ValueError) as error:
        raise NotPlainYaml from error
