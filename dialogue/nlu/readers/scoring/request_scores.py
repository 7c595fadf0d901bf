"""What a first message asks for, by one trained probability a flow or topic, and what to do with it by its costs."""

from collections.abc import Sequence
from dataclasses import dataclass

from dialogue.engine.language.steps import Collect, Confirm
from dialogue.nlu.heads.request_scorer import score_requests
from dialogue.nlu.readers.scoring.request_features import request_rows
from dialogue.nlu.slots.assistant_index import FLOW_KIND
from dialogue.nlu.slots.utterance import Utterance

# What an error costs; docs/understanding.md has the same numbers.
WRONG_ACTION_COST, WRONG_REPLY_COST, WRONG_QUESTION_COST, UNANSWERED_COST, QUESTION_COST = 10, 4, 3, 1.5, 1
HIDDEN_ANSWER_COST = 24
# From which probability on a flow or a topic's answer costs less than the question that would be asked instead. A flow
# that begins with a question of its own has done nothing yet, and the next message can start another.
ACTION_THRESHOLD = WRONG_ACTION_COST / (WRONG_ACTION_COST + QUESTION_COST)
REPLY_THRESHOLD = WRONG_REPLY_COST / (WRONG_REPLY_COST + QUESTION_COST)
START_THRESHOLD = WRONG_QUESTION_COST / (WRONG_QUESTION_COST + QUESTION_COST)
# The same where the likeness to the examples decides for the same label. Where no example of the flow is the nearest,
# starting it may take words of a story for values. An answer to a statement hides what was meant.
AGREED_THRESHOLD = 0.5
INDIRECT_THRESHOLD = ACTION_THRESHOLD
STATEMENT_THRESHOLD = HIDDEN_ANSWER_COST / (HIDDEN_ANSWER_COST + QUESTION_COST)
# A flow without any likeness to its examples is asked about from here on: nonsense is a little like any flow. Nine of
# ten requests that get this question instead of "I did not understand" find what they want among the offers. By words
# alone, a word like one of the examples is enough for 0.4.
UNLIKE_THRESHOLD, UNLIKE_THRESHOLD_BY_WORDS = 0.4, 0.65
# From which probability of any request on a question costs less than "I did not understand".
ASK_THRESHOLD = QUESTION_COST / UNANSWERED_COST
# The part of first messages that ask for nothing the assistant has: in the assistants of the training, where most of
# them are close to a flow, and as we expect it of customers.
TRAINED_OTHER_SHARE, EXPECTED_OTHER_SHARE = 0.3, 0.1
OTHER_ODDS = (EXPECTED_OTHER_SHARE / (1 - EXPECTED_OTHER_SHARE)) / (TRAINED_OTHER_SHARE / (1 - TRAINED_OTHER_SHARE))
# Flows from this part of the best one's probability on are offered.
OFFERED_SHARE = 0.15


@dataclass(frozen=True)
class LikelyRequest:
    """A label of the index and how likely the message asks for it, 0 to 1."""

    label: str
    probability: float


@dataclass(frozen=True)
class RequestScores:
    """The labels, the likeliest first. `none` is the probability that the message asks for none of them."""

    likely: tuple[LikelyRequest, ...]
    none: float


def score_labels(utterance: Utterance, text: str, open_labels: frozenset[str]) -> RequestScores:
    """Return how likely the message asks for each label; `text` is the message as it is compared with examples."""
    rows = request_rows(utterance, text, open_labels)
    if not rows.labels:
        return RequestScores((), 1.0)
    *chances, none = score_requests(rows.rows, rows.message, by_meaning=rows.by_meaning)
    total = 1 - none + none * OTHER_ODDS
    return RequestScores(_in_order(rows.labels, [chance / total for chance in chances]), none * OTHER_ODDS / total)


def threshold_of(label: str, utterance: Utterance, *, is_nearest: bool) -> float:
    """Return from which probability on the label is what the message asks for.

    `is_nearest`: an example of it is the nearest one.
    """
    kind, name = label.split(" ", 1)
    if kind != FLOW_KIND:
        return REPLY_THRESHOLD if utterance.is_question else STATEMENT_THRESHOLD
    flow = utterance.assistant_index.flows.get(name)
    asks_first = flow is None or any(isinstance(step, Collect | Confirm) for step in flow.flow.all_steps())
    if not asks_first:
        return ACTION_THRESHOLD
    if not utterance.assistant_index.has_sentence_model:
        # By words alone, the nearest example says nothing that the score does not know.
        return START_THRESHOLD
    return AGREED_THRESHOLD if is_nearest else INDIRECT_THRESHOLD


def unlike_threshold(utterance: Utterance) -> float:
    """Return from which probability on to ask about a flow without any likeness to its examples."""
    by_meaning = utterance.assistant_index.has_sentence_model
    return UNLIKE_THRESHOLD if by_meaning else UNLIKE_THRESHOLD_BY_WORDS


def _in_order(labels: Sequence[str], chances: Sequence[float]) -> tuple[LikelyRequest, ...]:
    pairs = sorted(zip(labels, chances, strict=True), key=lambda pair: -pair[1])
    return tuple(LikelyRequest(label, chance) for label, chance in pairs)
