"""What tells which flow or topic a message asks for: one row of numbers a label, and one for "none of them".

The rows go into the network of `heads/request_scorer.py`, which is trained on many small assistants. Numbers of a label
come with their lead over the best other label, so that they mean the same with four flows and with a hundred.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter

from dialogue.nlu.heads.act_classifier import classify_act
from dialogue.nlu.slots.assistant_index import (
    PATTERN_PLACEHOLDER,
    PLACEHOLDERS,
    TOPIC_KIND,
    FlowIndex,
    flow_label,
)
from dialogue.nlu.slots.extraction import best_alignment_share
from dialogue.nlu.slots.typed.options import find_options
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.slots.value_evidence import value_evidence
from dialogue.nlu.text.glosses import GLOSSED_LANGUAGE, gloss
from dialogue.nlu.text.phrases import prefix_length
from dialogue.nlu.text.similarity import Likeness, SimilarityIndex

# So many labels are worth scoring, and so many the slower signs: values and aligned examples.
MAX_LABELS, MAX_VALUED_LABELS, MAX_ALIGNED_LABELS = 16, 8, 4
MIN_OPTION_LETTERS, MIN_ALIGNMENT_SHARE = 4, 0.3
# What the encoder of requests counts beside the likenesses where the labels that are worth scoring are chosen.
CHOOSE_WEIGHT = 0.2
MARKS = frozenset({*PLACEHOLDERS.values(), PATTERN_PLACEHOLDER})
KINDS = ("example", "title", "description", "slots", "options")

WORD_FEATURES = (
    "words_example", "words_title", "words_description", "words_slots", "words_options", "words_centroid",
    "words_example_lead", "words_title_lead", "words_description_lead", "words_centroid_lead",
    "coverage", "coverage_lead", "own_rarity", "values", "options_named", "alignment",
    "documents", "is_topic", "topic_question", "has_description", "has_slots", "typed", "typed_lead",
)  # fmt: skip
MEANING_FEATURES = (
    "example", "second_example", "title", "description", "slots", "options", "fitted",
    "example_lead", "title_lead", "description_lead", "slots_lead", "best_lead", "fitted_lead", "best",
    "choose", "choose_lead", "fit", "fit_lead",
)  # fmt: skip
MESSAGE_FEATURES = (
    "labels", "tokens", "is_question", "has_opener", "act_other", "act_talk", "act_steer",
    "max_words", "max_centroid", "max_coverage", "unknown_share", "any_values", "any_option",
)  # fmt: skip
MEANING_MESSAGE_FEATURES = (
    "max_example", "max_title", "max_description", "max_slots", "max_fitted", "spread", "max_fit", "none_lead",
)  # fmt: skip
TALK_ACTS = ("thanks", "greeting", "farewell", "small_talk", "insult")


@dataclass(frozen=True)
class RequestRows:
    """`rows` has the numbers of each of `labels`, `message` those of the message as such."""

    labels: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]
    message: tuple[float, ...]
    by_meaning: bool


Columns = dict[str, list[float]]
"""The numbers by name, each with one for every label."""


def request_rows(utterance: Utterance, text: str, open_labels: frozenset[str]) -> RequestRows:
    """Return the rows of the likeliest of the flows and topics; `text` is the message as it is compared with examples.

    `open_labels` are those that may be meant.
    """
    index = utterance.opening_index
    if utterance.context.language.startswith(GLOSSED_LANGUAGE):
        text = gloss(text)
    likeness = index.likeness(text)
    texts = [label_texts for label_texts in _texts_by_label(index) if label_texts.label in open_labels]
    columns = _likeness_columns(texts, likeness)
    columns |= _type_columns(texts, utterance, text) | _coverage_columns(texts, index, text)
    places = sorted(range(len(texts)), key=lambda place: -_first_guess(columns, place))
    labels = [texts[place].label for place in places]
    valued = _value_rows(labels[:MAX_VALUED_LABELS], utterance)
    _add_alignment(valued, labels[:MAX_ALIGNED_LABELS], utterance)
    message = _message_row(columns, valued, likeness, utterance, text)
    by_meaning = bool(likeness.meaning)
    names = (*WORD_FEATURES, *MEANING_FEATURES) if by_meaning else WORD_FEATURES
    message_names = (*MESSAGE_FEATURES, *MEANING_MESSAGE_FEATURES) if by_meaning else MESSAGE_FEATURES
    best_two = {name: sorted(columns[name], reverse=True)[:2] for name, _lead in LEADS if name in columns}
    rows = []
    for place in places[:MAX_LABELS]:
        row = {name: column[place] for name, column in columns.items()}
        row |= _further_numbers(texts[place], likeness, utterance) | valued.get(texts[place].label, {})
        row |= {lead: _lead(row[name], best_two[name]) for name, lead in LEADS if name in best_two}
        rows.append(tuple(row.get(name, 0.0) for name in names))
    return RequestRows(
        tuple(labels[:MAX_LABELS]), tuple(rows), tuple(message.get(name, 0.0) for name in message_names), by_meaning
    )


def _first_guess(columns: Columns, place: int) -> float:
    by_likeness = max(columns["words_example"][place], columns["words_centroid"][place])
    if "best" not in columns:
        return by_likeness
    by_likeness += columns["fitted"][place] + columns["best"][place]
    return by_likeness + CHOOSE_WEIGHT * columns["choose"][place]


@dataclass(frozen=True)
class LabelTexts:
    """A label's texts: the positions of its documents by kind, and how the highest of their scores is found.

    Documents without words are left out.
    """

    label: str
    positions: Mapping[str, tuple[int, ...]]
    highest: Mapping[str, Callable[[Sequence[float]], float]]


@lru_cache(maxsize=64)
def _texts_by_label(index: SimilarityIndex) -> Sequence[LabelTexts]:
    positions: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for position, document in enumerate(index.documents):
        if document.text.strip():
            positions[document.label][document.kind].append(position)
    return tuple(
        LabelTexts(
            label,
            {kind: tuple(numbers) for kind, numbers in kinds.items()},
            {kind: _highest_at(kinds.get(kind, ())) for kind in KINDS},
        )
        for label, kinds in positions.items()
    )


def _highest_at(positions: Sequence[int]) -> Callable[[Sequence[float]], float]:
    """Return a function that gives the highest of the scores at these positions, 0 where there are none."""
    if not positions:
        return lambda scores: 0.0
    pick = itemgetter(*positions)
    return pick if len(positions) == 1 else lambda scores: max(pick(scores))


def _likeness_columns(texts: Sequence[LabelTexts], likeness: Likeness) -> Columns:
    columns = {f"words_{kind}": [label_texts.highest[kind](likeness.words) for label_texts in texts] for kind in KINDS}
    by_label = {"words_centroid": likeness.centroids}
    if likeness.meaning:
        columns |= {kind: [label_texts.highest[kind](likeness.meaning) for label_texts in texts] for kind in KINDS}
        columns["best"] = list(map(max, columns["example"], columns["title"], columns["description"]))
        by_label |= {"fitted": likeness.fitted, "choose": likeness.choose, "fit": likeness.fit}
    for name, scores in by_label.items():
        columns[name] = [scores.get(label_texts.label, 0.0) for label_texts in texts]
    return columns


def _type_columns(texts: Sequence[LabelTexts], utterance: Utterance, text: str) -> Columns:
    """For how much of the dates, times, numbers and codes of the message a flow has a slot of that type."""
    marks = {word for word in text.split() if word in MARKS}
    if not marks:
        return {"typed": [0.0] * len(texts)}
    flows = [_flow_of(label_texts.label, utterance) for label_texts in texts]
    return {"typed": [len(marks & flow.marks) / len(marks) if flow else 0.0 for flow in flows]}


def _coverage_columns(texts: Sequence[LabelTexts], index: SimilarityIndex, text: str) -> Columns:
    """How much of what the message says the label's texts say too, rare words counting more."""
    vocabulary = index.vocabulary
    weights = vocabulary.weigh(text)
    total = sum(weights.values()) or 1.0
    columns: Columns = {"coverage": [], "own_rarity": []}
    for label_texts in texts:
        stems = vocabulary.stems_by_label.get(label_texts.label, frozenset())
        shared = [weight for stem, weight in weights.items() if stem in stems]
        columns["coverage"].append(sum(shared) / total)
        columns["own_rarity"].append(max(shared, default=0.0) / vocabulary.unseen_rarity)
    return columns


def _further_numbers(label_texts: LabelTexts, likeness: Likeness, utterance: Utterance) -> dict[str, float]:
    """What is asked only of the labels that are worth scoring."""
    examples = label_texts.positions.get("example", ())
    flow = _flow_of(label_texts.label, utterance)
    is_topic = float(label_texts.label.startswith(TOPIC_KIND))
    numbers = {
        "documents": math.log(1 + len(examples)),
        "is_topic": is_topic,
        "topic_question": is_topic * float(utterance.is_question),
        "has_description": float("description" in label_texts.positions),
        "has_slots": float(bool(flow and flow.slots)),
    }
    if likeness.meaning:
        nearest = sorted((likeness.meaning[position] for position in examples), reverse=True)
        numbers["second_example"] = next(iter(nearest[1:] or nearest), 0.0)
    return numbers


def _value_rows(labels: Sequence[str], utterance: Utterance) -> dict[str, dict[str, float]]:
    """The values and options of the message by the label that has slots for them."""
    flows = [flow for label in labels if (flow := _flow_of(label, utterance)) is not None]
    evidence = value_evidence(flows, utterance)
    return {
        flow_label(flow.name): {
            "values": min(evidence[flow.name], 3.0),
            "options_named": float(_options_named(flow, utterance)),
        }
        for flow in flows
    }


def _options_named(flow: FlowIndex, utterance: Utterance) -> int:
    items = [slot.items or slot for slot in flow.slots]
    spans = [span for slot in items if slot.options for span in find_options(slot, utterance.tokens)]
    return min(sum(span.length >= MIN_OPTION_LETTERS for span in spans), 3)


def _add_alignment(rows: Mapping[str, dict[str, float]], labels: Sequence[str], utterance: Utterance) -> None:
    for label in labels:
        flow = _flow_of(label, utterance)
        if flow is not None:
            rows[label]["alignment"] = best_alignment_share(flow, utterance, MIN_ALIGNMENT_SHARE)


def _flow_of(label: str, utterance: Utterance) -> FlowIndex | None:
    kind, name = label.split(" ", 1)
    return None if kind == TOPIC_KIND else utterance.assistant_index.flows.get(name)


LEADS = (
    ("typed", "typed_lead"),
    ("words_example", "words_example_lead"), ("words_title", "words_title_lead"),
    ("words_description", "words_description_lead"), ("words_centroid", "words_centroid_lead"),
    ("coverage", "coverage_lead"), ("example", "example_lead"), ("title", "title_lead"),
    ("description", "description_lead"), ("slots", "slots_lead"), ("best", "best_lead"), ("fitted", "fitted_lead"),
    ("choose", "choose_lead"), ("fit", "fit_lead"),
)  # fmt: skip


def _lead(score: float, best_two: Sequence[float]) -> float:
    """How much higher the score is than the best of the others."""
    others = best_two[1:] if score == best_two[0] else best_two[:1]
    return score - (others[0] if others else 0.0)


def _message_row(
    columns: Columns,
    valued: Mapping[str, Mapping[str, float]],
    likeness: Likeness,
    utterance: Utterance,
    text: str,
) -> dict[str, float]:
    acts = classify_act(utterance.text, utterance.context.language) or {}
    # "The same as last time" steers nothing either.
    other = acts.get("other", 1.0) + acts.get("evasion", 0.0)
    talk = sum(acts.get(act, 0.0) for act in TALK_ACTS)
    highest = {name: max(column, default=0.0) for name, column in columns.items()}
    message = {
        "labels": math.log(1 + len(columns["coverage"])),
        "tokens": math.log(1 + len(utterance.tokens)),
        "is_question": float(utterance.is_question),
        "has_opener": float(bool(prefix_length(utterance.folded, utterance.lexicon.acts.openers))),
        "act_other": other,
        "act_talk": talk,
        "act_steer": 1 - other - talk,
        "max_words": highest["words_example"],
        "max_centroid": highest["words_centroid"],
        "max_coverage": highest["coverage"],
        "unknown_share": _unknown_share(utterance, text),
        "any_values": max((row["values"] for row in valued.values()), default=0.0),
        "any_option": max((row["options_named"] for row in valued.values()), default=0.0),
    }
    if likeness.meaning:
        message |= {
            f"max_{name}": highest[name] for name in ("example", "title", "description", "slots", "fitted", "fit")
        }
        best = sorted(columns["best"], reverse=True)
        message["spread"] = best[0] - sum(best) / len(best) if best else 0.0
        message["none_lead"] = likeness.none - highest["choose"]
    return message


def _unknown_share(utterance: Utterance, text: str) -> float:
    vocabulary = utterance.opening_index.vocabulary
    weights = vocabulary.weigh(text)
    unknown = sum(weight for stem, weight in weights.items() if stem not in vocabulary.rarity)
    return unknown / (sum(weights.values()) or 1.0)
