"""What tells which flow or topic a message asks for: one row of numbers a label, and one for "none of them".

The rows go into the network of `heads/request_scorer.py`, which is trained on many small assistants. Numbers of a label
come with their lead over the best other label, so that they mean the same with four flows and with a hundred.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from dialogue.nlu.heads.act_classifier import classify_act
from dialogue.nlu.slots.assistant_index import (
    PATTERN_PLACEHOLDER,
    PLACEHOLDERS,
    TOPIC_KIND,
    FlowIndex,
    flow_label,
    placeholder_of,
)
from dialogue.nlu.slots.extraction import best_alignment_share
from dialogue.nlu.slots.options import find_options
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


Row = dict[str, float]


def request_rows(utterance: Utterance, text: str, open_labels: frozenset[str]) -> RequestRows:
    """Return the rows of the likeliest of the flows and topics; `text` is the message as it is compared with examples.

    `open_labels` are those that may be meant.
    """
    index = utterance.opening_index
    if utterance.context.language.startswith(GLOSSED_LANGUAGE):
        text = gloss(text)
    likeness = index.likeness(text)
    rows = {label: row for label, row in _likeness_rows(index, likeness).items() if label in open_labels}
    labels = sorted(rows, key=lambda label: -_first_guess(rows[label]))
    _add_coverage(rows, index, text)
    _add_types(rows, utterance, text)
    _add_values(rows, labels[:MAX_VALUED_LABELS], utterance)
    _add_alignment(rows, labels[:MAX_ALIGNED_LABELS], utterance)
    message = _message_row(rows, likeness, utterance, text)
    _add_leads(rows)
    by_meaning = bool(likeness.meaning)
    names = (*WORD_FEATURES, *MEANING_FEATURES) if by_meaning else WORD_FEATURES
    message_names = (*MESSAGE_FEATURES, *MEANING_MESSAGE_FEATURES) if by_meaning else MESSAGE_FEATURES
    kept = tuple(labels[:MAX_LABELS])
    return RequestRows(
        kept,
        tuple(tuple(rows[label].get(name, 0.0) for name in names) for label in kept),
        tuple(message.get(name, 0.0) for name in message_names),
        by_meaning,
    )


def _first_guess(row: Row) -> float:
    by_likeness = max(row["words_example"], row["words_centroid"]) + row.get("fitted", 0.0) + row.get("best", 0.0)
    return by_likeness + CHOOSE_WEIGHT * row.get("choose", 0.0)


@lru_cache(maxsize=64)
def _documents_by_label(index: SimilarityIndex) -> Mapping[str, Mapping[str, tuple[int, ...]]]:
    """The positions of the documents by label and kind; documents without words are left out."""
    positions: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for position, document in enumerate(index.documents):
        if document.text.strip():
            positions[document.label][document.kind].append(position)
    return {label: {kind: tuple(numbers) for kind, numbers in kinds.items()} for label, kinds in positions.items()}


def _likeness_rows(index: SimilarityIndex, likeness: Likeness) -> dict[str, Row]:
    rows = {}
    for label, positions in _documents_by_label(index).items():
        row: Row = {f"words_{kind}": _highest(likeness.words, positions.get(kind, ())) for kind in KINDS}
        row["words_centroid"] = likeness.centroids.get(label, 0.0)
        row["documents"] = math.log(1 + len(positions.get("example", ())))
        row["is_topic"] = float(label.startswith(TOPIC_KIND))
        row["has_description"] = float("description" in positions)
        if likeness.meaning:
            row |= _meaning_row(positions, likeness, label)
        rows[label] = row
    return rows


def _meaning_row(positions: Mapping[str, tuple[int, ...]], likeness: Likeness, label: str) -> Row:
    row = {kind: _highest(likeness.meaning, positions.get(kind, ())) for kind in KINDS}
    examples = sorted((likeness.meaning[position] for position in positions.get("example", ())), reverse=True)
    row["second_example"] = examples[1] if len(examples) > 1 else row["example"]
    row["best"] = max(row["example"], row["title"], row["description"])
    row["fitted"] = likeness.fitted.get(label, 0.0)
    row["choose"], row["fit"] = likeness.choose.get(label, 0.0), likeness.fit.get(label, 0.0)
    return row


def _highest(scores: Sequence[float], positions: Sequence[int]) -> float:
    return max((scores[position] for position in positions), default=0.0)


def _add_coverage(rows: Mapping[str, Row], index: SimilarityIndex, text: str) -> None:
    """How much of what the message says the label's texts say too, rare words counting more."""
    vocabulary = index.vocabulary
    weights = vocabulary.weigh(text)
    total = sum(weights.values()) or 1.0
    for label, row in rows.items():
        stems = vocabulary.stems_by_label.get(label, frozenset())
        shared = [weight for stem, weight in weights.items() if stem in stems]
        row["coverage"] = sum(shared) / total
        row["own_rarity"] = max(shared, default=0.0) / vocabulary.unseen_rarity


def _add_types(rows: Mapping[str, Row], utterance: Utterance, text: str) -> None:
    """For how much of the dates, times, numbers and codes of the message a flow has a slot of that type."""
    marks = {word for word in text.split() if word in MARKS}
    for label, row in rows.items():
        flow = _flow_of(label, utterance)
        own_marks = {mark for slot in flow.slots for mark in placeholder_of(slot).split()} if flow else set()
        row["has_slots"] = float(bool(flow and flow.slots))
        row["typed"] = len(marks & own_marks) / len(marks) if marks else 0.0


def _add_values(rows: Mapping[str, Row], labels: Sequence[str], utterance: Utterance) -> None:
    flows = [flow for label in labels if (flow := _flow_of(label, utterance)) is not None]
    for name, count in value_evidence(flows, utterance).items():
        rows[flow_label(name)]["values"] = min(count, 3.0)
    for flow in flows:
        rows[flow_label(flow.name)]["options_named"] = float(_options_named(flow, utterance))


def _options_named(flow: FlowIndex, utterance: Utterance) -> int:
    items = [slot.items or slot for slot in flow.slots]
    spans = [span for slot in items if slot.options for span in find_options(slot, utterance.tokens)]
    return min(sum(span.length >= MIN_OPTION_LETTERS for span in spans), 3)


def _add_alignment(rows: Mapping[str, Row], labels: Sequence[str], utterance: Utterance) -> None:
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


def _add_leads(rows: Mapping[str, Row]) -> None:
    for name, lead in LEADS:
        scores = sorted((row.get(name, 0.0) for row in rows.values()), reverse=True)[:2]
        for row in rows.values():
            score = row.get(name, 0.0)
            others = scores[1:] if score == scores[0] else scores[:1]
            row[lead] = score - (others[0] if others else 0.0)


def _message_row(rows: Mapping[str, Row], likeness: Likeness, utterance: Utterance, text: str) -> Row:
    for row in rows.values():
        row["topic_question"] = row["is_topic"] * float(utterance.is_question)
    acts = classify_act(utterance.text, utterance.context.language) or {}
    # "The same as last time" steers nothing either.
    other = acts.get("other", 1.0) + acts.get("evasion", 0.0)
    talk = sum(acts.get(act, 0.0) for act in TALK_ACTS)
    message = {
        "labels": math.log(1 + len(rows)),
        "tokens": math.log(1 + len(utterance.tokens)),
        "is_question": float(utterance.is_question),
        "has_opener": float(bool(prefix_length(utterance.folded, utterance.lexicon.acts.openers))),
        "act_other": other,
        "act_talk": talk,
        "act_steer": 1 - other - talk,
        "max_words": _highest_of(rows, "words_example"),
        "max_centroid": _highest_of(rows, "words_centroid"),
        "max_coverage": _highest_of(rows, "coverage"),
        "unknown_share": _unknown_share(utterance, text),
        "any_values": _highest_of(rows, "values"),
        "any_option": _highest_of(rows, "options_named"),
    }
    if likeness.meaning:
        names = ("example", "title", "description", "slots", "fitted", "fit")
        message |= {f"max_{name}": _highest_of(rows, name) for name in names}
        best = sorted((row["best"] for row in rows.values()), reverse=True)
        message["spread"] = best[0] - sum(best) / len(best) if best else 0.0
        message["none_lead"] = likeness.none - _highest_of(rows, "choose")
    return message


def _unknown_share(utterance: Utterance, text: str) -> float:
    vocabulary = utterance.opening_index.vocabulary
    weights = vocabulary.weigh(text)
    unknown = sum(weight for stem, weight in weights.items() if stem not in vocabulary.rarity)
    return unknown / (sum(weights.values()) or 1.0)


def _highest_of(rows: Mapping[str, Row], name: str) -> float:
    return max((row.get(name, 0.0) for row in rows.values()), default=0.0)
