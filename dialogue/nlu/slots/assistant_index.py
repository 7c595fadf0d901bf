"""The understanding's view of an assistant: its flows' slots, templates and words, and the index of examples."""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache

from dialogue.engine.language.compiler import Assistant, Flow
from dialogue.engine.language.loop_items import slots_of_rounds
from dialogue.engine.language.steps import Collect
from dialogue.engine.slots.models import Slot
from dialogue.nlu.slots.templates import HOLE, ExampleTemplate, parse_template, with_hole, with_placeholders
from dialogue.nlu.slots.typed.patterns import fits_anything
from dialogue.nlu.text.glosses import GLOSSED_LANGUAGE, gloss, is_spanish
from dialogue.nlu.text.lexicons import LEXICONS
from dialogue.nlu.text.lexicons.lexicon import ActPhrases
from dialogue.nlu.text.similarity import (
    Document,
    SimilarityIndex,
    TfIdfIndex,
    Thresholds,
    calibrate_thresholds,
    word_stem,
)
from dialogue.nlu.text.tokens import folded_words

FLOW_KIND, TOPIC_KIND = "flow", "topic"
# What the lexicons call an act that the language of flows calls otherwise.
ACT_FIELDS = {"why": "explain", "small_talk": "chitchat"}
# The language of the embeddings' model.
INDEXED_LANGUAGE = "en"
# How much a text counts that an author wrote, but that users hardly say.
TITLE_WEIGHT, DESCRIPTION_WEIGHT, OPTIONS_WEIGHT = 0.9, 0.75, 0.5
PLACEHOLDERS = {
    "integer": "0number", "number": "0number", "money": "0number", "date": "0date", "time": "0time",
    "datetime": "0date", "email": "0email", "phone": "0phone",
}  # fmt: skip
PATTERN_PLACEHOLDER = "0code"
FUNCTION_WORDS = frozenset().union(*(lexicon.cues.function_words for lexicon in LEXICONS.values()))


@dataclass(frozen=True, eq=False)
class FlowIndex:
    """A flow as the understanding sees it, built once a release. `slots` may be filled by users, in the order asked."""

    flow: Flow
    slots: tuple[Slot, ...]

    @property
    def name(self) -> str:
        """The flow's key."""
        return self.flow.flow

    @cached_property
    def templates(self) -> tuple[ExampleTemplate, ...]:
        """The examples that hold values of the flow's slots."""
        names = {slot.name for slot in self.slots}
        templates = (parse_template(example) for example in (*self.flow.examples, *self._examples_with_holes()))
        return tuple(template for template in templates if template.holes & names)

    def _examples_with_holes(self) -> Iterator[str]:
        """Yield plain examples with a hole where they name what the only free text is: "reserve a book"."""
        for name, slot in self.free_text_slots.items() if len(self.free_text_slots) == 1 else ():
            about = set(folded_words(str(slot.description or ""))) - FUNCTION_WORDS
            examples = (with_hole(example, about, name) for example in self.flow.examples)
            yield from (example for example in examples if set(folded_words(HOLE.sub(" ", example))) - FUNCTION_WORDS)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The content words that the author uses for the flow itself; they are rarely values."""
        texts = (self.flow.title, self.flow.description, *(HOLE.sub(" ", example) for example in self.flow.examples))
        return frozenset(word for text in texts for word in folded_words(text)) - FUNCTION_WORDS

    @cached_property
    def title_stems(self) -> frozenset[str]:
        """The stems of the title's content words, in every language."""
        translations: Mapping[str, str] = getattr(self.flow.title, "translations", {})
        words = [word for text in (str(self.flow.title), *translations.values()) for word in folded_words(text)]
        return frozenset(word_stem(word) for word in words if word not in FUNCTION_WORDS and len(word) > 2)

    @cached_property
    def free_text_slots(self) -> Mapping[str, Slot]:
        """The slots that take any text, by name."""
        return {slot.name: slot for slot in self.slots if is_free_text(slot)}

    @cached_property
    def marks(self) -> frozenset[str]:
        """What stands for the values of the slots in indexed examples, such as "0number"."""
        return frozenset(mark for slot in self.slots for mark in placeholder_of(slot).split())

    @cached_property
    def without_free_text(self) -> "FlowIndex":
        """The flow without the slots that take any text."""
        return FlowIndex(self.flow, tuple(slot for slot in self.slots if not is_free_text(slot)))

    def slot(self, name: str) -> Slot | None:
        """Return the slot of that name, or the field of a record that a dotted name means, or None."""
        head, _dot, path = name.partition(".")
        slot = next((slot for slot in self.slots if slot.name == head), None)
        if slot is None or not path:
            return slot
        return slot.part(path) if slot.options_from is None else None

    @cached_property
    def with_fields(self) -> "FlowIndex":
        """The flow with the fields of its records as slots of their own, by dotted names such as address.zip."""
        records = (slot for slot in self.slots if slot.type == "object" and slot.options_from is None)
        fields = tuple(part for record in records for part in _fields_of(record))
        return FlowIndex(self.flow, (*self.slots, *fields)) if fields else self


def _fields_of(record: Slot) -> Iterator[Slot]:
    """Yield the fields of a record, and those of the records in it; lists are left out."""
    for path in _field_paths(record, ""):
        part = record.part(path)
        if part is not None and part.type != "list":
            yield part


def _field_paths(slot: Slot, path: str) -> Iterator[str]:
    for name, field in slot.fields.items():
        if field.type == "object":
            yield from _field_paths(field, f"{path}{name}.")
        else:
            yield f"{path}{name}"


TextSimilarities = Callable[[str, Sequence[str]], Sequence[float]]
IndexFactory = Callable[[tuple[Document, ...], Set[str]], SimilarityIndex]


class AssistantIndex:
    """One assistant prepared for understanding; built once a release and shared by its conversations."""

    def __init__(self, assistant: Assistant) -> None:
        self.assistant = assistant
        self.flows: Mapping[str, FlowIndex] = {
            flow.flow: _build_flow_index(assistant, flow) for flow in assistant.flows.values()
        }
        self.documents = tuple(_assistant_documents(assistant, self.flows))
        self._own_documents = tuple(_without_translations(self.documents, assistant.language))
        self._by_words = _build_and_calibrate(TfIdfIndex, self.documents)
        has_all = self._own_documents == self.documents
        self._indexed = self._by_words if has_all else _build_and_calibrate(TfIdfIndex, self._own_documents)
        self._glossed: SimilarityIndex | None = None
        self.similarities: TextSimilarities | None = None
        self.has_sentence_model = False

    def use_index(self, build_index: IndexFactory, similarities: TextSimilarities | None = None) -> None:
        """Replace the similarity index, which may take seconds; until then messages use the old one.

        `similarities` compares a text with others by meaning, where the author's texts are English. Messages in other
        languages go on using the words: the model of the embeddings knows only English. First messages in Spanish are
        compared word by word in English.
        """
        if self._is_english:
            self._indexed = _build_and_calibrate(build_index, self._own_documents)
        self._glossed = self._build_glossed(build_index)
        self.similarities = similarities if self._is_english else None
        self.has_sentence_model = similarities is not None

    @cached_property
    def embedded_documents(self) -> tuple[Document, ...]:
        """What the model of the embeddings reads: each text once, Spanish ones in English, or in both languages."""
        documents = (*(self._own_documents if self._is_english else ()), *self._glossed_documents)
        return tuple({document.text: document for document in documents}.values())

    @property
    def _is_english(self) -> bool:
        """Whether the model of the embeddings reads the author's texts as they are."""
        return self.assistant.language.startswith(INDEXED_LANGUAGE)

    def index_for(self, language: str) -> tuple[SimilarityIndex, Thresholds]:
        """Return the similarity index for messages in this language, and its calibrated thresholds."""
        return self._indexed if language.startswith(INDEXED_LANGUAGE) else self._by_words

    def opening_index(self, language: str) -> SimilarityIndex:
        """Return the index for first messages. Spanish ones are compared word by word in English."""
        if not language.startswith(GLOSSED_LANGUAGE):
            return self.index_for(language)[0]
        if self._glossed is None:
            self._glossed = self._build_glossed(TfIdfIndex)
        return self._glossed

    def _build_glossed(self, build_index: IndexFactory) -> SimilarityIndex:
        """Return the index of the documents with Spanish ones in English; the other index where none is Spanish."""
        is_same = self._glossed_documents == self._own_documents
        return self._indexed[0] if is_same else build_index(self._glossed_documents, FUNCTION_WORDS)

    @cached_property
    def _glossed_documents(self) -> tuple[Document, ...]:
        return tuple(replace(document, text=self.in_english(document.text)) for document in self.documents)

    def in_english(self, text: str) -> str:
        """Return a text of the author word by word in English where it is Spanish, any other as it is."""
        is_glossed = self.assistant.language.startswith(GLOSSED_LANGUAGE) or is_spanish(text)
        return gloss(text) if is_glossed else text

    @property
    def documents_index(self) -> SimilarityIndex:
        """The similarity index over the examples, titles, descriptions and questions in the assistant's language."""
        return self._indexed[0]

    @property
    def thresholds(self) -> Thresholds:
        """The thresholds of `documents_index`."""
        return self._indexed[1]

    @cached_property
    def act_phrases(self) -> ActPhrases | None:
        """The author's phrases for acts, by the fields of the lexicons; None where there are none."""
        phrases = self.assistant.phrases
        by_field = {
            ACT_FIELDS.get(act, act): frozenset(filter(None, (tuple(folded_words(text)) for text in texts)))
            for act in type(phrases).model_fields
            if (texts := getattr(phrases, act))
        }
        no_phrases = {field.name: frozenset[tuple[str, ...]]() for field in fields(ActPhrases)}
        return ActPhrases(**{**no_phrases, **by_field}) if by_field else None

    @cached_property
    def title_stems(self) -> frozenset[str]:
        """The stems of the content words of all flows' titles."""
        return frozenset().union(*(flow_index.title_stems for flow_index in self.flows.values()))

    @cached_property
    def round_slots(self) -> Mapping[str, Mapping[str, Slot]]:
        """The slots of the rounds of loops, by the flows that have such loops or call flows that have."""
        flows = self.assistant.flows
        if not any(flow.has_rounds for flow in flows.values()):
            return {}
        by_flow = {name: slots_of_rounds(flows, name) for name in flows}
        return {name: slots for name, slots in by_flow.items() if slots}

    @cached_property
    def pattern_slots(self) -> tuple[Slot, ...]:
        """The slots of any flow whose values have a form of their own."""
        slots = (slot for flow_index in self.flows.values() for slot in flow_index.slots)
        return tuple({slot.pattern: slot for slot in slots if has_pattern(slot)}.values())


def _build_and_calibrate(
    build_index: IndexFactory, documents: tuple[Document, ...]
) -> tuple[SimilarityIndex, Thresholds]:
    index = build_index(documents, FUNCTION_WORDS)
    return index, calibrate_thresholds(index)


def _without_translations(documents: Sequence[Document], language: str) -> Iterator[Document]:
    """Yield the documents, in an English assistant without those in other languages that have English ones beside them.

    English messages are near to none of them, and they would lower the thresholds.
    """
    is_indexed = language.startswith(INDEXED_LANGUAGE)
    foreign = [is_indexed and _is_foreign(document) for document in documents]
    pairs = list(zip(documents, foreign, strict=True))
    own_labels = {(document.label, document.kind) for document, is_foreign in pairs if not is_foreign}
    for document, is_foreign in pairs:
        if not is_foreign or (document.label, document.kind) not in own_labels:
            yield document


def _is_foreign(document: Document) -> bool:
    if document.language:
        return not document.language.startswith(INDEXED_LANGUAGE)
    return is_spanish(HOLE.sub(" ", document.source or document.text))


def has_pattern(slot: Slot) -> bool:
    """Return whether the slot has a pattern that ordinary words do not match."""
    return slot.pattern is not None and not fits_anything(slot.pattern)


def is_free_text(slot: Slot) -> bool:
    """Return whether the slot takes any text, so that nothing in a message shows where its value is."""
    return slot.type == "text" and not has_pattern(slot)


def words_about(slot: Slot) -> frozenset[str]:
    """Return the words of the slot's name, title, description and question, small ones too."""
    return _words_of(" ".join(str(text) for text in (slot.name, slot.title, slot.description, slot.prompt) if text))


@lru_cache(maxsize=1024)
def _words_of(text: str) -> frozenset[str]:
    return frozenset(folded_words(text.replace("_", " ")))


def flow_label(name: str) -> str:
    """Return the index label of a flow: "flow " and its key."""
    return f"{FLOW_KIND} {name}"


def topic_label(name: str) -> str:
    """Return the index label of a topic: "topic " and its key."""
    return f"{TOPIC_KIND} {name}"


def needed_flows(flow: str, index: AssistantIndex) -> tuple[str, ...]:
    """Return the flows that this one needs, and those that they need, in the order in which they run."""
    names: dict[str, None] = {}
    pending = [flow]
    while pending:
        flow_index = index.flows.get(pending.pop(0))
        new = [name for name in (flow_index.flow.needs.values() if flow_index else ()) if name not in names]
        names |= dict.fromkeys(new)
        pending.extend(new)
    return tuple(names)


def _build_flow_index(assistant: Assistant, flow: Flow) -> FlowIndex:
    collected_names = [step.slot for step in flow.all_steps() if isinstance(step, Collect)]
    hole_names = [hole for example in flow.examples for hole in HOLE.findall(example)]
    slots = (assistant.slot(flow.flow, name) for name in dict.fromkeys((*collected_names, *hole_names)))
    return FlowIndex(flow, tuple(slot for slot in slots if slot is not None))


def _assistant_documents(assistant: Assistant, flow_indexes: Mapping[str, FlowIndex]) -> Iterator[Document]:
    for flow_index in flow_indexes.values():
        if flow_index.flow.start:
            yield from _flow_documents(flow_index)
    for topic, knowledge in assistant.knowledge.items():
        for question in knowledge.questions:
            yield from _translated_documents(topic_label(topic), question)


def _flow_documents(flow_index: FlowIndex) -> Iterator[Document]:
    flow, label = flow_index.flow, flow_label(flow_index.name)
    marks = {slot.name: placeholder_of(slot) for slot in flow_index.slots}
    yield from _translated_documents(label, flow.title, TITLE_WEIGHT, "title")
    yield from _translated_documents(label, flow.description, DESCRIPTION_WEIGHT, "description")
    for example in flow.examples:
        yield Document(label, with_placeholders(example, marks), source=example)
    slots = list(flow.slots.values())
    names = " ".join(slot.name.replace("_", " ") for slot in slots)
    for text, language in (_joined_in_each_language([slot.description or "" for slot in slots]) or {"": ""}).items():
        yield Document(label, f"{names} {text}".strip(), OPTIONS_WEIGHT, kind="slots", language=language)
    options = [option.label for slot in flow_index.slots for option in (slot.items or slot).options]
    for text, language in _joined_in_each_language(options).items():
        yield Document(label, text, OPTIONS_WEIGHT, kind="options", language=language)


def _joined_in_each_language(texts: Sequence[str]) -> dict[str, str]:
    """Return the texts as one, once for each language that they are written in, with it; {} without any text."""
    all_translations: list[Mapping[str, str]] = [getattr(text, "translations", {}) for text in texts]
    joined = {" ".join(texts): ""}
    for language in dict.fromkeys(language for translations in all_translations for language in translations):
        pairs = zip(texts, all_translations, strict=True)
        joined.setdefault(" ".join(translations.get(language, text) for text, translations in pairs), language)
    return {text: language for text, language in joined.items() if text.strip()}


def placeholder_of(slot: Slot) -> str:
    """Return what stands for the slot's values in indexed examples, such as "0number", or ""."""
    return PATTERN_PLACEHOLDER if has_pattern(slot) else PLACEHOLDERS.get(slot.type, "")


def _translated_documents(label: str, text: str, weight: float = 1.0, kind: str = "example") -> Iterator[Document]:
    translations: Mapping[str, str] = getattr(text, "translations", {})
    languages = {str(text): ""} | {translation: language for language, translation in translations.items()}
    for translation, language in languages.items():
        yield Document(label, translation, weight, kind=kind, language=language)
