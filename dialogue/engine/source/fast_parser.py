"""The events of a plain document from libyaml: many times faster, and for plain documents the same as YAML 1.2's.

libyaml reads YAML 1.1. What the two versions read differently (tabs, other line ends, explicit keys, markers between
documents, block texts that begin with blanks) is no plain document; it is left to the reader in Python, and so is
whatever libyaml refuses, since that reader says what is wrong.
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
    """The document is not so plain that libyaml may read it, or it is no YAML at all."""


def fast_events(text: str) -> Iterator[Any]:
    """The events of the document. Raises NotPlain, perhaps after some of them."""
    if _LOADER is None or _NOT_PLAIN.search(text):
        raise NotPlainYaml
    try:
        yield from yaml.parse(text, Loader=_LOADER)
    except (yaml.YAMLError, ValueError) as error:
        raise NotPlainYaml from error
