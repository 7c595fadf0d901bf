"""How the fuzz campaigns try: hypothesis draws, a target says what came of it, a seed repeats it."""

import time
from collections.abc import Callable

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

from tests.campaigns.campaign import Tally

LONGEST = 0.05
"""Seconds that a hostile input may take."""


def fuzz(
    texts: SearchStrategy[str], target: Callable[[str], str], size: int, chance: int, tally: Tally, *, hostile: bool
) -> None:
    """Give `size` texts to the target, which names the outcome; whatever it raises fails the campaign."""

    @seed(chance)
    @settings(
        max_examples=size,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(texts)
    def attempt(text: str) -> None:
        outcome, seconds = _timed(target, text)
        if hostile:
            told = f"{seconds * 1000:.0f} ms for a hostile text of {len(text):,} characters"
            assert seconds < tally.at_most(LONGEST), told
        tally.count("hostile" if hostile else outcome)

    attempt()


def _timed(target: Callable[[str], str], text: str) -> tuple[str, float]:
    """The outcome, and the processor's time; when it took long, that of a second try, which nothing has disturbed."""
    outcome, seconds = _once(target, text)
    return _once(target, text) if seconds > LONGEST else (outcome, seconds)


def _once(target: Callable[[str], str], text: str) -> tuple[str, float]:
    began = time.process_time()
    outcome = target(text)
    return outcome, time.process_time() - began
