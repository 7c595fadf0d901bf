"""Build the NLU of a release from the settings. Its embeddings are learned in the background."""

from typing import TYPE_CHECKING, cast

from dialogue.conf import soni
from dialogue.engine.language.compiler import Assistant
from dialogue.engine.understanding import NLU
from dialogue.models import Conversation, Release
from dialogue.turns.extensions import factory_named
from dialogue.turns.nlu.learned_models import learn_behind
from dialogue.turns.nlu.stores import stores_for

if TYPE_CHECKING:
    from dialogue.nlu.budgets import Budget
    from dialogue.nlu.settings import NLUSettings


def chosen() -> "NLUSettings":
    """Return the process's settings of the NLU. Without DSPy there is no language model; a system check says so."""
    from dialogue.nlu.llm.trial import is_dspy_installed
    from dialogue.nlu.settings import NLUSettings
    from dialogue.nlu.text.embeddings.minilm import is_installed

    return NLUSettings(
        use_embeddings=soni.NLU_EMBEDDED != "off" and is_installed(),
        model=soni.NLU_MODEL if is_dspy_installed() else "",
        api_base=soni.NLU_API_BASE,
        api_key=soni.NLU_API_KEY,
        time_limit=float(soni.NLU_SECONDS),
        budget=configured_budget(),
    )


def configured_budget() -> "Budget":
    """Return the limits of a message, a conversation and a network address, with the prices of tokens."""
    from dialogue.nlu.budgets import Budget, Limits, Prices

    return Budget(
        turn=Limits(*soni.NLU_TURN_LIMITS),
        conversation=Limits(*soni.NLU_CONVERSATION_LIMITS),
        address=Limits(*soni.NLU_ADDRESS_LIMITS),
        prices=Prices(*soni.NLU_PRICES),
    )


def nlu_for(conversation: Conversation, nlu: NLU) -> NLU:
    """Return the release's NLU, with this conversation's stores if it may ask a language model."""
    from dialogue.nlu.pipeline.nlu_pipeline import NLUPipeline

    if not isinstance(nlu, NLUPipeline) or not nlu.uses_model:
        return nlu
    settings = chosen()
    return nlu.with_stores(stores_for(conversation, settings.model, settings.budget))


def nlu_of(assistant: Assistant, release: Release | None = None) -> NLU:
    """Return the NLU of the settings. It compares words at once, and sentence embeddings some seconds later.

    Embeddings need the extra `embedded`. They are learned once a release, stored with it, and loaded here.
    """
    from dialogue.nlu.pipeline.nlu_pipeline import NLUPipeline

    nlu = build_named_nlu(soni.NLU, assistant)
    if isinstance(nlu, NLUPipeline):
        learn_behind(nlu, release)
    return nlu


def build_named_nlu(name: str, assistant: Assistant) -> NLU:
    """Return the pipeline in the mode `name`, or the NLU that the factory of a dotted name makes.

    Raises ImportError, NotAFactory.
    """
    from dialogue.nlu.pipeline.nlu_pipeline import build_nlu

    return cast(NLU, factory_named(name)(assistant)) if "." in name else build_nlu(assistant, name, chosen())
