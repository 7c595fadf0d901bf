"""Decide when to fall back to the language model: some words of the message are unexplained.

Measured on the development half of the SGD dialogues: of the readings that left a name or a number unexplained, none of
74 was right; of those that left other words unexplained, about half were.
"""

from dialogue.nlu.readers.clauses.explained_words import unexplained_tokens
from dialogue.nlu.readers.proposal import SURE_CONFIDENCE, Proposal
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.tokens import Token

# In a sure reading; names and numbers are never allowed to stay unexplained.
MAX_UNEXPLAINED_WORDS = 1


def is_doubtful(proposal: Proposal, utterance: Utterance) -> bool:
    """Whether the reading leaves a name or a number unexplained, or more other words than its confidence allows."""
    unexplained = unexplained_tokens(proposal.commands, utterance)
    allowed = MAX_UNEXPLAINED_WORDS if proposal.confidence >= SURE_CONFIDENCE else 0
    return len(unexplained) > allowed or any(_is_name_or_number(token, utterance) for token in unexplained)


def _is_name_or_number(token: Token, utterance: Utterance) -> bool:
    # The first word of a message is capitalised anyway.
    return token.text[:1].isdigit() or (token.text[:1].isupper() and token != utterance.tokens[0])
