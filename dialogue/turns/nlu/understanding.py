"""The understanding of a release, as the settings want it. Learning by meaning goes on behind the first messages."""

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
    """What the process's settings say about understanding."""
    from dialogue.nlu.settings import NLUSettings
    from dialogue.nlu.text.embeddings.minilm import is_installed

    return NLUSettings(
        use_embeddings=soni.NLU_EMBEDDED != "off" and is_installed(),
        model=soni.NLU_MODEL,
        api_base=soni.NLU_API_BASE,
        api_key=soni.NLU_API_KEY,
        time_limit=float(soni.NLU_SECONDS),
        budget=configured_budget(),
    )


def configured_budget() -> "Budget":
    """What a message and a conversation may cost."""
    from dialogue.nlu.budgets import Budget, Limits, Prices

    return Budget(
        turn=Limits(*soni.NLU_TURN_LIMITS),
        conversation=Limits(*soni.NLU_CONVERSATION_LIMITS),
        address=Limits(*soni.NLU_ADDRESS_LIMITS),
        prices=Prices(*soni.NLU_PRICES),
    )


def nlu_for(conversation: Conversation, nlu: NLU) -> NLU:
    """The release's understanding with what is kept for this conversation, where a language model may be asked."""
    from dialogue.nlu.pipeline.nlu_pipeline import NLUPipeline

    if not isinstance(nlu, NLUPipeline) or not nlu.uses_model:
        return nlu
    settings = chosen()
    return nlu.with_stores(stores_for(conversation, settings.model, settings.budget))


def nlu_of(assistant: Assistant, release: Release | None = None) -> NLU:
    """By words at once; by meaning some seconds later, where the extra `embedded` is installed.

    What a release was once learned by is kept with it, and only loaded here.
    """
    from dialogue.nlu.pipeline.nlu_pipeline import NLUPipeline

    nlu = build_named_nlu(soni.NLU, assistant)
    if isinstance(nlu, NLUPipeline):
        learn_behind(nlu, release)
    return nlu


def build_named_nlu(name: str, assistant: Assistant) -> NLU:
    """The understanding of a mode of the chain, or what the class or function of a dotted name makes."""
    from dialogue.nlu.pipeline.nlu_pipeline import build_nlu

    return cast(NLU, factory_named(name)(assistant)) if "." in name else build_nlu(assistant, name, chosen())
