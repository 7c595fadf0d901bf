"""What an author can improve in a flow: examples close to another flow's, examples without values, slots and options.

Each example is left out in turn and compared with all others: the share that still finds its own flow is the
leave-one-out score. It is a lower bound for what users say, since the example that is nearest to them is missing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dialogue.engine.slots.models import Slot
from dialogue.nlu.slots.assistant_index import FLOW_KIND, FUNCTION_WORDS, AssistantIndex, FlowIndex, flow_label
from dialogue.nlu.slots.templates import parse_template
from dialogue.nlu.text.similarity import LabelMatch
from dialogue.nlu.text.tokens import folded_words

# An example is close to another flow if it scores so much of its own flow's score there.
CLOSE_RATIO = 0.9
MAX_BARE_OPTIONS = 8
MIN_EXAMPLES = 3


@dataclass(frozen=True)
class CloseExample:
    """An example that is as near to another flow or topic. `other_example` is the text there that is nearest to it."""

    example: str
    other: str
    other_example: str


@dataclass(frozen=True)
class FlowAdvice:
    """One flow. `recognised` of `examples` examples find the flow when they are left out.

    `slots_in_braces` are free-text slots, where every example has one in braces and no value of it as people say it.
    `slots_without_help` are slots that people fill, and whose description says no more than their name.
    `bare_options` are "slot: option" for options that have neither synonyms nor a label of several words.
    """

    flow: str
    examples: int
    recognised: int
    close_examples: tuple[CloseExample, ...]
    slots_in_braces: tuple[str, ...]
    slots_without_help: tuple[str, ...]
    bare_options: tuple[str, ...]

    @property
    def needs_examples(self) -> bool:
        """Whether it has fewer than `MIN_EXAMPLES`, or most of them do not find it when they are left out."""
        return self.examples < MIN_EXAMPLES or 2 * self.recognised < self.examples

    @property
    def has_findings(self) -> bool:
        return self.needs_examples or any(
            (self.close_examples, self.slots_in_braces, self.slots_without_help, self.bare_options)
        )


def advise_flows(index: AssistantIndex, flows: Sequence[str] | None = None) -> list[FlowAdvice]:
    """Return the advice for these flows, or for all that users may start, in the assistant's order."""
    names = [name for name, flow_index in index.flows.items() if flow_index.flow.start]
    wanted = names if flows is None else [name for name in names if name in flows]
    positions: dict[str, list[int]] = {flow_label(name): [] for name in wanted}
    for position, document in enumerate(index.documents_index.documents):
        if document.source and document.label in positions:
            positions[document.label].append(position)
    return [_advice(index, index.flows[name], positions[flow_label(name)]) for name in wanted]


def _advice(index: AssistantIndex, flow_index: FlowIndex, positions: Sequence[int]) -> FlowAdvice:
    label = flow_label(flow_index.name)
    matches = {position: index.documents_index.leave_one_out(position) for position in positions}
    recognised = sum(bool(ranked) and ranked[0].label == label for ranked in matches.values())
    return FlowAdvice(
        flow_index.name,
        len(positions),
        recognised,
        tuple(_close_examples(index, label, matches)),
        tuple(_slots_in_braces(flow_index)),
        tuple(slot.name for slot in flow_index.slots if not _has_help(slot)),
        tuple(_bare_options(flow_index))[:MAX_BARE_OPTIONS],
    )


def _close_examples(
    index: AssistantIndex, label: str, matches: dict[int, tuple[LabelMatch, ...]]
) -> Iterator[CloseExample]:
    for position, ranked in matches.items():
        own = next((match.score for match in ranked if match.label == label), 0.0)
        other = next((match for match in ranked if match.label != label), None)
        if other is None or other.score < max(index.thresholds.ask, CLOSE_RATIO * own):
            continue
        document = index.documents_index.documents[position]
        nearest = index.documents_index.nearest_document(document.text, other.label)
        kind, name = other.label.split()
        shown = name if kind == FLOW_KIND else f"{kind} {name}"
        yield CloseExample(document.source, shown, (nearest.source or nearest.text) if nearest else "")


def _slots_in_braces(flow_index: FlowIndex) -> Sequence[str]:
    """Return the free-text slots in braces, in the flow's order; none if an example has no such braces."""
    holes = [parse_template(example).holes & flow_index.free_text_slots.keys() for example in flow_index.flow.examples]
    return [slot.name for slot in flow_index.slots if slot.name in frozenset().union(*holes)] if all(holes) else []


def _has_help(slot: Slot) -> bool:
    """Whether the description or the prompt says more than the slot's name, or data gives the options."""
    if slot.options_from is not None:
        return True
    name = set(folded_words(slot.name.replace("_", " ")))
    texts = (str(slot.description or ""), str(slot.prompt or ""))
    return any(set(folded_words(text)) - name - FUNCTION_WORDS for text in texts)


def _bare_options(flow_index: FlowIndex) -> Iterator[str]:
    for slot in flow_index.slots:
        for option in slot.options:
            label = str(option.label) or option.value
            if not option.synonyms and len(label.split()) == 1 and not label[:1].isdigit():
                yield f"{slot.name}: {option.value}"
