"""Commands about flows: pick one that is offered, resume, cancel, or ask for a person."""

import re
from collections.abc import Iterator, Sequence

from dialogue.engine.ports.commands import CancelFlow, Clarify, Command, Deny, HandOff, ResumeFlow, StartFlow
from dialogue.nlu.readers.free_text_check import is_narrative, is_title
from dialogue.nlu.readers.intents import best_flow_among, classify_intent, is_accepted
from dialogue.nlu.readers.whole_answers import read_ordinal
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import consists_of, find_phrase, prefix_length, suffix_length
from dialogue.nlu.text.tokens import folded_words, fuzzy_equal

# "Transferring" speaks of a transfer: so many letters make a common root.
ROOT_LETTERS_COMPARED = 4
# "Talk to Ana Maria Rossi": a longer text behind the verb is not a name.
MAX_NAME_WORDS = 3
# How many words behind a joining word may be the wish for a person. Reading stays linear in long messages.
MAX_WISH_WORDS = 40
CLAUSE_END = re.compile(r"[,.;:!?\n–—]+\s*")


def read_both(utterance: Utterance) -> tuple[Command, ...]:
    """Return a StartFlow for each flow that is offered, when the message wants all of them: "both, please"."""
    acts, cues = utterance.lexicon.acts, utterance.lexicon.cues
    if utterance.offer_kind != "clarify" or not consists_of(utterance.folded, cues.both, acts.fillers):
        return ()
    return tuple(map(StartFlow, utterance.context.offer))


def read_offer(utterance: Utterance) -> Command | None:
    """Return the command for a flow picked from those offered, by position or by words for it, or None.

    Where one is refused, the command is for those that remain.
    """
    if utterance.offer_kind not in ("clarify", "resume"):
        return None
    flows = utterance.context.offer
    if len(flows) == 1 and prefix_length(utterance.folded, utterance.lexicon.acts.yes) and not utterance.is_question:
        return _pick_flow(flows[0], utterance)
    position = read_ordinal(utterance, len(flows))
    if position is not None:
        return _pick_flow(flows[position], utterance)
    length = prefix_length(utterance.folded, utterance.lexicon.cues.negations)
    if length:
        return _read_refused_offer(utterance.with_text(utterance.text[utterance.tokens[length - 1].end :]), flows)
    return _pick_named(utterance, flows)


def _pick_flow(flow: str, utterance: Utterance) -> Command:
    return ResumeFlow(flow) if utterance.offer_kind == "resume" else StartFlow(flow)


def _read_refused_offer(rest: Utterance, flows: Sequence[str]) -> Command | None:
    """ "Not the payment": of two flows offered, the other one."""
    refused_flow = best_flow_among(rest, flows)
    if refused_flow is None:
        return None
    remaining_flows = tuple(flow for flow in flows if flow != refused_flow)
    if rest.offer_kind == "resume":
        return CancelFlow(refused_flow)
    if len(remaining_flows) > 1:
        return Clarify(remaining_flows)
    return _pick_flow(remaining_flows[0], rest) if remaining_flows else Deny()


def _pick_named(utterance: Utterance, flows: Sequence[str]) -> Command | None:
    intent = classify_intent(utterance)
    if intent and intent.decided and intent.name not in flows:
        return None
    either_flows = _either_of(utterance, flows)
    if either_flows:
        return Clarify(either_flows)
    chosen = best_flow_among(utterance, flows)
    return _pick_flow(chosen, utterance) if chosen else None


def _either_of(utterance: Utterance, flows: Sequence[str]) -> tuple[str, ...]:
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
    """ "Back to the transfer": return ResumeFlow for a paused flow, or None."""
    rest = text_behind(utterance, utterance.lexicon.cues.resumes)
    paused = [entry.flow for entry in utterance.open_entries if entry.status == "paused"]
    if rest is None or not paused:
        return None
    chosen = _flow_named_in(rest, paused)
    return ResumeFlow(chosen) if chosen else None


def read_cancel(utterance: Utterance) -> Command | None:
    """ "Forget the transfer": return CancelFlow, or None where a flow of the assistant is about cancelling."""
    rest = text_behind(utterance, utterance.lexicon.cues.cancels) or _text_before_cancel(utterance)
    if rest is None or not rest.tokens or _is_request_for_flow(utterance):
        return None
    # "Forget it, I want to order plants": what is to end stands in the same clause.
    head = rest.with_text(CLAUSE_END.split(rest.text)[0])
    chosen = _flow_named_in(head if head.tokens else rest, [entry.flow for entry in reversed(utterance.context.stack)])
    return CancelFlow(chosen) if chosen else None


def read_cancelled_run(utterance: Utterance) -> Command | None:
    """ "Forget W2": return CancelFlow for the run, one of several of its flow, whose own value is named."""
    if not any(entry.values for entry in utterance.context.stack):
        return None
    rest = text_behind(utterance, utterance.lexicon.cues.cancels) or _text_before_cancel(utterance)
    flow = _run_named_in(rest) if rest is not None and not _is_request_for_flow(utterance) else None
    return CancelFlow(flow) if flow else None


def _run_named_in(rest: Utterance) -> str | None:
    values = ((entry.flow, folded_words(value)) for entry in rest.context.stack for value in entry.values)
    return next((flow for flow, words in values if words and find_phrase(rest.folded, frozenset({words}))), None)


def _text_before_cancel(utterance: Utterance) -> Utterance | None:
    """ "And the sick note too, please stop it": the verb behind a comma, and before it what to cancel."""
    head, comma, tail = utterance.text.rpartition(",")
    acts = utterance.lexicon.acts
    verb = comma and consists_of(utterance.with_text(tail).folded, acts.cancel, acts.fillers, acts.openers)
    return utterance.with_text(head) if verb else None


def text_behind(utterance: Utterance, *verbs: frozenset[tuple[str, ...]]) -> Utterance | None:
    """Return what follows the verb that the message begins with, politeness aside, or None without the verb."""
    acts, prefaces = utterance.lexicon.acts, utterance.lexicon.cues.prefaces
    start = verb_length = 0
    while not (verb_length := prefix_length(utterance.folded[start:], *verbs)):
        length = prefix_length(utterance.folded[start:], acts.openers, acts.fillers, acts.no, prefaces)
        if not length:
            return None
        start += length
    return utterance.with_text(utterance.text[utterance.tokens[start + verb_length - 1].end :])


def _is_request_for_flow(utterance: Utterance) -> bool:
    intent = classify_intent(utterance)
    if intent is None or not intent.decided or intent.name not in utterance.startable_flows():
        return False
    vocabulary = utterance.assistant_index.flows[intent.name].vocabulary
    return any(
        word in vocabulary for phrase in utterance.lexicon.cues.cancels for word in phrase if word in utterance.folded
    )


def _flow_named_in(rest: Utterance, flows: Sequence[str]) -> str | None:
    """Return the flow whose title or examples share a content word with the message."""
    content_words = [word for word in rest.folded if word not in FUNCTION_WORDS]
    named_flows = [
        flow
        for flow in dict.fromkeys(flows)
        if _shares_word(content_words, rest.assistant_index.flows[flow].vocabulary)
    ]
    if not content_words or not named_flows:
        return None
    return best_flow_among(rest, named_flows) or named_flows[0]


def _shares_word(content_words: Sequence[str], vocabulary: frozenset[str]) -> bool:
    return any(
        fuzzy_equal(word, flow_word) or _same_root(word, flow_word)
        for word in content_words
        for flow_word in vocabulary
    )


def _same_root(word: str, other: str) -> bool:
    return len(word) >= ROOT_LETTERS_COMPARED and word[:ROOT_LETTERS_COMPARED] == other[:ROOT_LETTERS_COMPARED]


def read_person(utterance: Utterance) -> Command | None:
    """Return HandOff for a wish to talk to a person, whatever else the message says, or None.

    A name in capitals ("Human Agents Ltd") is not such a wish, nor is a story about having asked for a person, nor the
    question "are you a real person?".
    """
    if is_title(utterance) or prefix_length(utterance.folded, utterance.lexicon.cues.bot_questions):
        return None
    cues, slot = utterance.lexicon.cues, utterance.awaited_slot
    is_narrated = slot is not None and is_narrative(slot, utterance)
    is_asked_for = (
        not is_narrated
        and find_phrase(utterance.folded, cues.requests) is not None
        and bool(cues.person_words & set(utterance.folded))
    )
    return HandOff() if is_asked_for or any(map(_wishes_person, _split_clauses(utterance))) else None


def _split_clauses(utterance: Utterance) -> Iterator[Utterance]:
    """Yield the message cut at its marks, and behind words that join clauses ("and I want …")."""
    joining_words = {phrase[0] for phrase in utterance.lexicon.cues.prefaces if len(phrase) == 1}
    for text in CLAUSE_END.split(utterance.text):
        clause = utterance.with_text(text)
        yield clause
        tokens = clause.tokens
        for index, token in enumerate(tokens[1:-1], start=1):
            if token.folded in joining_words and tokens[index + 1].folded not in joining_words:
                end = tokens[min(index + MAX_WISH_WORDS, len(tokens) - 1)].end
                yield utterance.with_text(text[token.end : end])


def _wishes_person(clause: Utterance) -> bool:
    acts, cues = clause.lexicon.acts, clause.lexicon.cues
    start = 0
    while length := prefix_length(clause.folded[start:], acts.openers, acts.fillers, acts.no, cues.prefaces):
        start += length
    rest = clause.folded[start:]
    talk_length = prefix_length(rest, cues.talk_verbs)
    if (
        talk_length
        and 0 < len(rest) - talk_length - suffix_length(rest, cues.tails) <= MAX_NAME_WORDS
        and not _is_wish_for_flow(clause)
    ):
        return True
    person = next(
        (index for index, word in enumerate(rest) if {word, word.removesuffix("s")} & cues.person_words), None
    )
    if person is None or not _is_governed(person, rest, clause) or _comes_to_do(person, rest, clause):
        return False
    has_opener, verbs = bool(start), cues.contact_verbs & set(rest[:person])
    words_before = set(rest[:person])
    if has_opener and cues.possessives & words_before and cues.accompanying & words_before:
        return True  # "settle this with one of your employees", whatever the verb
    known_words = FUNCTION_WORDS | cues.contact_verbs | cues.governing_words
    asks = has_opener or prefix_length(rest, cues.house_questions) > 0
    # "Is there a person who can help me": the verb stands behind the person.
    is_offered = asks and not cues.contact_verbs.isdisjoint(rest[person:])
    begins_as_wish = has_opener or rest[0] in cues.contact_verbs or (rest[0] in FUNCTION_WORDS and is_offered)
    return begins_as_wish and bool(verbs or is_offered) and all(word in known_words for word in rest[:person])


def asks_for_visit(utterance: Utterance) -> bool:
    """ "Could you send somebody round": return whether who is wanted shall come, and not talk."""
    words, person_words = utterance.folded, utterance.lexicon.cues.person_words
    return any(word in person_words and _comes_to_do(index, words, utterance) for index, word in enumerate(words))


def _comes_to_do(person: int, rest: Sequence[str], clause: Utterance) -> bool:
    """ "Send somebody to have a look", "get someone round": who shall come, not whom to talk to."""
    cues, behind = clause.lexicon.cues, rest[person + 1 :]
    return bool(behind) and behind[0] in cues.visiting_words and cues.contact_verbs.isdisjoint(behind[:4])


def _is_wish_for_flow(utterance: Utterance) -> bool:
    """ "Talk to a nurse", where a flow of the assistant is for that."""
    intent = classify_intent(utterance)
    if intent is None or not intent.decided or not is_accepted(intent, utterance):
        return False
    return intent.name in utterance.startable_flows()


def _is_governed(person: int, rest: Sequence[str], clause: Utterance) -> bool:
    """ "With a person", "to one of your agents"; not "for a person" or "from a person"."""
    cues = clause.lexicon.cues
    is_governed = person == 0 or rest[person - 1] in FUNCTION_WORDS or rest[person - 1] in cues.governing_words
    return is_governed and (cues.companions - cues.governing_words).isdisjoint(rest[:person])
