"""The NLU pipeline: components are asked in order until one decides, and their commands are checked.

Commands that are not possible in the context, such as setting an unknown slot, are dropped.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from dialogue.engine.language.compiler import Assistant
from dialogue.engine.ports.commands import CannotHandle, Command
from dialogue.engine.understanding import DroppedCommand, NLUContext, PathEntry, Understanding, Usage
from dialogue.nlu.llm.answer_cache import AnswerCacheComponent
from dialogue.nlu.llm.component import LLMComponent
from dialogue.nlu.llm.ports import NO_STORES, ConversationStores
from dialogue.nlu.pipeline.buttons import ButtonComponent
from dialogue.nlu.pipeline.confidence import is_doubtful
from dialogue.nlu.pipeline.examples import ExampleComponent
from dialogue.nlu.pipeline.fallback import FallbackComponent
from dialogue.nlu.pipeline.rules import RuleComponent
from dialogue.nlu.readers.command_filter import filter_commands
from dialogue.nlu.readers.nearest_examples import find_nearest_example
from dialogue.nlu.readers.pending_decisions import protect_pending_values
from dialogue.nlu.readers.proposal import NLUComponent, Proposal
from dialogue.nlu.settings import NLUSettings
from dialogue.nlu.slots.assistant_index import INDEXED_LANGUAGE, AssistantIndex
from dialogue.nlu.slots.utterance import Utterance, read_utterance
from dialogue.nlu.text.glosses import GLOSSED_LANGUAGE, is_spanish

if TYPE_CHECKING:
    from dialogue.nlu.text.embeddings.artefact import EmbeddingsArtefact

# The components of each mode, in the order in which they are asked. The names are stored with every turn.
MODES: Mapping[str, tuple[str, ...]] = {
    "rules": ("structured", "rules", "leftover"),
    "learned": ("structured", "rules", "learned", "leftover"),
    "llm": ("structured", "cache", "llm", "rules", "learned", "leftover"),
    "auto": ("structured", "rules", "learned", "leftover", "cache", "llm"),
}
LOCAL_COMPONENTS: Mapping[str, type[NLUComponent]] = {
    component.name: component for component in (ButtonComponent, RuleComponent, ExampleComponent, FallbackComponent)
}
MODEL_COMPONENTS: Mapping[str, type[AnswerCacheComponent | LLMComponent]] = {
    "cache": AnswerCacheComponent,
    "llm": LLMComponent,
}
DEFAULT_SETTINGS = NLUSettings()
EMBEDDED_LANGUAGES = (INDEXED_LANGUAGE, GLOSSED_LANGUAGE)
# "1.500" is a thousand and a half in Spanish and one and a half in English, and "3/4" is another day.
NUMBER_OF_ONE_LANGUAGE = re.compile(r"\d[.,/-]\d")

Progress = Callable[[int, int], None]
"""Called with the number of texts that are done, and of all texts."""


def ignore_progress(done: int, total: int) -> None:
    """Report no progress."""


class NoSuchMode(ValueError):
    """The mode of understanding is none of `MODES`."""


def build_nlu(assistant: Assistant, mode: str = "auto", settings: NLUSettings = DEFAULT_SETTINGS) -> "NLUPipeline":
    """Build the pipeline for one release of an assistant. This takes milliseconds: keep it by the assistant's digest.

    `mode` is a key of `MODES`. Raises NoSuchMode for any other.
    """
    if mode not in MODES:
        raise NoSuchMode(f"{mode!r} is not a mode of understanding. Choose one of {', '.join(MODES)}.")
    assistant_index = AssistantIndex(assistant)
    return NLUPipeline(assistant_index, list(_build_components(mode, settings, NO_STORES)), settings, mode)


def _build_components(mode: str, settings: NLUSettings, stores: ConversationStores) -> Iterator[NLUComponent]:
    """The mode's components; without a configured model only those that need none."""
    for name in MODES[mode]:
        if name in LOCAL_COMPONENTS:
            yield LOCAL_COMPONENTS[name]()
        elif settings.has_model:
            yield MODEL_COMPONENTS[name](settings, stores)


class NLUPipeline:
    """The NLU port of the engine. The path of an answer names every component that was asked, with its milliseconds."""

    def __init__(
        self,
        assistant_index: AssistantIndex,
        components: Sequence[NLUComponent],
        settings: NLUSettings = DEFAULT_SETTINGS,
        mode: str = "",
    ) -> None:
        self.assistant_index = assistant_index
        self._components = tuple(components)
        self._settings = settings
        self._mode = mode

    def with_stores(self, stores: ConversationStores) -> "NLUPipeline":
        """The same pipeline with the stores of one conversation."""
        return NLUPipeline(
            self.assistant_index,
            list(_build_components(self._mode, self._settings, stores)),
            self._settings,
            self._mode,
        )

    @property
    def uses_model(self) -> bool:
        return any(isinstance(component, LLMComponent) for component in self._components)

    @property
    def uses_embeddings(self) -> bool:
        """Whether sentence embeddings are used. Their model knows English, and Spanish word by word in English."""
        return self._settings.use_embeddings and self.assistant_index.assistant.language.startswith(EMBEDDED_LANGUAGES)

    def prepare(
        self, stored: "EmbeddingsArtefact | None" = None, report: Progress = ignore_progress
    ) -> "EmbeddingsArtefact | None":
        """Embed the assistant's texts, and return what is worth storing. It may take seconds: call it in a thread.

        `stored` is used instead when it was made from the same texts. `report(done, total)` is called with the
        progress. Returns None where embeddings are not used.
        """
        if not self.uses_embeddings:
            return None
        from dialogue.nlu.text.embeddings.artefact import build_artefact, index_factory
        from dialogue.nlu.text.embeddings.embedding_index import cosine_similarities

        documents = self.assistant_index.embedded_documents
        artefact = stored if stored is not None and stored.fits(documents) else build_artefact(documents, report)
        self.assistant_index.use_index(index_factory(artefact, documents), cosine_similarities)
        return artefact

    async def understand(self, message: str, context: NLUContext) -> Understanding:
        """Return the commands that the message means; CannotHandle where no component understood it.

        A message that is not understood in an English conversation is read again as Spanish, if it is Spanish.
        """
        understanding = await self._understand_in(message, context)
        if self.uses_model or not _is_miss(understanding) or not _may_be_spanish(message, context):
            return understanding
        as_spanish = await self._understand_in(message, replace(context, language=GLOSSED_LANGUAGE))
        return understanding if _is_miss(as_spanish) else as_spanish

    async def _understand_in(self, message: str, context: NLUContext) -> Understanding:
        utterance = read_utterance(message, context, self.assistant_index)
        run = _PipelineRun(utterance, self.uses_model)
        for component in self._components:
            if await run.ask(component):
                break
        return run.result()


def _is_miss(understanding: Understanding) -> bool:
    return all(isinstance(command, CannotHandle) for command in understanding.commands)


def _may_be_spanish(message: str, context: NLUContext) -> bool:
    """Whether an English conversation's message is Spanish, and its numbers are the same in both languages."""
    is_english = context.language.startswith(INDEXED_LANGUAGE)
    return is_english and not NUMBER_OF_ONE_LANGUAGE.search(message) and is_spanish(message)


class _PipelineRun:
    """One message in the pipeline. An undecided proposal is kept while the following components are asked.

    Where a language model can be asked, it also is when the local components decide with doubt.
    """

    def __init__(self, utterance: Utterance, uses_model: bool) -> None:
        self._utterance = utterance
        self._uses_model = uses_model
        self._is_in_doubt = False
        self._path: list[PathEntry] = []
        self._dropped: list[DroppedCommand] = []
        self._usage = Usage()
        self._best: Proposal | None = None

    async def ask(self, component: NLUComponent) -> bool:
        """Ask one component, and return whether it decided.

        After a doubtful decision the other local components are skipped: they would know no better.
        """
        is_guessing = self._uses_model and isinstance(component, ExampleComponent | FallbackComponent)
        if is_guessing and self._is_in_doubt:
            return False
        started = perf_counter()
        proposal = await component.propose(self._utterance_for(component))
        milliseconds = (perf_counter() - started) * 1_000
        self._path.append(_path_entry(component.name, round(milliseconds, 3), proposal))
        if proposal is None or not self._accept_proposal(proposal):
            return False
        self._is_in_doubt = is_guessing and is_doubtful(proposal, self._utterance)
        return not self._is_in_doubt

    def _utterance_for(self, component: NLUComponent) -> Utterance:
        """The message; for a language model and its cache with the best local reading so far."""
        if self._best is None or not isinstance(component, AnswerCacheComponent | LLMComponent):
            return self._utterance
        return replace(self._utterance, unsure_reading=self._best.commands)

    def _accept_proposal(self, proposal: Proposal) -> bool:
        self._usage = _add_usage(self._usage, proposal.usage)
        possible, dropped = filter_commands(proposal.commands, self._utterance)
        commands, unclear = protect_pending_values(possible, self._utterance)
        self._dropped += (*dropped, *unclear)
        if not commands:
            return False
        checked = replace(proposal, commands=commands)
        if proposal.decided or self._best is None or proposal.confidence > self._best.confidence:
            self._best = checked
        return proposal.decided

    def result(self) -> Understanding:
        commands: tuple[Command, ...] = self._best.commands if self._best else (CannotHandle("not understood"),)
        confidence = round(self._best.confidence, 3) if self._best else 0.0
        if self._best is None or not self._best.decided:
            self._path = [self._with_nearest_example(entry) for entry in self._path]
        return Understanding(commands, confidence, tuple(self._path), self._usage, tuple(self._dropped))

    def _with_nearest_example(self, entry: PathEntry) -> PathEntry:
        """Say why the examples did not decide. Only then: finding the nearest one takes as long as classifying."""
        if entry.part != ExampleComponent.name:
            return entry
        return replace(entry, nearest=find_nearest_example(self._utterance))


def _path_entry(component: str, milliseconds: float, proposal: Proposal | None) -> PathEntry:
    if proposal is None:
        return PathEntry(component, milliseconds)
    tokens = proposal.usage.prompt_tokens + proposal.usage.completion_tokens
    return PathEntry(component, milliseconds, tokens, proposal.note, proposal.prompt)


def _add_usage(first: Usage, second: Usage) -> Usage:
    return Usage(
        first.calls + second.calls,
        first.prompt_tokens + second.prompt_tokens,
        first.completion_tokens + second.completion_tokens,
        second.model or first.model,
    )
