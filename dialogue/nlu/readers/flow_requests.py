"""Flows that a message wants opened, one or several, and topics that it asks about."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from dialogue.engine.ports.commands import Clarify, Command, Digress, SetSlot, StartFlow
from dialogue.nlu.readers.clearing import left_out
from dialogue.nlu.readers.flow_commands import behind, read_offer
from dialogue.nlu.readers.intent_thresholds import is_top, is_untold, only_asks_for, outweighs, raised
from dialogue.nlu.readers.intents import Request, is_topic, read_request
from dialogue.nlu.readers.proposal import Proposal
from dialogue.nlu.readers.slot_updates import is_stray, value_commands, with_names
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, FlowSense, is_free
from dialogue.nlu.slots.extraction import extract
from dialogue.nlu.slots.options import find_options
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import find_phrase, prefix_length
from dialogue.nlu.text.tokens import folded_words, fuzzy_equal

SENTENCE_END = re.compile(r"[.;!?\n]\s+")
MOST_REQUESTS = 3
MOST_CUTS = 6
LONGEST_SPLIT = 60

Cut = tuple[Utterance, Utterance, bool]


def read_several(utterance: Utterance) -> Proposal | None:
    """ "Renew L1234 and then pay 5": each part a request of its own, for another flow each."""
    parts = _split(utterance) if len(utterance.tokens) <= LONGEST_SPLIT else []
    if len(parts) < 2:
        return None
    commands = tuple(command for part, request in parts for command in _started(request, part))
    return Proposal(commands, min(request.score for _, request in parts))


def read_picked(utterance: Utterance) -> Proposal | None:
    """A flow of those offered, with the values that come along: "yes, at 4:45 please"."""
    command = read_offer(utterance)
    if not isinstance(command, StartFlow):
        return Proposal((command,), 0.9) if command else None
    values = extract(utterance.program.senses[command.flow], utterance)
    formed = [each for each in values if not is_free(each.slot)]
    return Proposal((command, *(SetSlot(each.slot.name, each.value, each.words) for each in formed)), 0.9)


def read_rethought(utterance: Utterance) -> Proposal | None:
    """ "Something with my card, or no, tell me the balance": only what comes last is wanted."""
    place = find_phrase(utterance.folded[1:], utterance.lexicon.cues.second_thoughts)
    if place is None or place[1] + 1 >= len(utterance.tokens):
        return None
    rest = utterance.part(utterance.text[utterance.tokens[place[1] + 1].start :])
    request = read_request(rest)
    if request is None or not request.decided or is_topic(request):
        return None
    return Proposal(tuple(_started(request, rest)), request.score)


def read_vague(utterance: Utterance) -> Proposal | None:
    """ "Something about my card or my account": what it is about, and not what is wanted."""
    rest = behind(utterance, utterance.lexicon.cues.vague_openings)
    request = read_request(rest) if rest is not None else None
    if request is None or len(request.flows) < 2:
        return None
    return Proposal((Clarify(request.flows),), 0.6)


def read_asked_for(utterance: Utterance) -> Proposal | None:
    """A flow to start, or a question that the knowledge answers."""
    request = read_request(utterance, raised=raised(utterance))
    if request is None or not request.decided:
        return None
    if is_topic(request):
        unasked = _asks_of_another(request, utterance) or is_untold(request, utterance)
        return None if unasked else Proposal((Digress("question", request.name),), request.score)
    if is_top(request, utterance):
        return _more_of(utterance.top, utterance, request) if utterance.top else None
    return Proposal(tuple(_started(request, utterance)), request.score)


def read_doubtful(utterance: Utterance) -> Proposal | None:
    """Flows that may be meant are offered, unless a part that knows more decides."""
    slot = utterance.awaited_slot
    request = read_request(utterance)
    if request is None or (slot is not None and is_free(slot)):
        return None
    flows = tuple(flow for flow in request.flows if utterance.top is None or flow != utterance.top.name)
    return Proposal((Clarify(flows),), request.score, decided=False) if flows else None


def _split(utterance: Utterance, depth: int = 1, *, clear: bool = False) -> list[tuple[Utterance, Request]]:
    """The requests of a message in order; one alone when it cannot be cut into sure ones."""
    for left, right, ends in islice(_ordered_cuts(utterance), MOST_CUTS if depth < MOST_REQUESTS else 0):
        first, following = _split(left, depth + 1, clear=ends), _split(right, depth + 1, clear=ends)
        if first and following and _names(first).isdisjoint(_names(following)):
            return [*first, *following]
    alone = _flow_request(utterance, clear=clear)
    return [(utterance, alone)] if alone else []


def _names(parts: Sequence[tuple[Utterance, Request]]) -> set[str]:
    return {request.name for _, request in parts}


def _flow_request(utterance: Utterance, *, clear: bool) -> Request | None:
    """A request for a flow; behind a mere "and" only a likely one, and never "great, I" before an "also"."""
    polite = prefix_length(utterance.folded, utterance.lexicon.acts.yes, utterance.lexicon.acts.fillers)
    if set(utterance.folded[polite:]) <= FUNCTION_WORDS:
        return None
    request = read_request(utterance, raised=raised(utterance))
    if request is None or not request.decided or is_topic(request):
        return None
    return request if (clear and not utterance.busy) or request.score >= utterance.program.thresholds.accept else None


def _ordered_cuts(utterance: Utterance) -> Iterator[Cut]:
    """Cuts between capitals come last, the rear ones first: "to Larch and Sons and block my card" keeps its name."""
    cuts = list(_cuts(utterance))
    doubtful = [cut for cut in cuts if _may_cut_name(cut)]
    yield from (cut for cut in cuts if not _may_cut_name(cut))
    yield from sorted(doubtful, key=lambda cut: -len(cut[0].text))


def _may_cut_name(cut: Cut) -> bool:
    left, right, ends = cut
    return not ends and left.tokens[-1].text[:1].isupper() and right.tokens[0].text[:1].isupper()


def _cuts(utterance: Utterance) -> Iterator[Cut]:
    """Both sides of every place where one request may end and another begin, and whether it clearly does."""
    for match in SENTENCE_END.finditer(utterance.text):
        yield utterance.part(utterance.text[: match.start()]), utterance.part(utterance.text[match.end() :]), True
    for phrase in (each for each in utterance.lexicon.cues.sequences if each[0] in utterance.folded):
        for place in range(1, len(utterance.folded) - len(phrase)):
            if utterance.folded[place : place + len(phrase)] == phrase:
                before, after = utterance.tokens[place - 1].end, utterance.tokens[place + len(phrase)].start
                yield utterance.part(utterance.text[:before]), utterance.part(utterance.text[after:]), len(phrase) > 1


def _asks_of_another(topic: Request, utterance: Utterance) -> bool:
    """ "Is there a cafeteria?" is like "Is there parking?" in nothing that counts."""
    if not behind(utterance, utterance.lexicon.cues.house_questions):
        return False
    asked = {
        word for each in utterance.program.assistant.knowledge[topic.name].questions for word in folded_words(str(each))
    }
    content = set(utterance.folded) - FUNCTION_WORDS
    return not any(fuzzy_equal(word, own) for word in content for own in asked - FUNCTION_WORDS)


def _started(request: Request, utterance: Utterance) -> Iterator[Command]:
    yield StartFlow(request.name)
    for value in extract(utterance.program.senses[request.name], utterance):
        yield SetSlot(value.slot.name, value.value, value.words)
    yield from left_out(utterance.program.senses[request.name], utterance)


def _more_of(sense: FlowSense, utterance: Utterance, request: Request) -> Proposal | None:
    """Values for the flow that runs already; said again without any, it is no answer to an open question."""
    commands = tuple(command for command in value_commands(sense, utterance) if not is_stray(command, sense, utterance))
    commands = with_names(commands, utterance, sole=True)
    if commands:
        return Proposal(commands, request.score)
    slot = utterance.awaited_slot
    if slot is not None and is_free(slot):
        return Proposal((StartFlow(sense.name),), request.score) if only_asks_for(sense, utterance) else None
    if slot is not None and (find_options(slot, utterance.tokens) or not outweighs(request, utterance)):
        return None
    return Proposal((StartFlow(sense.name),), request.score)
