"""Public data for measuring understanding, read line by line; see the folder's README for sources and licences."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OUT_OF_SCOPE = "oos"


@dataclass(frozen=True)
class Sentence:
    text: str
    intent: str


def sentences(path: Path) -> list[Sentence]:
    """The lines of one of CLINC150's files."""
    return [Sentence(row["text"], row["intent"]) for row in rows(path)]


def rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
