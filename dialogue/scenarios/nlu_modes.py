"""The understandings that scenarios can be run with: the given commands, a mode of the chain, or a project's own."""

from dialogue.engine.language.compiler import Assistant
from dialogue.engine.understanding import NLU
from dialogue.scenarios.play import BuildNLU
from dialogue.turns.extensions import factory_named
from dialogue.turns.nlu.understanding import build_named_nlu, chosen

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

    return _PreparedNLU(name).build


class _PreparedNLU:
    """Builds the understanding of each assistant once, and prepares its embeddings as a server does."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._by_digest: dict[str, NLU] = {}

    def build(self, assistant: Assistant) -> NLU:
        if assistant.digest not in self._by_digest:
            self._by_digest[assistant.digest] = self._prepared(assistant)
        return self._by_digest[assistant.digest]

    def _prepared(self, assistant: Assistant) -> NLU:
        from dialogue.nlu.pipeline.nlu_pipeline import NLUPipeline

        nlu = build_named_nlu(self._name, assistant)
        if isinstance(nlu, NLUPipeline):
            nlu.prepare()
        return nlu


def describe_nlu(name: str) -> str:
    """Say which understanding serves scenarios, such as "learned, by meaning, no language model"."""
    if name == GIVEN or "." in name:
        return name
    settings = chosen()
    comparison = "by meaning" if settings.use_embeddings else "by words"
    asks_model = settings.has_model and name in ("auto", "llm")
    return f"{name}, {comparison}, {settings.model if asks_model else 'no language model'}"


def _refuse_unusable(name: str) -> None:
    try:
        factory_named(name)
    except Exception as error:  # a project's module may raise anything while it is imported
        raise UnderstandingNotFound(f"{name} cannot be used: {type(error).__name__}: {error}") from error
