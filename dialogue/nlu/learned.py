"""What was learned from the author's examples: requests, values, corrections and questions, with a confidence.

The readers are asked in order; the first that has something to say decides. What is likely but not sure is left
to a part that knows more, which is shown the flows in the same order, and becomes a question to the user without one.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from dialogue.engine.commands import Clarify, Command, CorrectSlot, Digress, SetSlot, StartFlow
from dialogue.engine.slots import NUMBER_TYPES, Slot
from dialogue.engine.tasks import HandoffTask, HumanTask
from dialogue.nlu.answers import behind_name, negates, question_words
from dialogue.nlu.consent import read_agreed, read_denied, read_wish, read_yes_or_no
from dialogue.nlu.corrections import (
    cued,
    insists,
    names_slot,
    read_change,
    read_change_of,
    read_correction,
    speaks_of_awaited,
)
from dialogue.nlu.extraction import extract, slot_words
from dialogue.nlu.finders import DISTINCT, distinctness
from dialogue.nlu.flow_talk import behind, read_both, read_cancel, read_offer, read_person, read_resume
from dialogue.nlu.forgetting import left_out, read_forget, read_skip
from dialogue.nlu.lists import read_list
from dialogue.nlu.objects import read_object
from dialogue.nlu.options import find_options
from dialogue.nlu.phrases import find_phrase, starts_with
from dialogue.nlu.program import FUNCTION_WORDS, FlowSense, flow_label, is_free
from dialogue.nlu.proposal import Proposal
from dialogue.nlu.renaming import read_names
from dialogue.nlu.replies import read_meant_option, read_reply
from dialogue.nlu.requests import Request, is_topic, ranked, read_request
from dialogue.nlu.sentences import gives_name, told_for
from dialogue.nlu.tokens import near, words
from dialogue.nlu.utterance import Utterance

# How much liker a message must be to a request while any text would do for an answer.
RAISED_BY_FREE_TEXT = 0.15
RAISED_BY_NAME = 0.35
SENTENCE = re.compile(r"[^.;!?\n]+(?:[.](?=\S)[^.;!?\n]+)*[.;!?]?")
SENTENCE_END = re.compile(r"[.;!?\n]\s+")
MOST_REQUESTS = 3
# Another flow must be this much liker than the running one, where the message has a value for that.
STAYING = 1.4
MOST_CUTS = 6
LONGEST_SPLIT = 60


class Learned:
    """The local model, without key or network."""

    name = "learned"

    async def consider(self, said: Utterance) -> Proposal | None:
        return next(filter(None, (reader(said) for reader in READERS)), None)


def _both(said: Utterance) -> Proposal | None:
    commands = read_both(said)
    return Proposal(commands, 0.9) if commands else None


def _likely(command: Command | None) -> Proposal | None:
    return Proposal((command,), 0.6) if command else None


def _sure(command: Command | None) -> Proposal | None:
    return Proposal((command,), 0.9) if command else None


def _picked(said: Utterance) -> Proposal | None:
    """A flow of those offered, with the values that come along: "yes, at 4:45 please"."""
    command = read_offer(said)
    if not isinstance(command, StartFlow):
        return _sure(command)
    values = extract(said.program.senses[command.flow], said)
    formed = [each for each in values if not is_free(each.slot)]
    return Proposal((command, *(SetSlot(each.slot.name, each.value, each.words) for each in formed)), 0.9)


def _several(said: Utterance) -> Proposal | None:
    """ "Renew L1234 and then pay 5": each part a request of its own, for another flow each."""
    parts = _split(said) if len(said.tokens) <= LONGEST_SPLIT else []
    if len(parts) < 2:
        return None
    commands = tuple(command for part, request in parts for command in _started(request, part))
    return Proposal(commands, min(request.score for _, request in parts))


def _split(said: Utterance, depth: int = 1, *, clear: bool = False) -> list[tuple[Utterance, Request]]:
    """The requests of a message in order; one alone when it cannot be cut into sure ones."""
    for left, right, ends in islice(_cuts(said), MOST_CUTS if depth < MOST_REQUESTS else 0):
        first, following = _split(left, depth + 1, clear=ends), _split(right, depth + 1, clear=ends)
        if first and following and _names(first).isdisjoint(_names(following)):
            return [*first, *following]
    alone = _flow_request(said, clear=clear)
    return [(said, alone)] if alone else []


def _names(parts: Sequence[tuple[Utterance, Request]]) -> set[str]:
    return {request.name for _, request in parts}


def _flow_request(said: Utterance, *, clear: bool) -> Request | None:
    """A request for a flow; behind a mere "and" only a likely one."""
    request = read_request(said, raised=_raised(said))
    if request is None or not request.decided or is_topic(request):
        return None
    return request if (clear and not said.busy) or request.score >= said.program.thresholds.accept else None


def _cuts(said: Utterance) -> Iterator[tuple[Utterance, Utterance, bool]]:
    """Both sides of every place where one request may end and another begin, and whether it clearly does."""
    for match in SENTENCE_END.finditer(said.text):
        yield said.part(said.text[: match.start()]), said.part(said.text[match.end() :]), True
    for phrase in said.lexicon.cues.sequences:
        for place in range(1, len(said.folded) - len(phrase)):
            if said.folded[place : place + len(phrase)] == phrase:
                before, after = said.tokens[place - 1].end, said.tokens[place + len(phrase)].start
                yield said.part(said.text[:before]), said.part(said.text[after:]), len(phrase) > 1


def _replied(said: Utterance) -> Proposal | None:
    commands = read_reply(said)
    return Proposal(commands, 0.8) if commands else None


def _told(said: Utterance) -> Proposal | None:
    """A sentence about the text that is asked for, unless it asks for another flow more clearly."""
    slot = said.awaited_slot
    if slot is None or not is_free(slot) or said.top is None or said.is_question:
        return None
    wanted = read_request(said, raised=RAISED_BY_FREE_TEXT)
    if _is_request_alone(said) or (wanted and wanted.decided and (is_topic(wanted) or not _is_top(wanted, said))):
        return None
    text = told_for(slot, said)
    commands = (SetSlot(slot.name, text, text), *_besides((), said))
    return Proposal(commands, 0.7) if text else None


def _corrected(said: Utterance) -> Proposal | None:
    """A correction, unless the message asks for another flow more clearly than it corrects this one."""
    correction = read_correction(said) if said.busy else None
    if correction is None or not correction.explicit or (said.is_question and not _at_hand(said)):
        return None
    if speaks_of_awaited(said) and not insists(said):
        return None
    wanted = read_request(said)
    elsewhere = wanted is not None and wanted.decided and wanted.name not in {sense.name for sense in said.senses()}
    if wanted and elsewhere and _outweighs(wanted, said):
        return None
    commands = _with_names(correction.commands, said)
    return Proposal((*commands, *_besides(commands, said)), 0.85)


def _with_names(commands: Sequence[Command], said: Utterance, *, sole: bool = False) -> tuple[Command, ...]:
    """Names in the message are for their own slots, and no part of a longer text for another."""
    names = tuple(read_names(said.top, said, sole=sole)) if said.top and said.awaited_slot is None else ()
    texts = [getattr(name, "words", "") for name in names]
    slots = {getattr(name, "slot", "") for name in names}
    kept = [each for each in commands if getattr(each, "slot", "") not in slots]
    whole = [each for each in kept if not any(text in getattr(each, "words", "") for text in texts)]
    return (*whole, *names)


def _besides(commands: Sequence[Command], said: Utterance) -> Iterator[Command]:
    """Values for slots that were not filled yet, in the same message: "make it audio, and send it to mia@…"."""
    known = {getattr(command, name, "") for command in commands for name in ("slot", "words")}
    for value in extract(said.top, said) if said.top else ():
        formed = not is_free(value.slot) and distinctness(value.slot) <= DISTINCT.index("phone")
        fresh = said.top is not None and not said.is_filled(said.top, value.slot)
        if formed and fresh and known.isdisjoint({value.slot.name, value.words}):
            yield SetSlot(value.slot.name, value.value, value.words)


def _renewed(said: Utterance) -> Proposal | None:
    """New values for the running flow while nothing is asked for: "can you make that March 10th?", "any in Rome?"."""
    if said.top is None or said.offer not in ("", "change") or _awaits_something(said):
        return None
    if _is_wanted_elsewhere(said):
        return None
    told = said if _is_told(said) else said.part(" ".join(each.text for each in _sentences(said) if _is_told(each)))
    commands = _with_names((*read_change_of(said.top, told), *read_wish(said.top, told)), told)
    return Proposal(commands, 0.6) if commands else None


def _sentences(said: Utterance) -> Iterator[Utterance]:
    return (said.part(match.group().strip()) for match in SENTENCE.finditer(said.text))


def _awaits_something(said: Utterance) -> bool:
    """A value, or a decision of staff, who must not see their request change by a word that meant nothing."""
    return said.awaited_slot is not None or isinstance(said.context.awaited, HumanTask | HandoffTask)


def _is_told(said: Utterance) -> bool:
    """No question, or one that asks for something; nothing that says what is not to be."""
    acts, cues = said.lexicon.acts, said.lexicon.cues
    refused = starts_with(said.folded, acts.no)
    wishing = acts.openers | acts.fillers | acts.yes | acts.no | cues.house | cues.corrections
    if said.is_question and not starts_with(said.folded, wishing):
        return False
    return cued(said) or not negates(said.folded[refused:], said.lexicon)


def _is_wanted_elsewhere(said: Utterance) -> bool:
    """Another flow or a topic is asked for, and the running one is not nearly as like the message."""
    wanted = read_request(said)
    if wanted is None or not wanted.decided or _is_top(wanted, said) or _asks_for_any(said):
        return False
    own = next((match.score for match in ranked(said) if said.top and match.label == flow_label(said.top.name)), 0.0)
    return wanted.score > STAYING * own


def _asks_for_any(said: Utterance) -> bool:
    """ "Is there any in San Jose?" names nothing but the place."""
    return bool(behind(said, said.lexicon.cues.house)) and all(
        word in FUNCTION_WORDS for word, token in zip(said.folded, said.tokens, strict=True) if token.text[:1].islower()
    )


def _described(said: Utterance) -> Proposal | None:
    """An object or a list, when one is asked for."""
    slot = said.awaited_slot
    if slot is None or slot.type not in ("object", "list") or said.is_question:
        return None
    wanted = read_request(said, raised=RAISED_BY_FREE_TEXT)
    if wanted and wanted.decided:
        return None
    text = behind_name(slot, said)
    value = dict(read_object(slot, said.part(text))) if slot.type == "object" else read_list(slot, said)
    return Proposal((SetSlot(slot.name, value, said.text),), 0.8) if value else None


def _rethought(said: Utterance) -> Proposal | None:
    """ "Something with my card, or no, tell me the balance": only what comes last is wanted."""
    place = find_phrase(said.folded[1:], said.lexicon.cues.rethinks)
    if place is None or place[1] + 1 >= len(said.tokens):
        return None
    rest = said.part(said.text[said.tokens[place[1] + 1].start :])
    request = read_request(rest)
    if request is None or not request.decided or is_topic(request):
        return None
    return Proposal(tuple(_started(request, rest)), request.score)


def _vague(said: Utterance) -> Proposal | None:
    """ "Something about my card or my account": what it is about, and not what is wanted."""
    rest = behind(said, said.lexicon.cues.vague)
    request = read_request(rest) if rest is not None else None
    if request is None or len(request.flows) < 2:
        return None
    return Proposal((Clarify(request.flows),), 0.6)


def _at_hand(said: Utterance) -> bool:
    """ "Can you make it 9000?" asks and corrects at once."""
    return any(isinstance(command, CorrectSlot) for command in _correction_commands(said))


def _correction_commands(said: Utterance) -> tuple[Command, ...]:
    correction = read_correction(said)
    return correction.commands if correction else ()


def _outweighs(wanted: Request, said: Utterance) -> bool:
    return wanted.score >= said.program.thresholds.accept


def _is_top(wanted: Request, said: Utterance) -> bool:
    return said.top is not None and wanted.name == said.top.name


def _asked_for(said: Utterance) -> Proposal | None:
    """A flow to start, or a question that the knowledge answers."""
    request = read_request(said, raised=_raised(said))
    if request is None or not request.decided:
        return None
    if is_topic(request):
        return (
            None if _asks_of_another(request, said) else Proposal((Digress("question", request.name),), request.score)
        )
    if _is_top(request, said):
        return _more_of(said.top, said, request) if said.top else None
    return Proposal(tuple(_started(request, said)), request.score)


def _asks_of_another(topic: Request, said: Utterance) -> bool:
    """ "Is there a cafeteria?" is like "Is there parking?" in nothing that counts."""
    if not behind(said, said.lexicon.cues.house):
        return False
    asked = {word for each in said.program.assistant.knowledge[topic.name].questions for word in words(str(each))}
    content = set(said.folded) - FUNCTION_WORDS
    return not any(near(word, own) for word in content for own in asked - FUNCTION_WORDS)


def _raised(said: Utterance) -> float:
    """How much clearer a request must be where any text would do, most where a name answers the question."""
    slot = said.awaited_slot
    if slot is None or not is_free(slot) or _is_request_alone(said):
        return 0.0
    if gives_name(slot, said):
        return RAISED_BY_NAME
    return 0.0 if said.is_question else RAISED_BY_FREE_TEXT


def _is_request_alone(said: Utterance) -> bool:
    """ "I want to make a transfer": nothing in it could be text for another question."""
    request = read_request(said)
    return request is not None and not is_topic(request) and _only_asks_for(said.program.senses[request.name], said)


def _started(request: Request, said: Utterance) -> Iterator[Command]:
    yield StartFlow(request.name)
    for value in extract(said.program.senses[request.name], said):
        yield SetSlot(value.slot.name, value.value, value.words)
    yield from left_out(said.program.senses[request.name], said)


def _more_of(sense: FlowSense, said: Utterance, request: Request) -> Proposal | None:
    """Values for the flow that runs already; said again without any, it is no answer to an open question."""
    commands = tuple(command for command in _settings(sense, said) if not _stray(command, sense, said))
    commands = _with_names(commands, said, sole=True)
    if commands:
        return Proposal(commands, request.score)
    slot = said.awaited_slot
    if slot is not None and is_free(slot):
        return Proposal((StartFlow(sense.name),), request.score) if _only_asks_for(sense, said) else None
    if slot is not None and (find_options(slot, said.tokens) or not _outweighs(request, said)):
        return None
    return Proposal((StartFlow(sense.name),), request.score)


def _only_asks_for(sense: FlowSense, said: Utterance) -> bool:
    """ "I want to make a transfer" names the flow and nothing that could be its text."""
    opened = starts_with(said.folded, said.lexicon.acts.openers)
    return bool(opened) and not set(said.folded) - FUNCTION_WORDS - sense.vocabulary


def _settings(sense: FlowSense, said: Utterance) -> Iterator[Command]:
    for value in extract(sense, said):
        kind = CorrectSlot if said.is_filled(sense, value.slot) else SetSlot
        yield kind(value.slot.name, value.value, value.words)


def _explained(said: Utterance) -> Proposal | None:
    """A question about the value that is asked for: "what is an IBAN?"."""
    content = [word for word in said.folded if word not in FUNCTION_WORDS | said.lexicon.cues.explaining]
    if said.awaited_slot is None or said.top is None or not said.is_question or not content:
        return None
    wanted = read_request(said)
    if wanted and wanted.decided and not _is_top(wanted, said):
        return None
    for slot in (said.awaited_slot, *(each for each in said.top.asked if each.name in content)):
        if _is_about(slot, content, said):
            return Proposal((Digress("clarification", slot.name),), 0.8)
    return None


def _is_about(slot: Slot, content: Sequence[str], said: Utterance) -> bool:
    known = (question_words(slot, said) if slot == said.awaited_slot else slot_words(slot)) - FUNCTION_WORDS
    return all(any(near(word, own) for own in known) for word in content)


def _valued(said: Utterance) -> Proposal | None:
    """Values of the running flow beside other words, while a value is asked for."""
    if said.top is None or said.is_question or negates(said.folded, said.lexicon):
        return None
    slot = said.awaited_slot
    if slot is not None and is_free(slot):
        return _with_text(said.top, said)
    changed = _correction_commands(said)
    known = {getattr(command, "slot", "") for command in changed}
    fresh = [command for command in _settings(said.top, said) if getattr(command, "slot", "") not in known]
    commands = tuple(command for command in (*changed, *fresh) if not _stray(command, said.top, said))
    return Proposal(commands, 0.7) if commands else None


def _stray(command: Command, sense: FlowSense, said: Utterance) -> bool:
    """A number beside an answer ("14 December at 8") changes no other number that was given, unless it names it."""
    if said.awaited_slot is None or not isinstance(command, CorrectSlot):
        return False
    slot = sense.slot(command.slot)
    return slot is not None and slot.type in NUMBER_TYPES and not names_slot([command], sense, said)


def _with_text(sense: FlowSense, said: Utterance) -> Proposal | None:
    """ "Dune, the audio version": the awaited text, and behind a comma values for other slots."""
    head, comma, tail = said.text.partition(",")
    if not comma:
        return None
    rest = said.part(tail)
    commands = tuple(_settings(_without_text(sense), rest))
    slot = said.awaited_slot
    if slot is None or not commands or not _nothing_else(rest, sense):
        return None
    return Proposal((SetSlot(slot.name, head.strip(), head.strip()), *commands), 0.7)


def _without_text(sense: FlowSense) -> FlowSense:
    return replace(sense, asked=tuple(slot for slot in sense.asked if not is_free(slot)))


def _nothing_else(said: Utterance, sense: FlowSense) -> bool:
    spans = [value.span for value in extract(_without_text(sense), said)]
    rest = [token.folded for token in said.tokens if not any(span.start <= token.start < span.end for span in spans)]
    own = sense.vocabulary.union(*(question_words(slot, said) for slot in sense.asked))
    return not set(rest) - FUNCTION_WORDS - own


def _doubtful(said: Utterance) -> Proposal | None:
    """Flows that may be meant are offered, unless a part that knows more decides."""
    slot = said.awaited_slot
    request = read_request(said)
    if request is None or (slot is not None and is_free(slot)):
        return None
    flows = tuple(flow for flow in request.flows if said.top is None or flow != said.top.name)
    return Proposal((Clarify(flows),), request.score, decided=False) if flows else None


def _unanswered(said: Utterance) -> Proposal | None:
    """ "Do you sell umbrellas?": a question about the house that no knowledge answers."""
    asked = said.text.rstrip().endswith("?") and bool(behind(said, said.lexicon.cues.house))
    return Proposal((Digress("question"),), 0.4, decided=False) if asked else None


Reader = Callable[[Utterance], Proposal | None]
READERS: tuple[Reader, ...] = (
    _both,
    lambda said: _sure(read_forget(said)),
    lambda said: _sure(read_cancel(said)),
    _picked,
    lambda said: _sure(read_resume(said)),
    lambda said: _sure(read_skip(said)),
    read_denied,
    read_agreed,
    read_yes_or_no,
    _rethought,
    _vague,
    lambda said: _sure(read_change(said) if said.busy else None),
    _described,
    _replied,
    _several,
    _corrected,
    _explained,
    _told,
    lambda said: _likely(read_meant_option(said)),
    _renewed,
    _asked_for,
    lambda said: _sure(read_person(said)),
    _valued,
    _doubtful,
    _unanswered,
)
