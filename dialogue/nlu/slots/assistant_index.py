"""What understanding knows of an assistant: its flows' slots, templates and words, and the index of examples."""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from dialogue.engine.language.compiler import Assistant, Flow
from dialogue.engine.language.steps import Collect
from dialogue.engine.slots.models import Slot
from dialogue.nlu.slots.patterns import fits_anything
from dialogue.nlu.slots.templates import HOLE, ExampleTemplate, opened, read_template, with_marks
from dialogue.nlu.text.lexicons import LEXICONS
from dialogue.nlu.text.similarity import Document, SimilarityIndex, TfIdfIndex, Thresholds, calibrate_thresholds
from dialogue.nlu.text.tokens import folded_words

FLOW, TOPIC = "flow", "topic"
# How much a text counts that an author wrote, but that users hardly say.
TITLE_WEIGHT, DESCRIPTION_WEIGHT, OPTIONS_WEIGHT = 0.9, 0.75, 0.5
MARKS = {
    "integer": "0number", "number": "0number", "money": "0number", "date": "0date", "time": "0time",
    "datetime": "0date", "email": "0email", "phone": "0phone",
}  # fmt: skip
CODE_MARK = "0code"
FUNCTION_WORDS = frozenset().union(*(lexicon.cues.function_words for lexicon in LEXICONS.values()))


@dataclass(frozen=True, eq=False)
class FlowSense:
    """A flow as understanding sees it. `asked` are the slots that a user may fill, in the order of the questions.

    There is one a flow and release.
    """

    flow: Flow
    asked: tuple[Slot, ...]

    @property
    def name(self) -> str:
        return self.flow.flow

    @cached_property
    def templates(self) -> tuple[ExampleTemplate, ...]:
        names = {slot.name for slot in self.asked}
        read = (read_template(example) for example in (*self.flow.examples, *self._opened()))
        return tuple(template for template in read if template.holes & names)

    def _opened(self) -> Iterator[str]:
        """Plain examples with a hole where they name what the only free text is about: "reserve a book"."""
        for name, slot in self.free.items() if len(self.free) == 1 else ():
            about = set(folded_words(str(slot.description or ""))) - FUNCTION_WORDS
            changed = (opened(example, about, name) for example in self.flow.examples)
            yield from (example for example in changed if set(folded_words(HOLE.sub(" ", example))) - FUNCTION_WORDS)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The content words that the author uses for the flow itself; none of them is likely to be a value."""
        texts = (self.flow.title, self.flow.description, *(HOLE.sub(" ", example) for example in self.flow.examples))
        return frozenset(word for text in texts for word in folded_words(text)) - FUNCTION_WORDS

    @cached_property
    def free(self) -> Mapping[str, Slot]:
        """The slots by name for which any text does."""
        return {slot.name: slot for slot in self.asked if is_free(slot)}

    @cached_property
    def formed(self) -> "FlowSense":
        """The flow as if it asked for no free text."""
        return FlowSense(self.flow, tuple(slot for slot in self.asked if not is_free(slot)))

    def slot(self, name: str) -> Slot | None:
        return next((slot for slot in self.asked if slot.name == name), None)


Likeness = Callable[[str, Sequence[str]], Sequence[float]]
Compare = Callable[[tuple[Document, ...], Set[str]], SimilarityIndex]


class Program:
    """One assistant, made ready for understanding; built once a release and shared by its conversations."""

    def __init__(self, assistant: Assistant) -> None:
        self.assistant = assistant
        self.senses: Mapping[str, FlowSense] = {flow.flow: _sense(assistant, flow) for flow in assistant.flows.values()}
        self.documents = tuple(_documents(assistant, self.senses))
        self._learned = _learned(TfIdfIndex, self.documents)
        self.likeness: Likeness | None = None

    def learn(self, compare: Compare, likeness: Likeness | None = None) -> None:
        """Compare in another way from now on. It may take seconds; meanwhile messages are understood as before.

        `likeness` tells how near a text is to others in meaning.
        """
        self._learned = _learned(compare, self.documents)
        self.likeness = likeness

    @property
    def index(self) -> SimilarityIndex:
        return self._learned[0]

    @property
    def thresholds(self) -> Thresholds:
        return self._learned[1]

    @cached_property
    def coded(self) -> tuple[Slot, ...]:
        """The slots of any flow whose values have a form of their own."""
        slots = (slot for sense in self.senses.values() for slot in sense.asked)
        return tuple({slot.pattern: slot for slot in slots if has_form(slot)}.values())


def _learned(compare: Compare, documents: tuple[Document, ...]) -> tuple[SimilarityIndex, Thresholds]:
    index = compare(documents, FUNCTION_WORDS)
    return index, calibrate_thresholds(index)


def has_form(slot: Slot) -> bool:
    return slot.pattern is not None and not fits_anything(slot.pattern)


def is_free(slot: Slot) -> bool:
    """Does any text do for the slot, so that nothing in a message tells where its value is?"""
    return slot.type == "text" and not has_form(slot)


def flow_label(name: str) -> str:
    return f"{FLOW} {name}"


def topic_label(name: str) -> str:
    return f"{TOPIC} {name}"


def _sense(assistant: Assistant, flow: Flow) -> FlowSense:
    asked = [step.slot for step in flow.all_steps() if isinstance(step, Collect)]
    named = [hole for example in flow.examples for hole in HOLE.findall(example)]
    slots = (assistant.slot(flow.flow, name) for name in dict.fromkeys((*asked, *named)))
    return FlowSense(flow, tuple(slot for slot in slots if slot is not None))


def _documents(assistant: Assistant, senses: Mapping[str, FlowSense]) -> Iterator[Document]:
    for sense in senses.values():
        if sense.flow.start:
            yield from _flow_documents(sense)
    for topic, knowledge in assistant.knowledge.items():
        for question in knowledge.questions:
            yield from _translated(topic_label(topic), question)


def _flow_documents(sense: FlowSense) -> Iterator[Document]:
    flow, label = sense.flow, flow_label(sense.name)
    marks = {slot.name: mark_of(slot) for slot in sense.asked}
    yield from _translated(label, flow.title, TITLE_WEIGHT)
    yield from _translated(label, flow.description, DESCRIPTION_WEIGHT)
    for example in flow.examples:
        yield Document(label, with_marks(example, marks))
    named = " ".join(f"{slot.name.replace('_', ' ')} {slot.description or ''}" for slot in flow.slots.values())
    yield Document(label, named, OPTIONS_WEIGHT)
    options = [option.label for slot in sense.asked for option in slot.options]
    if options:
        yield Document(label, " ".join(options), OPTIONS_WEIGHT)


def mark_of(slot: Slot) -> str:
    return CODE_MARK if has_form(slot) else MARKS.get(slot.type, "")


def _translated(label: str, text: str, weight: float = 1.0) -> Iterator[Document]:
    translations: Mapping[str, str] = getattr(text, "translations", {})
    for each in {str(text), *translations.values()}:
        yield Document(label, each, weight)
