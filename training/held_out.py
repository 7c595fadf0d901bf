"""Which of the written assistants are held out: for figures, and for what learns from the encoder of requests."""

from pathlib import Path

WRITTEN_FOLDER = Path(__file__).parent / "written"
# Of other writers than those in the folder above: only the scorer of requests learns from them.
SCORER_FOLDER = WRITTEN_FOLDER / "scorer"
# The sixth and the seventh set of docs/understanding.md: only the extractor of spans learns from them.
FROZEN_FOLDER, EVERYDAY_FOLDER = WRITTEN_FOLDER / "frozen", WRITTEN_FOLDER / "everyday"
HELD_OUT, HELD_OUT_NUMBER = 4, 1


def is_held_out(number: int) -> bool:
    """Return whether the written assistant of this number is held out: one in HELD_OUT."""
    return number % HELD_OUT == HELD_OUT_NUMBER
