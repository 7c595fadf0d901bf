"""Words and phrases of generated sentences, written for this purpose: a file each in `words/`, one a line."""

from functools import cache
from pathlib import Path
from random import Random

FOLDER = Path(__file__).parent / "words"


@cache
def lines(name: str) -> tuple[str, ...]:
    """Return the lines of `words/<name>.txt`; a line may begin or end with a blank, or be empty."""
    return tuple((FOLDER / f"{name}.txt").read_text(encoding="utf-8").split("\n")[:-1])


def one(random: Random, name: str) -> str:
    """Return one of the lines."""
    return random.choice(lines(name))
