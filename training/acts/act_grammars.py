"""Sentences from the grammars in this folder: sections of acts, templates with alternatives and named lists."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

FOLDER = Path(__file__).parent
FILES = {"en": ("english.txt", "other_english.txt"), "es": ("spanish.txt", "other_spanish.txt")}
GROUP = re.compile(r"\(([^()]*\|[^()]*)\)|<(\w+)>")
HELD_OUT_SHARE = 0.2


@dataclass(frozen=True)
class Template:
    """One way of saying an act: "(yes|yeah), <thats> right" stands for all of its alternatives."""

    act: str
    language: str
    pattern: str
    lists: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def is_held_out(self) -> bool:
        """Whether the template is kept for reporting; by its text, so that the parts stay the same."""
        return sha256(self.pattern.encode()).digest()[0] < 256 * HELD_OUT_SHARE

    def count_expansions(self) -> int:
        """Return how many sentences the template stands for."""
        total = 1
        lists = dict(self.lists)
        for match in GROUP.finditer(self.pattern):
            total *= len(match.group(1).split("|") if match.group(1) is not None else lists[match.group(2)])
        return total

    def sample(self, generator: random.Random) -> str:
        """Return one sentence."""
        lists = dict(self.lists)
        text = self.pattern
        while match := GROUP.search(text):
            options = match.group(1).split("|") if match.group(1) is not None else lists[match.group(2)]
            text = text[: match.start()] + generator.choice(options) + text[match.end() :]
        return " ".join(text.split())


@lru_cache(maxsize=2)
def templates_of(language: str) -> tuple[Template, ...]:
    """Return every template of the language."""
    return tuple(template for name in FILES[language] for template in _read(FOLDER / name, language))


def _read(path: Path, language: str) -> Iterator[Template]:
    act, lists = "", []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("= "):
            name, _, options = line[2:].partition(" = ")
            lists.append((name.strip(), tuple(option.strip() for option in options.split("|"))))
        elif line.startswith("["):
            act = line.strip("[]")
        elif line and not line.startswith("# "):
            yield from (
                Template(act, language, text.strip(), tuple(lists)) for text in line.split(" / ") if text.strip()
            )
