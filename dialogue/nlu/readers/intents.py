"""Intent classification: which flow or which topic of the knowledge a message asks for, and how surely."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dialogue.nlu.readers.corrections import has_correction_cue
from dialogue.nlu.readers.free_text import has_name_for
from dialogue.nlu.readers.scoring.request_scores import (
    ACTION_THRESHOLD,
    AGREED_THRESHOLD,
    ASK_THRESHOLD,
    OFFERED_SHARE,
    RequestScores,
    score_labels,
    threshold_of,
    unlike_threshold,
)
from dialogue.nlu.slots.assistant_index import (
    FLOW_KIND,
    FUNCTION_WORDS,
    PATTERN_PLACEHOLDER,
    PLACEHOLDERS,
    TOPIC_KIND,
    FlowIndex,
    flow_label,
    is_free_text,
    topic_label,
)
from dialogue.nlu.slots.extraction import best_alignment_share
from dialogue.nlu.slots.extractors import find_dates_in, find_numbers_in, find_times_in, find_values
from dialogue.nlu.slots.spans import Span, without_overlaps
from dialogue.nlu.slots.typed.options import find_options
from dialogue.nlu.slots.typed.patterns import find_emails, find_phones
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.slots.value_evidence import value_evidence
from dialogue.nlu.text.phrases import prefix_length
from dialogue.nlu.text.similarity import LabelMatch
from dialogue.nlu.text.tokens import folded_words, fuzzy_in

# Below the accept threshold, the best flow decides only while the next reaches no more than this part of its score,
# or its nearest example no more than that part of its nearness. The first holds for openings only, from a score on:
# the least costs on CLINC150 with few intents, where a wrong start costs 10 and a question 1.
CLEAR_SCORE_RATIO, MIN_CLEAR_SCORE, CLEAR_LEAD_RATIO = 0.5, 0.2, 0.4
# Flows from this part of the best score on are offered beside the best one.
OFFERED_RATIO = 0.5
# From SURE_SCORE on the best flow decides, whatever comes next; below, a tie makes it a question.
SURE_SCORE, TIED_RATIO, TWIN_RATIO = 0.6, 0.9, 0.995
MAX_OFFERED_FLOWS = 4
# A topic needs a lower score where the message is a question.
QUESTION_THRESHOLD_FACTOR = 0.8
# What the name of an option adds for the flow that has it; short words are options of anything.
OPTION_NAMED_BONUS, MIN_OPTION_LETTERS = 0.1, 5
# A well aligned example raises its flow; aligning is slow, so only the best labels are tried.
ALIGNMENT_WEIGHT, MIN_ALIGNMENT_SHARE, MIN_PLAUSIBLE_SCORE = 0.5, 0.55, 0.08
MAX_ALIGNED_LABELS = 4
# What each value adds for the flow that asks for it, while nothing is awaited that it could answer.
VALUE_BONUS, MAX_VALUED_LABELS = 0.08, 8
# Less like any of the flows that are offered, the words are about something else.
MIN_OFFERED_SCORE = 0.04
# A flow that asks for all that the running flow knows is raised by this part.
SHARED_SLOTS_BONUS = 0.25
# How much higher a request must score while any text, or a name, answers the question.
FREE_TEXT_INCREASE = 0.15
NAME_INCREASE = 0.35
# The same while a flow runs and the message asks for another of its results.
OTHER_RESULT_INCREASE = 0.3


@dataclass(frozen=True)
class IntentPrediction:
    """The likeliest flow or topic. Where it is not `decided`, ask the user which of `likely_flows` is meant.

    `kind` is "flow" or "topic", `score` between 0 and 1. `accepted`: the score decides by itself, whatever else the
    message may mean. `indirect`: no example is near, the message only means the same.
    """

    kind: str
    name: str
    score: float
    decided: bool
    likely_flows: tuple[str, ...]
    accepted: bool = False
    indirect: bool = False


def classify_intent(utterance: Utterance, *, extra_threshold: float = 0.0) -> IntentPrediction | None:
    """Return what the message asks for, or None below the ask threshold.

    `extra_threshold` raises both thresholds where something else is expected, such as an answer.
    """
    prediction = _classify_by_likeness(utterance, extra_threshold)
    return _classify_opening(utterance, prediction) if utterance.context.awaited is None else prediction


def _classify_by_likeness(utterance: Utterance, extra_threshold: float) -> IntentPrediction | None:
    matches = rank_intents(utterance)
    _index, thresholds = utterance.similarity_index
    if not matches or matches[0].score < thresholds.ask + extra_threshold:
        return None
    kind, name = matches[0].label.split()
    factor = QUESTION_THRESHOLD_FACTOR if kind == TOPIC_KIND and utterance.is_question else 1.0
    may_lead = utterance.context.awaited is None and matches[0].score >= MIN_CLEAR_SCORE
    score_ratio = CLEAR_SCORE_RATIO if may_lead else 0.0
    lead_ratio = CLEAR_LEAD_RATIO if matches[0].nearest >= thresholds.ask else 0.0
    decided = _is_decided(matches, thresholds.accept * factor + extra_threshold, (score_ratio, lead_ratio))
    accepted = matches[0].score >= thresholds.accept
    # While a question is open, "do I have to say?" asks for no other flow: it names nothing.
    decided = decided and (utterance.context.awaited is None or not FUNCTION_WORDS.issuperset(utterance.folded))
    return IntentPrediction(kind, name, matches[0].score, decided, _flows_to_offer(matches), accepted)


def _classify_opening(utterance: Utterance, by_likeness: IntentPrediction | None) -> IntentPrediction | None:
    """Return the likeliest request of a message that answers no question, or None where a question is not worth it.

    The thresholds follow from costs. Where the likeness, calibrated on the assistant's own examples, decides for the
    same request, one that is likelier than all others together is enough.
    """
    scores = utterance.remember(_score_opening)
    if not scores.likely or scores.none > 1 - ASK_THRESHOLD:
        return None
    best = scores.likely[0]
    kind, name = best.label.split()
    is_nearest = by_likeness is not None and (by_likeness.kind, by_likeness.name) == (kind, name)
    is_same = is_nearest and by_likeness is not None and by_likeness.decided
    threshold = AGREED_THRESHOLD if is_same else threshold_of(best.label, utterance, is_nearest=is_nearest)
    is_sure = best.probability >= threshold
    if not is_sure and by_likeness is None and best.probability < unlike_threshold(utterance):
        return None
    if not is_sure and _is_topic_rather(scores):
        return None
    is_accepted_too = by_likeness is not None and by_likeness.accepted
    accepted = is_sure and (best.probability >= ACTION_THRESHOLD or is_accepted_too)
    flows = _flows_from(scores, utterance)
    return IntentPrediction(kind, name, best.probability, is_sure, flows, accepted, indirect=not is_same)


def _is_topic_rather(scores: RequestScores) -> bool:
    """Return whether the message hardly asks for a flow: the question which flow is meant offers nothing then."""
    flows = sum(request.probability for request in scores.likely if request.label.startswith(FLOW_KIND))
    return flows < 1 - ASK_THRESHOLD


def _score_opening(utterance: Utterance) -> RequestScores:
    text = comparable_text(utterance)
    if not _has_content(text):
        return RequestScores((), 1.0)
    flows = utterance.startable_flows() | {entry.flow for entry in utterance.open_entries}
    topics = utterance.assistant_index.assistant.knowledge
    return score_labels(utterance, text, frozenset([*map(flow_label, flows), *map(topic_label, topics)]))


def _flows_from(scores: RequestScores, utterance: Utterance) -> tuple[str, ...]:
    """Return the flows that may be meant, the likeliest first: those with an example as near, or the likely ones."""
    matches = rank_intents(utterance)
    near = _flows_to_offer(matches) if matches else ()
    flows = [request for request in scores.likely if request.label.startswith(FLOW_KIND)]
    if not flows:
        return ()
    least = OFFERED_SHARE * flows[0].probability
    names = {request.label.split()[1]: request.probability for request in flows}
    if next(iter(names)) in near:
        return tuple(name for name in names if name in near)
    return tuple(name for name, probability in names.items() if probability >= least)[:MAX_OFFERED_FLOWS]


def _has_content(text: str) -> bool:
    """Is there any word beside marks and numbers? A bare value asks for nothing."""
    return any(not word.startswith("0") and not word.isdigit() for word in folded_words(text))


def _is_decided(matches: Sequence[LabelMatch], accept: float, ratios: tuple[float, float]) -> bool:
    best, *others = matches
    if any(_is_twin(other, best) for other in others):
        return False
    flows = [match for match in others if is_flow(match)]
    if best.score >= accept:
        return (
            best.score >= SURE_SCORE
            or not is_flow(best)
            or not any(other.score >= TIED_RATIO * best.score or _is_rival(other, best, accept) for other in flows)
        )
    next_score = max((other.score for other in others), default=0.0)
    next_nearest = max((other.nearest for other in others), default=0.0)
    return next_score < ratios[0] * best.score or next_nearest < ratios[1] * best.nearest


def _is_rival(other: LabelMatch, best: LabelMatch, accept: float) -> bool:
    """Whether a flow would be accepted too, and one of its examples is nearer: "my balance or a transfer"."""
    return other.score >= accept and other.nearest > best.nearest


def _is_twin(other: LabelMatch, best: LabelMatch) -> bool:
    """Two flows of which the author said the same: nothing tells which is meant."""
    is_likely = other.nearest >= TWIN_RATIO * best.nearest and other.score >= TIED_RATIO * best.score
    return is_likely and is_flow(other) and is_flow(best) and best.nearest >= SURE_SCORE


def _flows_to_offer(matches: Sequence[LabelMatch]) -> tuple[str, ...]:
    """Return the flows that may be meant, the most similar first.

    A flow that shares only common words with the message is not offered.
    """
    nearest = max(match.nearest for match in matches)
    near_matches = [match for match in matches if is_flow(match) and match.nearest >= OFFERED_RATIO * nearest]
    return tuple(match.label.split()[1] for match in near_matches[:MAX_OFFERED_FLOWS])


def is_flow(match: LabelMatch) -> bool:
    """Return whether the label is that of a flow, not of a topic."""
    return match.label.startswith(FLOW_KIND)


def rank_intents(utterance: Utterance) -> tuple[LabelMatch, ...]:
    """Return startable flows, open flows and topics by similarity; an aligned example counts as similarity too."""
    return utterance.remember(_rank)


def _rank(utterance: Utterance) -> tuple[LabelMatch, ...]:
    open_labels = utterance.startable_flows() | {entry.flow for entry in utterance.open_entries}
    text = comparable_text(utterance)
    index, _thresholds = utterance.similarity_index
    compare = index.matches if utterance.context.awaited is not None else index.opening_matches
    matches = compare(text) if _has_content(text) else ()
    known_matches = [match for match in matches if not is_flow(match) or match.label.split()[1] in open_labels]
    adjusted_matches = [
        _with_shared_slots(_with_alignment(_with_option(match, utterance), utterance), utterance)
        for match in known_matches[:MAX_ALIGNED_LABELS]
    ]
    raised_matches = _with_values([*adjusted_matches, *known_matches[MAX_ALIGNED_LABELS:]], utterance)
    return tuple(sorted(raised_matches, key=lambda match: -match.score))


def _with_values(matches: list[LabelMatch], utterance: Utterance) -> list[LabelMatch]:
    """Raise the flows that ask for values of the message. While something is awaited, values may be its answer."""
    if utterance.context.awaited is not None:
        return matches
    flows = [match.label.split()[1] for match in matches[:MAX_VALUED_LABELS] if is_flow(match)]
    evidence = value_evidence([utterance.assistant_index.flows[flow] for flow in flows], utterance)
    bonuses = {flow_label(flow): VALUE_BONUS * count for flow, count in evidence.items()}
    return [
        LabelMatch(match.label, min(match.score + bonuses.get(match.label, 0.0), 1.0), match.nearest)
        for match in matches
    ]


def comparable_text(utterance: Utterance) -> str:
    """Return the text as it is compared with the examples: with placeholders, without "but first I want"."""
    return text_with_placeholders(_without_preface(utterance))


def _without_preface(utterance: Utterance) -> Utterance:
    """ "But first I want …": what may come before anything says nothing about the request."""
    length = prefix_length(utterance.folded, utterance.lexicon.cues.prefaces)
    return (
        utterance.with_text(utterance.text[utterance.tokens[length].start :])
        if 0 < length < len(utterance.tokens)
        else utterance
    )


def _with_shared_slots(match: LabelMatch, utterance: Utterance) -> LabelMatch:
    """Raise flows that ask for what the running flow knows: they go on with the same matter."""
    if utterance.running_flow is None or not is_flow(match) or match.label.split()[1] == utterance.running_flow.name:
        return match
    filled_slots = {
        slot.name for slot in utterance.running_flow.slots if utterance.is_filled(utterance.running_flow, slot)
    }
    shared_slots = filled_slots & {slot.name for slot in utterance.assistant_index.flows[match.label.split()[1]].slots}
    factor = 1 + SHARED_SLOTS_BONUS * len(shared_slots) / max(len(filled_slots), 1)
    return LabelMatch(match.label, min(match.score * factor, 1.0), min(match.nearest * factor, 1.0))


def _with_option(match: LabelMatch, utterance: Utterance) -> LabelMatch:
    if not is_flow(match) or not _names_option(match.label.split()[1], utterance):
        return match
    return LabelMatch(
        match.label, min(match.score + OPTION_NAMED_BONUS, 1.0), min(match.nearest + OPTION_NAMED_BONUS, 1.0)
    )


def _names_option(flow: str, utterance: Utterance) -> bool:
    slots = utterance.assistant_index.flows[flow].slots
    spans = (span for slot in slots if slot.options for span in find_options(slot, utterance.tokens))
    return any(span.length >= MIN_OPTION_LETTERS for span in spans)


def _with_alignment(match: LabelMatch, utterance: Utterance) -> LabelMatch:
    if not is_flow(match) or match.score < MIN_PLAUSIBLE_SCORE:
        return match
    share = best_alignment_share(
        utterance.assistant_index.flows[match.label.split()[1]], utterance, MIN_ALIGNMENT_SHARE
    )
    if share < MIN_ALIGNMENT_SHARE:
        return match
    return LabelMatch(
        match.label, max(match.score, ALIGNMENT_WEIGHT * share), max(match.nearest, ALIGNMENT_WEIGHT * share)
    )


def best_flow_among(utterance: Utterance, flows: Sequence[str]) -> str | None:
    """Return the flow that the words fit best, however little, or None when none does or another fits as well."""
    labels = {f"{FLOW_KIND} {flow}" for flow in flows}
    index, _thresholds = utterance.similarity_index
    matches = index.matches(text_with_placeholders(utterance))
    fitting = [match for match in matches if match.label in labels and match.nearest >= MIN_OFFERED_SCORE]
    if not fitting or (len(fitting) > 1 and fitting[1].nearest >= TIED_RATIO * fitting[0].nearest):
        return None
    return fitting[0].label.split()[1]


def text_with_placeholders(utterance: Utterance) -> str:
    """Return the text with placeholders for numbers, dates and codes, as the indexed examples have them."""
    text = utterance.text
    for span in reversed(without_overlaps(_placeholder_spans(utterance))):
        text = f"{text[: span.start]} {span.value} {text[span.end :]}"
    return text


def _placeholder_spans(utterance: Utterance) -> Iterator[Span]:
    spans_by_placeholder = {
        PATTERN_PLACEHOLDER: [
            span for slot in utterance.assistant_index.pattern_slots for span in find_values(slot, utterance)
        ],
        PLACEHOLDERS["email"]: find_emails(utterance.text),
        PLACEHOLDERS["date"]: find_dates_in(utterance),
        PLACEHOLDERS["time"]: find_times_in(utterance),
        PLACEHOLDERS["phone"]: find_phones(utterance.text),
        PLACEHOLDERS["money"]: find_numbers_in(utterance),
    }
    placeholders: dict[tuple[int, int], str] = {}
    for mark, spans in spans_by_placeholder.items():
        for span in (span for span in spans if not span.weak):
            position = (span.start, span.end)
            placeholders[position] = f"{placeholders.get(position, '')} {mark}"
    return (Span(*position, marks) for position, marks in placeholders.items())


def is_topic(request: IntentPrediction) -> bool:
    """Return whether the message asks a question of the knowledge."""
    return request.kind == TOPIC_KIND


def shares_word_with_topic(topic: IntentPrediction, utterance: Utterance) -> bool:
    """Return whether the message has a content word of the author's questions for the topic."""
    questions = utterance.assistant_index.assistant.knowledge[topic.name].questions
    topic_words = {word for question in questions for word in folded_words(str(question))} - FUNCTION_WORDS
    return any(fuzzy_in(word, topic_words) for word in set(utterance.folded) - FUNCTION_WORDS)


def threshold_increase(utterance: Utterance) -> float:
    """Return how much clearer a request must be where any text answers, most where a name does."""
    slot = utterance.awaited_slot
    if slot is None and asks_for_other_results(utterance):
        return OTHER_RESULT_INCREASE
    if slot is None or not is_free_text(slot) or is_only_request(utterance):
        return 0.0
    if has_name_for(slot, utterance):
        return NAME_INCREASE
    return 0.0 if utterance.is_question else FREE_TEXT_INCREASE


def asks_for_other_results(utterance: Utterance) -> bool:
    """ "Is there anything else on the 4th?": what the running flow has found is not what was wanted."""
    return utterance.running_flow is not None and not utterance.lexicon.cues.other_one_words.isdisjoint(
        utterance.folded
    )


def is_only_request(utterance: Utterance) -> bool:
    """ "I want to make a transfer": nothing in it could be text for another question."""
    request = classify_intent(utterance)
    return (
        request is not None
        and not is_topic(request)
        and only_asks_for(utterance.assistant_index.flows[request.name], utterance)
    )


def only_asks_for(flow_index: FlowIndex, utterance: Utterance) -> bool:
    """Return whether the message names the flow and nothing that could be one of its values."""
    has_opener = prefix_length(utterance.folded, utterance.lexicon.acts.openers)
    return bool(has_opener) and not set(utterance.folded) - FUNCTION_WORDS - flow_index.vocabulary


def is_topic_in_correction(intent: IntentPrediction, utterance: Utterance) -> bool:
    """ "No, the address should be …" names a topic, and asks nothing about it."""
    return is_topic(intent) and utterance.has_open_flow and not utterance.is_question and has_correction_cue(utterance)


def is_running_flow(intent: IntentPrediction, utterance: Utterance) -> bool:
    """Return whether the message asks for the flow that runs."""
    return utterance.running_flow is not None and intent.name == utterance.running_flow.name


def is_outside_open_flows(intent: IntentPrediction, utterance: Utterance) -> bool:
    """Return whether the message asks for a topic or for a flow that was not started."""
    return intent.name not in {flow.name for flow in (*utterance.open_flows(), *utterance.waiting_flows())}


def is_accepted(intent: IntentPrediction, utterance: Utterance) -> bool:
    """Return whether the score decides by itself, whatever else the message may mean."""
    return intent.accepted
