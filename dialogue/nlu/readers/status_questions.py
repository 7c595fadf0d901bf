"""Questions about the state of things: what is missing, what was noted, how far staff are."""

from dialogue.engine.ports.commands import Command, Digress
from dialogue.engine.ports.tasks import HumanTask
from dialogue.nlu.readers.intents import classify_intent, is_topic
from dialogue.nlu.readers.whole_answers import small_words
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS
from dialogue.nlu.slots.slot_words import slot_words
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import find_phrase, prefix_length
from dialogue.nlu.text.tokens import folded_words, fuzzy_in

MAX_QUESTION_TOKENS = 16


def read_status_question(utterance: Utterance) -> Command | None:
    """Return Digress("status") for a question about what is missing, noted or decided, or None."""
    if not utterance.has_open_flow or len(utterance.folded) > MAX_QUESTION_TOKENS or _asks_why(utterance):
        return None
    asks = _is_question_or_wish(utterance) and (_asks_what_is_missing(utterance) or _asks_about_progress(utterance))
    asks = asks or (
        not utterance.lexicon.cues.question_words.isdisjoint(utterance.folded) and _asks_what_was_told(utterance)
    )
    return Digress("status") if asks and not _asks_authors_question(utterance) else None


def _asks_authors_question(utterance: Utterance) -> bool:
    """ "What do I need to bring?", where the author answers that."""
    intent = classify_intent(utterance)
    return intent is not None and intent.decided and is_topic(intent)


def _asks_why(utterance: Utterance) -> bool:
    """ "Why do you need my name?" asks about the question, not about what is missing."""
    explain = utterance.lexicon.acts.explain
    return any(utterance.folded[:length] in explain for length in (1, 2)) and len(utterance.folded) > 1


def _is_question_or_wish(utterance: Utterance) -> bool:
    return utterance.is_question or bool(
        prefix_length(utterance.folded, utterance.lexicon.acts.openers, utterance.lexicon.acts.fillers)
    )


def _asks_what_is_missing(utterance: Utterance) -> bool:
    cues = utterance.lexicon.cues
    missing_words = cues.missing_words & set(utterance.folded)
    return bool(missing_words) and _says_only(utterance, cues.missing_words | cues.matter_words)


def _asks_what_was_told(utterance: Utterance) -> bool:
    """Of the running flow's matters: "who did I say gets the money?"."""
    cues = utterance.lexicon.cues
    recall = find_phrase(utterance.folded, cues.recall_phrases)
    if recall is None or utterance.running_flow is None:
        return False
    rest = utterance.with_text(" ".join((*utterance.folded[: recall[0]], *utterance.folded[recall[1] :])))
    slots = frozenset().union(*map(slot_words, utterance.running_flow.slots))
    return _says_only(rest, cues.matter_words | cues.missing_words | slots | utterance.running_flow.vocabulary)


def _waits_for_staff(utterance: Utterance) -> bool:
    return utterance.awaits_staff or any(entry.status == "parked" for entry in utterance.open_entries)


def _asks_about_progress(utterance: Utterance) -> bool:
    """ "How far are you?" while staff decide; "how long does a transfer take?" is for the knowledge."""
    if not _waits_for_staff(utterance):
        return False
    cues = utterance.lexicon.cues
    flow_words = utterance.running_flow.vocabulary if utterance.running_flow is not None else frozenset()
    task = utterance.context.awaited
    titled = set(folded_words(task.title)) | set(folded_words(task.message)) if isinstance(task, HumanTask) else set()
    known_words = cues.progress_words | cues.matter_words | cues.missing_words | cues.person_words | flow_words | titled
    return not cues.progress_words.isdisjoint(utterance.folded) and _says_only(utterance, known_words)


def _says_only(utterance: Utterance, known_words: frozenset[str]) -> bool:
    rest = [
        word for word in utterance.folded if word not in FUNCTION_WORDS and word not in small_words(utterance.lexicon)
    ]
    return all(word in known_words or fuzzy_in(word, known_words) for word in rest)
