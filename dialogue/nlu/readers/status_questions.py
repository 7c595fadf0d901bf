"""Questions about the state of things: what is missing, what was noted, and, while staff decide, how far they are."""

from dialogue.engine.ports.commands import Command, Digress
from dialogue.engine.ports.tasks import HumanTask
from dialogue.nlu.readers.intents import is_topic, read_request
from dialogue.nlu.readers.whole_answers import small_words
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS
from dialogue.nlu.slots.extraction import slot_words
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import find_phrase, starts_with
from dialogue.nlu.text.tokens import near, words

MAX_QUESTION_TOKENS = 16


def read_status_question(said: Utterance) -> Command | None:
    """A question that holds a word for what lacks or was told, and beside it nothing of another matter."""
    if not said.busy or len(said.folded) > MAX_QUESTION_TOKENS:
        return None
    asks = _asks(said) and (_asks_what_lacks(said) or _asks_how_far(said))
    asks = asks or (not said.lexicon.cues.question_words.isdisjoint(said.folded) and _asks_what_was_told(said))
    return Digress("status") if asks else None


def _asks(said: Utterance) -> bool:
    return said.is_question or bool(starts_with(said.folded, said.lexicon.acts.openers, said.lexicon.acts.fillers))


def _asks_what_lacks(said: Utterance) -> bool:
    cues = said.lexicon.cues
    lacking = cues.lacking & set(said.folded)
    return bool(lacking) and _is_all_of(said, cues.lacking | cues.matters)


def _asks_what_was_told(said: Utterance) -> bool:
    """Of the running flow's matters: "who did I say gets the money?"."""
    cues = said.lexicon.cues
    told = find_phrase(said.folded, cues.recalling)
    if told is None or said.top is None:
        return False
    rest = said.part(" ".join((*said.folded[: told[0]], *said.folded[told[1] :])))
    slots = frozenset().union(*map(slot_words, said.top.asked))
    return _is_all_of(rest, cues.matters | cues.lacking | slots | said.top.vocabulary)


def _waits_for_staff(said: Utterance) -> bool:
    return said.awaits_staff or any(entry.status == "parked" for entry in said.standing)


def _asks_how_far(said: Utterance) -> bool:
    """Of the decision that is waited for; "how long does a transfer take?" is the knowledge's to answer."""
    wanted = read_request(said) if _waits_for_staff(said) else None
    if not _waits_for_staff(said) or (wanted is not None and wanted.decided and is_topic(wanted)):
        return False
    cues = said.lexicon.cues
    own = said.top.vocabulary if said.top is not None else frozenset()
    task = said.context.awaited
    titled = set(words(task.title)) | set(words(task.message)) if isinstance(task, HumanTask) else set()
    known = cues.progress | cues.matters | cues.lacking | cues.persons | own | titled
    return not cues.progress.isdisjoint(said.folded) and _is_all_of(said, known)


def _is_all_of(said: Utterance, known: frozenset[str]) -> bool:
    rest = [word for word in said.folded if word not in FUNCTION_WORDS and word not in small_words(said.lexicon)]
    return all(word in known or any(near(word, each) for each in known) for word in rest)
