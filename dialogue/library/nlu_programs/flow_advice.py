"""What authors can improve in the flows of a release, or in those that are about to be published."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dialogue.models import Release
from dialogue.turns.compiled_releases import compiled_release

if TYPE_CHECKING:
    from dialogue.nlu.training.authoring import FlowAdvice

# Publishing looks at the flows that changed; of a large import, at the first ones.
MAX_CHECKED_FLOWS = 20


def release_advice(release: Release, flows: Sequence[str]) -> "list[FlowAdvice]":
    """Return the advice for these flows; none where a project's own NLU serves.

    The examples are compared as the release compares messages: by meaning once it has been learned.
    """
    from dialogue.nlu.pipeline.nlu_pipeline import NLUPipeline
    from dialogue.nlu.training.authoring import advise_flows

    nlu = compiled_release(release).nlu
    return advise_flows(nlu.assistant_index, flows) if isinstance(nlu, NLUPipeline) else []


def advice_before_release(documents: Mapping[str, str], flows: Sequence[str]) -> "list[FlowAdvice]":
    """Return the advice for the first MAX_CHECKED_FLOWS of these flows, with their examples compared by words.

    Raises FlowProblems for documents with errors.
    """
    from dialogue.engine.language.compiler import load_assistant
    from dialogue.nlu.slots.assistant_index import AssistantIndex
    from dialogue.nlu.training.authoring import advise_flows

    if not flows:
        return []
    return advise_flows(AssistantIndex(load_assistant(documents)), flows[:MAX_CHECKED_FLOWS])
