"""Free text inside a sentence: the value in "I would love to see X", "the name is X" or "look in X"."""

import re
from collections.abc import Iterator, Sequence

from dialogue.engine.slots.models import Slot
from dialogue.nlu.readers.free_text_check import (
    CLAUSE_MARK,
    asks_for_person,
    free_text_objection,
    is_narrative,
    is_title,
    is_written_as_title,
)
from dialogue.nlu.readers.whole_answers import (
    asked_words,
    calendar_words,
    question_words,
    small_words,
    text_behind_slot_name,
)
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, is_free_text, words_about
from dialogue.nlu.slots.bare_text import bare_text, lead_length
from dialogue.nlu.slots.name_ranges import find_names
from dialogue.nlu.slots.names import is_place_slot, name_in_sentence, sole_name
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.strong_values import strong_values
from dialogue.nlu.slots.text_spans import MIN_SCORE_ASKED, text_spans
from dialogue.nlu.slots.typed.patterns import find_emails
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import consists_of, find_phrase, prefix_length, suffix_length
from dialogue.nlu.text.tokens import Token, folded_words, fuzzy_in

CLAUSE_MARKS = ",;:!?\n"
# From this score of the extractor on, its words are the answer, whatever stands beside them.
MIN_SCORE_SURE = 0.6
MAX_PHRASE_WORDS = 5
# "Sushi. Something cheap": so short a first sentence may be the whole answer.
MAX_FIRST_SENTENCE_WORDS = 3
MAX_WORDS_BEHIND_NAME = 2
# "Not the one from last week, …": a longer first part is more than a value that is turned down.
MAX_REFUSED_WORDS = 6
MAX_WORDS_BEFORE_LINK = 8
# "GX-410-B. I also lost a jacket": letters and digits in front, and a clause of its own behind.
CODE_IN_FRONT = re.compile(r"\s*([^\W\d_]{1,4}[-/]?\d[\w/-]*)([.;!]?)(?=[\s,])")
MIN_WORDS_BEHIND_CODE = 3
# A shorter word before a full stop may be an abbreviation ("St.").
MIN_LAST_WORD_LETTERS = 4


def free_text_for(slot: Slot, utterance: Utterance) -> str:
    """Return the text that the message gives for the slot, or the message without what surrounds an answer."""
    if is_narrative(slot, utterance):
        return utterance.text
    sure = _code_in_front(slot, utterance) or _introduced_name(slot, utterance)
    if sure:
        return sure
    behind = text_behind_refusal(utterance)
    if behind:
        return free_text_for(slot, utterance.with_text(behind))
    asking = utterance.text.rstrip().endswith("?")
    if is_title(utterance) and not asking and not _begins_with_lead(slot, utterance):
        text = utterance.text.strip()
        # A full stop ends the sentence, unless the last word has another one ("S.L.").
        return text if "." in text[:-1].rpartition(" ")[2] else text.removesuffix(".")
    return free_text_in_sentence(slot, utterance) or _strip_surroundings(slot, utterance)


def _code_in_front(slot: Slot, utterance: Utterance) -> str:
    """Return the code that the message begins with, or "" where what follows belongs to the value."""
    code = CODE_IN_FRONT.match(utterance.text)
    if code is None or is_place_slot(slot, utterance):
        return ""
    behind = utterance.with_text(utterance.text[code.end() :])
    is_clause = bool(code[2]) or (bool(behind.folded) and behind.folded[0] in FUNCTION_WORDS)
    has_more_codes = any(any(character.isdigit() for character in word) for word in behind.folded)
    return code[1] if is_clause and len(behind.tokens) >= MIN_WORDS_BEHIND_CODE and not has_more_codes else ""


def _introduced_name(slot: Slot, utterance: Utterance) -> str:
    """ "I'm Ann Lee", "Ann Lee here": the name alone, where a person is asked for."""
    cues = utterance.lexicon.cues
    if cues.persons_named.isdisjoint(folded_words(slot.name.replace("_", " "))):
        return ""
    start = prefix_length(utterance.folded, cues.introductions)
    stop = len(utterance.tokens) - suffix_length(utterance.folded[start:], cues.introduction_ends)
    if start == stop or stop - start == len(utterance.tokens) or not utterance.tokens[start].text[:1].isupper():
        return ""
    name = utterance.text[utterance.tokens[start].start : utterance.tokens[stop - 1].end]
    return name if is_title(utterance.with_text(name)) else ""


def text_behind_refusal(utterance: Utterance) -> str:
    """Return "Anna Berg" of "not me, Anna Berg", or "" where the message does not begin by turning a text down."""
    cues, acts = utterance.lexicon.cues, utterance.lexicon.acts
    head, comma, tail = utterance.text.partition(", ")
    refusal = utterance.with_text(head)
    start = lead_length(refusal.tokens, cues.leads - acts.no) if comma else 0
    length = prefix_length(refusal.folded[start:], cues.negations)
    # "I don't know, ask him" turns no text down.
    if consists_of(refusal.folded, acts.skip, acts.fillers):
        return ""
    is_title_of_act = head[:1].isupper() and is_written_as_title(refusal)
    is_refusal = 0 < start + length < len(refusal.tokens) and length > 0 and not is_title_of_act
    following = next(iter(utterance.with_text(tail).folded), "")
    # "Not with milk, with water" is one instruction.
    is_instruction = not following or following in cues.adding_words | cues.place_prepositions
    return tail.strip() if is_refusal and len(refusal.tokens) <= MAX_REFUSED_WORDS and not is_instruction else ""


def _begins_with_lead(slot: Slot, utterance: Utterance) -> bool:
    """Return whether words such as "it's called" lead to a title. In "Please Stop Me" and "Sure Start" none does."""
    acts, cues = utterance.lexicon.acts, utterance.lexicon.cues
    leads = cues.leads
    if is_written_as_title(utterance):
        leads = leads - acts.yes - acts.no - acts.fillers
    leads_to_place = is_place_slot(slot, utterance) and utterance.folded[0] in cues.place_prepositions
    return leads_to_place or lead_length(utterance.tokens, leads) > 0


def free_text_in_sentence(slot: Slot, utterance: Utterance) -> str:
    """Return the text, when the message is plainly a sentence about it; else ""."""
    introduced = _introduced_name(slot, utterance)
    if introduced:
        return introduced
    if is_written_as_title(utterance) and not _begins_with_lead(slot, utterance):
        return ""
    behind = text_behind_refusal(utterance)
    if behind:
        piece = utterance.with_text(behind)
        return free_text_in_sentence(slot, piece) or _strip_surroundings(slot, piece)
    text, extracted_text = _text_by_rules(slot, utterance), _extracted_text(slot, utterance)
    # A name in capitals is whole: "The San Diego Museum of Art".
    is_whole = extracted_text in text and is_title(utterance.with_text(text))
    return text if is_whole else extracted_text or text


def _text_by_rules(slot: Slot, utterance: Utterance) -> str:
    answer = _answering_part(utterance)
    return (
        _text_before_link(answer)
        or _text_behind_link(slot, answer)
        or _place_for(slot, utterance)
        or _text_behind_lead(slot, answer)
    )


def _extracted_text(slot: Slot, utterance: Utterance) -> str:
    """What the trained extractor takes for the answer, where it is sure, or the other words only surround it."""
    sure = find_sure_answer(utterance) if slot == utterance.awaited_slot else None
    span = sure or _extracted_span(slot, utterance, MIN_SCORE_ASKED)
    # Where nothing stands beside it, the whole message is read as it stands.
    if span is None or not utterance.tokens_outside([span]):
        return ""
    return _bare_span(span, utterance) if sure or _surround(span, slot, utterance) else ""


def find_sure_answer(utterance: Utterance) -> Span | None:
    """Return the words that the trained extractor is sure to be the awaited text, or None."""
    slot = utterance.awaited_slot
    return utterance.remember(_sure_answer) if slot is not None and is_free_text(slot) else None


def _sure_answer(utterance: Utterance) -> Span | None:
    slot = utterance.awaited_slot
    span = _extracted_span(slot, utterance, MIN_SCORE_SURE) if slot is not None else None
    if span is not None and slot is not None and _is_in_short_phrase(span, slot, utterance):
        span = Span(_behind_determiner(utterance), len(utterance.text), None)
    if find_phrase(utterance.folded, utterance.lexicon.cues.exclusions):
        return None  # "anyone but Kevin"
    text = _bare_span(span, utterance) if span is not None else ""
    start = utterance.text.find(text, span.start) if span is not None else -1
    if slot is None or not text or start < 0 or free_text_objection(text, slot, utterance):
        return None
    return Span(start, start + len(text), text)


def _behind_determiner(utterance: Utterance) -> int:
    """Return where the text begins behind "my" or "the"."""
    is_led = utterance.folded[0] in utterance.lexicon.cues.determiners and len(utterance.tokens) > 1
    return utterance.tokens[1].start if is_led else 0


def _is_in_short_phrase(span: Span, slot: Slot, utterance: Utterance) -> bool:
    """ "My dad's 60th", "company christmas do": return whether the whole message is one phrase."""
    cues = utterance.lexicon.cues
    if len(utterance.tokens) > MAX_PHRASE_WORDS or CLAUSE_MARK.search(utterance.text.strip()):
        return False
    if asks_for_person(slot, utterance) or is_place_slot(slot, utterance) or cues.code_words & words_about(slot):
        return False
    others = [token.folded for token in utterance.tokens_outside([span])]
    said = (FUNCTION_WORDS | utterance.lexicon.acts.words) - cues.determiners | asked_words(slot, utterance)
    return bool(others) and said.isdisjoint(others)


def _extracted_span(slot: Slot, utterance: Utterance, min_score: float) -> Span | None:
    flow_index = utterance.running_flow
    if flow_index is None or flow_index.slot(slot.name) is None or is_narrative(slot, utterance):
        return None
    text_span = text_spans(flow_index, utterance).get(slot.name)
    if text_span is None or text_span.score < min_score or is_title(utterance):
        return None
    span = _whole_title(text_span.span, utterance)
    is_address = any(map(span.overlaps, find_emails(utterance.text)))
    words = utterance.with_text(utterance.text[span.start : span.end]).folded
    return None if is_address or FUNCTION_WORDS.issuperset(words) else span


def _whole_title(span: Span, utterance: Utterance) -> Span:
    """Widen "the Wild Things Are" to the title between marks that it is a part of."""
    start = max((match.end() for match in CLAUSE_MARK.finditer(utterance.text, 0, span.start)), default=0)
    end = CLAUSE_MARK.search(utterance.text, span.end)
    title = utterance.text[start : end.start() if end else None].strip()
    whole = Span(start, start + len(title), None)
    others = [token.folded for token in utterance.tokens_outside([span]) if start <= token.start < whole.end]
    return whole if FUNCTION_WORDS.issuperset(others) and is_written_as_title(utterance.with_text(title)) else span


def _bare_span(span: Span, utterance: Utterance) -> str:
    return bare_text(utterance.text[span.start : span.end], utterance)


def _surround(span: Span, slot: Slot, utterance: Utterance) -> bool:
    """Return whether the words beside the value say nothing more, or make a sentence of it."""
    cues, acts = utterance.lexicon.cues, utterance.lexicon.acts
    is_sentence = bool(prefix_length(utterance.folded, acts.openers, cues.requests)) or (
        utterance.folded[0] in cues.sentence_starters
    )
    if is_sentence:
        return True
    before = [token.folded for token in utterance.tokens if token.end <= span.start]
    after = [token.folded for token in utterance.tokens if token.start >= span.end]
    # "The saddle of my bike" is an answer as it stands.
    is_article = bool(before) and cues.articles.union(cues.determiners).issuperset(before)
    is_joined = bool(after) and not consists_of(after, acts.fillers, cues.tails, acts.courtesies)
    known_words = small_words(utterance.lexicon) | asked_words(slot, utterance)
    return not is_article and not is_joined and known_words.issuperset(before)


def _answering_part(utterance: Utterance) -> Utterance:
    """The message without a yes and politeness before it, and without "oh, sorry." as a sentence."""
    sentence = _first_sentence(utterance)
    acts = utterance.lexicon.acts
    length = prefix_length(sentence.folded, acts.yes, acts.fillers)
    if not 0 < length < len(sentence.tokens):
        return sentence
    is_apart = sentence.text[sentence.tokens[length - 1].end :][:1] in CLAUSE_MARKS
    begins_sentence = sentence.folded[length] in sentence.lexicon.cues.sentence_starters
    if not is_apart and not begins_sentence:
        return sentence
    return sentence.with_text(sentence.text[sentence.tokens[length].start :])


def _text_behind_lead(slot: Slot, utterance: Utterance) -> str:
    """Behind "I would love to see", "to" a person, or the one name of a sentence."""
    before_others = _without_other_values(slot, utterance)
    lead = lead_length(before_others.tokens, utterance.lexicon.cues.leads)
    if lead and (lead > 1 or before_others.tokens[lead].text[:1].isupper()):
        text = _up_to_clause(slot, before_others, bare_text(_text_behind(before_others, lead), utterance))
        return text if not _has_further_clause(before_others.with_text(text)) else _sole_name_for(slot, before_others)
    first = next(iter(utterance.folded), "")
    if (
        asks_for_person(slot, utterance)
        and first in utterance.lexicon.cues.place_prepositions | utterance.lexicon.cues.adding_words
    ):
        return bare_text(_text_behind(before_others, 1), utterance) if len(before_others.tokens) > 1 else ""
    return _sole_name_for(slot, before_others) if first in utterance.lexicon.cues.sentence_starters else ""


def _has_further_clause(utterance: Utterance) -> bool:
    """Return whether a small word stands behind the first that a value in small letters does not have."""
    cues = utterance.lexicon.cues
    small = cues.place_prepositions | cues.adding_words | cues.pointing_words
    capital = utterance.tokens and utterance.tokens[0].text[:1].isupper()
    return not capital and any(word in small for word in utterance.folded[1:])


def _sole_name_for(slot: Slot, utterance: Utterance) -> str:
    """The one name, with the content words that belong to it ("Freshwater fish")."""
    names = list(find_names(utterance))
    if len(names) != 1:
        return ""
    end = names[0].stop
    while (
        end < len(utterance.tokens) and end < names[0].stop + MAX_WORDS_BEHIND_NAME and _belongs_to_name(end, utterance)
    ):
        end += 1
    return _without_common_nouns(
        slot, utterance, utterance.text[utterance.tokens[names[0].start].start : utterance.tokens[end - 1].end]
    )


def _belongs_to_name(index: int, utterance: Utterance) -> bool:
    between = utterance.text[utterance.tokens[index - 1].end : utterance.tokens[index].start]
    return between == " " and utterance.folded[index] not in FUNCTION_WORDS | calendar_words(utterance.lexicon)


def _up_to_clause(slot: Slot, utterance: Utterance, text: str) -> str:
    """Up to a comma behind which a new clause begins ("Ramen, that sounds good")."""
    head, comma, tail = text.partition(", ")
    rest = utterance.with_text(tail)
    starters = utterance.lexicon.cues.sentence_starters | {"that"}
    begins_clause = bool(comma and rest.folded) and rest.folded[0] in starters
    return _without_common_nouns(slot, utterance, head if begins_clause or _is_filler(rest) else text)


def _is_filler(utterance: Utterance) -> bool:
    return bool(utterance.folded) and (utterance.folded[0],) in utterance.lexicon.acts.fillers


def has_name_for(slot: Slot, utterance: Utterance) -> bool:
    """Return whether a place or a name stands where it answers the question."""
    return bool(_place_for(slot, utterance)) or _is_all_name(utterance) or bool(sole_name(utterance))


def _is_all_name(utterance: Utterance) -> bool:
    content = [token for token in utterance.tokens if token.folded not in FUNCTION_WORDS]
    return bool(content) and all(token.text[:1].isupper() or token.text.isdigit() for token in content)


def _text_before_link(utterance: Utterance) -> str:
    """ "Santa Rosa is where I would like you to look"."""
    cues = utterance.lexicon.cues
    for index in range(1, min(len(utterance.tokens) - 1, MAX_WORDS_BEFORE_LINK)):
        is_turned_around = (
            utterance.folded[index] in cues.link_verbs and utterance.folded[index + 1] in cues.question_words
        )
        if is_turned_around and utterance.folded[0] not in cues.question_words | cues.sentence_starters:
            start = utterance.with_text(utterance.text[: utterance.tokens[index].start])
            return _place_behind_preposition(start) or bare_text(start.text, utterance, lead=True)
    return ""


def _text_behind_link(slot: Slot, utterance: Utterance) -> str:
    """ "The person I'm requesting is Rachel": what follows "is" in a sentence about the question."""
    named_text = text_behind_slot_name(slot, utterance)
    if named_text != utterance.text:
        return _strip_surroundings(slot, utterance.with_text(named_text))
    for index in range(2, min(len(utterance.tokens) - 1, MAX_WORDS_BEFORE_LINK)):
        shared_words = set(utterance.folded[1:index]) & question_words(slot, utterance) - FUNCTION_WORDS
        is_lower_case = not any(_is_capital(token, utterance) for token in utterance.tokens[1:index])
        if (
            utterance.folded[index] in utterance.lexicon.cues.link_verbs
            and _begins_as_pointer(utterance)
            and is_lower_case
            and (shared_words or _is_capital_behind(utterance, index))
        ):
            return _strip_surroundings(slot, utterance.with_text(utterance.text[utterance.tokens[index + 1].start :]))
    return ""


def _is_capital(token: Token, utterance: Utterance) -> bool:
    return token.text[:1].isupper() and token.folded not in utterance.lexicon.cues.sentence_starters


def _begins_as_pointer(utterance: Utterance) -> bool:
    return utterance.folded[0] in utterance.lexicon.cues.articles | utterance.lexicon.cues.pointing_words


def _is_capital_behind(utterance: Utterance, index: int) -> bool:
    return index + 1 < len(utterance.tokens) and utterance.tokens[index + 1].text[:1].isupper()


def _place_for(slot: Slot, utterance: Utterance) -> str:
    """For a place: what "in" or "from" leads to, up to the next mark or small word."""
    if not is_place_slot(slot, utterance) and utterance.lexicon.cues.place_words.isdisjoint(
        question_words(slot, utterance)
    ):
        return ""
    return _place_behind_preposition(utterance)


def _place_behind_preposition(utterance: Utterance) -> str:
    cues = utterance.lexicon.cues
    names = {name.start: name for name in find_names(utterance)}
    prepositions = [
        index for index in range(len(utterance.tokens) - 1) if utterance.folded[index] in cues.place_prepositions
    ]
    for index in reversed(prepositions):
        start = index + 1
        while start < len(utterance.tokens) - 1 and start not in names and utterance.folded[start] in cues.determiners:
            start += 1
        name = names.get(start)
        if name is not None:
            return _name_with_kind(utterance, name)
    return _lower_case_place(utterance, prepositions)


def _name_with_kind(utterance: Utterance, name: range) -> str:
    """ "New York city" with the kind of place that follows it in small letters, but for "area"."""
    end = name.stop
    if end < len(utterance.tokens) and utterance.folded[end] in utterance.lexicon.cues.kind_words:
        end += 1
    if end < len(utterance.tokens) and utterance.tokens[end].text.isdigit() and _is_right_behind(end, utterance):
        end += 1  # "Calle Mayor 3"
    start = utterance.tokens[name.start].start
    if (
        name.start
        and utterance.folded[name.start - 1] == "the"
        and len(name) > 1
        and "of" in utterance.folded[name.start : end]
    ):
        start = utterance.tokens[name.start].start
    return utterance.text[start : utterance.tokens[end - 1].end]


def _is_right_behind(index: int, utterance: Utterance) -> bool:
    return utterance.text[utterance.tokens[index - 1].end : utterance.tokens[index].start] == " "


def _lower_case_place(utterance: Utterance, prepositions: Sequence[int]) -> str:
    """ "Look in chicago for a hotel": words in small letters, up to the next function word."""
    for index in prepositions:
        rest = list(_tokens_until_function_word(utterance, index + 1))
        if index and rest and not _has_capital_before(utterance, index):
            return utterance.text[rest[0].start : rest[-1].end]
    return ""


def _tokens_until_function_word(utterance: Utterance, start: int) -> Iterator[Token]:
    for index in range(start, len(utterance.tokens)):
        token = utterance.tokens[index]
        between = utterance.text[utterance.tokens[index - 1].end : token.start]
        if token.folded in FUNCTION_WORDS or token.text.isdigit() or any(mark in between for mark in CLAUSE_MARKS):
            return
        yield token


def _has_capital_before(utterance: Utterance, index: int) -> bool:
    return any(token.text[:1].isupper() for token in utterance.tokens[1 : index + 1] if len(token.text) > 1)


def _strip_surroundings(slot: Slot, utterance: Utterance) -> str:
    """Without leads, other slots' values, a second sentence, and the common nouns of the question behind it."""
    first = _first_sentence(_without_other_values(slot, utterance))
    lead = lead_length(first.tokens, utterance.lexicon.cues.leads)
    if lead and first.tokens[lead].text[:1].isupper():
        return _without_common_nouns(slot, first, bare_text(_text_behind(first, lead), utterance))
    name = name_in_sentence(slot, first)
    return name or _without_common_nouns(slot, first, bare_text(first.text, utterance, lead=True))


def _text_behind(utterance: Utterance, lead: int) -> str:
    return utterance.text[utterance.tokens[lead].start :]


def _first_sentence(utterance: Utterance) -> Utterance:
    """ "Sushi. Something reasonably priced": the first words when they end like a sentence."""
    head, _, tail = utterance.text.partition(". ")
    first = utterance.with_text(head)
    is_whole_answer = (
        first.tokens
        and len(first.tokens[-1].text) >= MIN_LAST_WORD_LETTERS
        and len(first.tokens) <= MAX_FIRST_SENTENCE_WORDS
    )
    rest = utterance.with_text(tail)
    if (
        first.tokens
        and rest.tokens
        and not set(first.folded) - small_words(utterance.lexicon) - {"yes", "sure", "sorry"}
    ):
        return rest
    return first if tail and is_whole_answer else utterance


def _without_other_values(slot: Slot, utterance: Utterance) -> Utterance:
    """The message up to the small word that leads to another slot's value: "X with French subtitles"."""
    other_slots = [
        slot_of_flow
        for slot_of_flow in (utterance.running_flow.slots if utterance.running_flow else ())
        if slot_of_flow.name != slot.name and not is_free_text(slot_of_flow)
    ]
    starts = [span.start for spans in strong_values(other_slots, utterance).values() for span in spans]
    for start in sorted(starts):
        before = [index for index, token in enumerate(utterance.tokens) if token.end <= start]
        adding_index = next(
            (
                index
                for index in reversed(before[-3:])
                if utterance.folded[index] in utterance.lexicon.cues.adding_words
            ),
            None,
        )
        if adding_index:
            return utterance.with_text(utterance.text[: utterance.tokens[adding_index].start].rstrip(" ,"))
    return utterance


def _without_common_nouns(slot: Slot, utterance: Utterance, text: str) -> str:
    """ "Comedy movies" to "what kind of movie?" is comedy; capitals stay as they are."""
    piece = utterance.with_text(text)
    question_nouns = asked_words(slot, utterance) - FUNCTION_WORDS
    end = len(piece.tokens)
    while end > 1 and fuzzy_in(piece.folded[end - 1], question_nouns):
        end -= 1
    while (
        end > 1
        and end < len(piece.tokens)
        and piece.folded[end - 1] in utterance.lexicon.cues.kind_words | FUNCTION_WORDS
    ):
        end -= 1
    has_lower_case = any(not token.text[:1].isupper() for token in piece.tokens[end:])
    if FUNCTION_WORDS.issuperset(piece.folded[:end]):
        return text
    return text[: piece.tokens[end - 1].end] if has_lower_case and end < len(piece.tokens) else text
