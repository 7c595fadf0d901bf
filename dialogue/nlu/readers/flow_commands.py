"""Words about flows themselves: which of those offered, which to go on with, which to drop."""

import re
from collections.abc import Iterator, Sequence

from dialogue.engine.ports.commands import CancelFlow, Clarify, Command, Deny, HandOff, ResumeFlow, StartFlow
from dialogue.nlu.readers.free_text_check import is_narrative, is_title
from dialogue.nlu.readers.intents import best_flow_among, classify_intent
from dialogue.nlu.readers.whole_answers import read_ordinal
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import consists_of, find_phrase, prefix_length, suffix_length
from dialogue.nlu.text.tokens import fuzzy_equal

ROOT_LETTERS = 4
MAX_NAME_WORDS = 3
MAX_WISH_WORDS = 40
"""How many words behind a joining word may be the wish for a person: a longer clause is no longer read word by word."""
CLAUSE_END = re.compile(r"[,.;:!?\n–—]+\s*")


def read_both(utterance: Utterance) -> tuple[Command, ...]:
    """All of the flows offered, one after the other."""
    acts, cues = utterance.lexicon.acts, utterance.lexicon.cues
    if utterance.offer_kind != "clarify" or not consists_of(utterance.folded, cues.both, acts.fillers):
        return ()
    return tuple(map(StartFlow, utterance.context.offer))


def read_offer(utterance: Utterance) -> Command | None:
    """A flow picked from those offered, by its place or by words for it; or those left when one is turned down."""
    if utterance.offer_kind not in ("clarify", "resume"):
        return None
    flows = utterance.context.offer
    if len(flows) == 1 and prefix_length(utterance.folded, utterance.lexicon.acts.yes) and not utterance.is_question:
        return _pick(flows[0], utterance)
    place = read_ordinal(utterance, len(flows))
    if place is not None:
        return _pick(flows[place], utterance)
    length = prefix_length(utterance.folded, utterance.lexicon.cues.negations)
    if length:
        return _left_over(utterance.with_text(utterance.text[utterance.tokens[length - 1].end :]), flows)
    return _named(utterance, flows)


def _pick(flow: str, utterance: Utterance) -> Command:
    return ResumeFlow(flow) if utterance.offer_kind == "resume" else StartFlow(flow)


def _left_over(rest: Utterance, flows: Sequence[str]) -> Command | None:
    """ "Not the payment": of two offered the other one."""
    refused = best_flow_among(rest, flows)
    if refused is None:
        return None
    left = tuple(flow for flow in flows if flow != refused)
    if rest.offer_kind == "resume":
        return CancelFlow(refused)
    if len(left) > 1:
        return Clarify(left)
    return _pick(left[0], rest) if left else Deny()


def _named(utterance: Utterance, flows: Sequence[str]) -> Command | None:
    wanted = classify_intent(utterance)
    if wanted and wanted.decided and wanted.name not in flows:
        return None
    both = _either(utterance, flows)
    if both:
        return Clarify(both)
    chosen = best_flow_among(utterance, flows)
    return _pick(chosen, utterance) if chosen else None


def _either(utterance: Utterance, flows: Sequence[str]) -> tuple[str, ...]:
    """ "The doctor or the nurse": two of those offered are still meant."""
    for token in utterance.tokens:
        if token.folded in utterance.lexicon.cues.alternatives:
            sides = (
                utterance.with_text(utterance.text[: token.start]),
                utterance.with_text(utterance.text[token.end :]),
            )
            chosen = [flow for flow in (best_flow_among(side, flows) for side in sides) if flow]
            if len(set(chosen)) > 1 and utterance.offer_kind == "clarify":
                return tuple(chosen)
    return ()


def read_resume(utterance: Utterance) -> Command | None:
    """ "Back to the transfer", when the transfer waits below."""
    rest = text_behind(utterance, utterance.lexicon.cues.resumes)
    paused = [entry.flow for entry in utterance.open_entries if entry.status == "paused"]
    if rest is None or not paused:
        return None
    chosen = _spoken_of(rest, paused)
    return ResumeFlow(chosen) if chosen else None


def read_cancel(utterance: Utterance) -> Command | None:
    """ "Forget the transfer"; unless a flow of the assistant is about cancelling such a thing."""
    rest = text_behind(utterance, utterance.lexicon.cues.cancels) or _before_cancel(utterance)
    if rest is None or not rest.tokens or _is_own_request(utterance):
        return None
    chosen = _spoken_of(rest, [entry.flow for entry in reversed(utterance.context.stack)])
    return CancelFlow(chosen) if chosen else None


def _before_cancel(utterance: Utterance) -> Utterance | None:
    """ "And the sick note too, please stop it": the verb behind a comma, and before it what it is about."""
    head, comma, tail = utterance.text.rpartition(",")
    acts = utterance.lexicon.acts
    verb = comma and consists_of(utterance.with_text(tail).folded, acts.cancel, acts.fillers, acts.openers)
    return utterance.with_text(head) if verb else None


def text_behind(utterance: Utterance, *verbs: frozenset[tuple[str, ...]]) -> Utterance | None:
    """What follows the verb that the message begins with, politeness aside."""
    acts, prefaces = utterance.lexicon.acts, utterance.lexicon.cues.prefaces
    place = verb = 0
    while not (verb := prefix_length(utterance.folded[place:], *verbs)):
        length = prefix_length(utterance.folded[place:], acts.openers, acts.fillers, acts.no, prefaces)
        if not length:
            return None
        place += length
    return utterance.with_text(utterance.text[utterance.tokens[place + verb - 1].end :])


def _is_own_request(utterance: Utterance) -> bool:
    wanted = classify_intent(utterance)
    if wanted is None or not wanted.decided or wanted.name not in utterance.startable_flows():
        return False
    vocabulary = utterance.assistant_index.flows[wanted.name].vocabulary
    return any(
        word in vocabulary for phrase in utterance.lexicon.cues.cancels for word in phrase if word in utterance.folded
    )


def _spoken_of(rest: Utterance, flows: Sequence[str]) -> str | None:
    """The flow whose title or examples share a content word with what was said."""
    said_words = [word for word in rest.folded if word not in FUNCTION_WORDS]
    known = [flow for flow in dict.fromkeys(flows) if _shares(said_words, rest.assistant_index.flows[flow].vocabulary)]
    if not said_words or not known:
        return None
    return best_flow_among(rest, known) or known[0]


def _shares(said_words: Sequence[str], vocabulary: frozenset[str]) -> bool:
    return any(fuzzy_equal(word, own) or _same_root(word, own) for word in said_words for own in vocabulary)


def _same_root(left: str, right: str) -> bool:
    return len(left) >= ROOT_LETTERS and left[:ROOT_LETTERS] == right[:ROOT_LETTERS]


def read_person(utterance: Utterance) -> Command | None:
    """ "I lost my card, can I talk to a person": a wish for one, whatever else the message says.

    A name in capitals ("Human Agents Ltd") wishes nothing, nor does a story of having asked for somebody.
    """
    if is_title(utterance):
        return None
    cues, slot = utterance.lexicon.cues, utterance.awaited_slot
    told = slot is not None and is_narrative(slot, utterance)
    asked = (
        not told
        and find_phrase(utterance.folded, cues.requests) is not None
        and bool(cues.person_words & set(utterance.folded))
    )
    return HandOff() if asked or any(map(_wishes_person, _clauses(utterance))) else None


def _clauses(utterance: Utterance) -> Iterator[Utterance]:
    """The message cut at its marks, and behind words that join clauses ("and I want …")."""
    joining = {phrase[0] for phrase in utterance.lexicon.cues.prefaces if len(phrase) == 1}
    for text in CLAUSE_END.split(utterance.text):
        clause = utterance.with_text(text)
        yield clause
        tokens = clause.tokens
        for place, token in enumerate(tokens[1:-1], start=1):
            if token.folded in joining and tokens[place + 1].folded not in joining:
                end = tokens[min(place + MAX_WISH_WORDS, len(tokens) - 1)].end
                yield utterance.with_text(text[token.end : end])


def _wishes_person(clause: Utterance) -> bool:
    acts, cues = clause.lexicon.acts, clause.lexicon.cues
    place = 0
    while length := prefix_length(clause.folded[place:], acts.openers, acts.fillers, acts.no, cues.prefaces):
        place += length
    rest = clause.folded[place:]
    talk = prefix_length(rest, cues.talk_verbs)
    if talk and 0 < len(rest) - talk - suffix_length(rest, cues.tails) <= MAX_NAME_WORDS and not _is_own_wish(clause):
        return True
    person = next((at for at, word in enumerate(rest) if {word, word.removesuffix("s")} & cues.person_words), None)
    if person is None or not _is_governed(person, rest, clause):
        return False
    opened, verbs = bool(place), cues.contact_verbs & set(rest[:person])
    if opened and not cues.possessives.isdisjoint(rest[:person]) and not cues.accompanying.isdisjoint(rest[:person]):
        return True  # "settle this with one of your employees", whatever the verb
    known = FUNCTION_WORDS | cues.contact_verbs | cues.governing_words
    offered = (opened or prefix_length(rest, cues.house_questions) > 0) and not cues.contact_verbs.isdisjoint(
        rest[person:]
    )
    begins = opened or rest[0] in cues.contact_verbs or (rest[0] in FUNCTION_WORDS and offered)
    return begins and bool(verbs or offered) and all(word in known for word in rest[:person])


def _is_own_wish(utterance: Utterance) -> bool:
    """ "Talk to a nurse", where a flow of the assistant is for that."""
    wanted = classify_intent(utterance)
    return wanted is not None and wanted.decided and wanted.name in utterance.startable_flows()


def _is_governed(person: int, rest: Sequence[str], clause: Utterance) -> bool:
    """ "With somebody", "to one of your agents"; not "for somebody", nor "from somebody"."""
    cues = clause.lexicon.cues
    governed = person == 0 or rest[person - 1] in FUNCTION_WORDS or rest[person - 1] in cues.governing_words
    return governed and (cues.companions - cues.governing_words).isdisjoint(rest[:person])
