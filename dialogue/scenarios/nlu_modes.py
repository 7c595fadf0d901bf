"""The understandings that scenarios can be run with: the given commands, a mode of the chain, or a project's own."""

from dialogue.engine.language.compiler import Assistant
from dialogue.engine.understanding import NLU
from dialogue.scenarios.play import BuildNLU
from dialogue.turns.extensions import factory_named
from dialogue.turns.nlu.understanding import build_named_nlu

GIVEN = "given"


class UnderstandingNotFound(Exception):
    """There is no understanding of that name; the message lists those that there are."""


def nlu_named(name: str) -> BuildNLU | None:
    """None for `given`; else what builds the understanding of that name. Raises UnderstandingNotFound."""
    if name == GIVEN:
        return None
    from dialogue.nlu.pipeline.nlu_pipeline import MODES  # understanding is heavy, and `given` does without it

    if "." in name:
        _refuse_unusable(name)
    elif name not in MODES:
        names = ", ".join((GIVEN, *MODES))
        raise UnderstandingNotFound(f"There is no understanding {name!r}. There are: {names}; or write a dotted name.")

    def build(assistant: Assistant) -> NLU:
        return build_named_nlu(name, assistant)

    return build


def _refuse_unusable(name: str) -> None:
    try:
        factory_named(name)
    except Exception as error:  # a project's module may raise anything while it is imported
        raise UnderstandingNotFound(f"{name} cannot be used: {type(error).__name__}: {error}") from error
