"""The understandings that scenarios can be run with: the given commands, or a named mode of the chain."""

from dialogue.engine.language import Assistant
from dialogue.engine.understanding import NLU
from dialogue.scenarios.play import Understand
from dialogue.turns.understanding import chosen

GIVEN = "given"


class UnderstandingNotFound(Exception):
    """There is no understanding of that name; the message lists those that there are."""


def understanding_named(name: str) -> Understand | None:
    """None for `given`; else what builds the understanding of that name. Raises UnderstandingNotFound."""
    if name == GIVEN:
        return None
    from dialogue.nlu.chain import MODES, build_nlu  # understanding is heavy, and `given` does without it

    mode = next((known for known in MODES if known == name), None)
    if mode is None:
        raise UnderstandingNotFound(f"There is no understanding {name!r}. There are: {', '.join((GIVEN, *MODES))}.")

    def build(assistant: Assistant) -> NLU:
        return build_nlu(assistant, mode, chosen())

    return build
