"""Joint goal accuracy as SGD's own evaluation computes it (Rastogi et al. 2020, `metrics.py`), without its packages.

Of a frame: the product over the service's slots of 1 or 0 where values are of a closed list, and of the likeness of the
texts elsewhere (the best over the reference's spellings); a slot in one state only counts 0. The figure is the mean
over all frames.
"""

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from math import prod


def joint_goal(reference: Mapping[str, Sequence[str]], held: Mapping[str, str], closed: frozenset[str]) -> float:
    """Between 0 and 1; `closed` are the slots whose values are of a closed list."""
    return prod(_slot(name, reference.get(name), held.get(name), closed) for name in {*reference, *held})


def _slot(name: str, wanted: Sequence[str] | None, held: str | None, closed: frozenset[str]) -> float:
    if wanted is None or held is None:
        return 0.0
    if name in closed:
        return float(held == wanted[0])
    return max(likeness(each, held) for each in wanted)


def likeness(left: str, right: str) -> float:
    """fuzzywuzzy's token_sort_ratio between 0 and 1."""
    return round(100 * SequenceMatcher(None, _sorted(left), _sorted(right)).ratio()) / 100


def _sorted(text: str) -> str:
    return " ".join(sorted(re.sub(r"(?ui)\W", " ", text).lower().split()))
