"""Decide when the language model is asked although the local readers have an answer: a score of the signs of an error.

The score is a logistic regression on the signs of `doubt_features`, fitted on one half of SGD's dialogues
(`python -m training --only doubt`); the docs give the figures of the other half.
"""

from collections.abc import Mapping

from dialogue.nlu.pipeline.doubt_features import doubt_features
from dialogue.nlu.readers.proposal import Proposal
from dialogue.nlu.slots.utterance import Utterance

WEIGHTS = {
    "unexplained_words": 0.76,
    "unexplained_name": 2.03,
    "capital_outside_values": 0.87,
    "low_confidence": 0.76,
    "slot_named_without_value": 0.85,
    "option_named_without_value": 1.08,
    "asked_and_not_answered": 0.24,
    "starts_flow_beside_another": 0.19,
    "second_flow_as_likely": 0.99,
    "text_in_small_letters": 2.01,
    "asked_text_in_sentence": 0.06,
    "changes_text": 0.58,
    "yes_or_no_with_more": 0.09,
    "other_act_likely": 0.33,
    "is_digression": 0.61,
    "further_clauses": 0.54,
    "words_outside_values": 0.65,
}
BIAS = -2.27
# The odds of an error, as a logarithm, from which on a model is asked: half a call a turn in SGD's dialogues.
MIN_DOUBT = -1.16
# The same without the sentence model, where readings are wrong more often.
MIN_DOUBT_BY_WORDS = -0.90


def is_doubtful(proposal: Proposal, utterance: Utterance) -> bool:
    """Return whether the reading is likely enough to be wrong that a language model shall read the message."""
    features = doubt_features(proposal, utterance)
    if features["unexplained_words"] == 1:
        return True  # A reading that explains so little of the message is never sure.
    has_sentence_model = utterance.assistant_index.similarities is not None
    return _doubt_of(features) > (MIN_DOUBT if has_sentence_model else MIN_DOUBT_BY_WORDS)


def _doubt_of(features: Mapping[str, float]) -> float:
    """Return the logarithm of the odds that the reading is wrong."""
    return BIAS + sum(weight * features[name] for name, weight in WEIGHTS.items())
