"""The options of a slot that are known now, and the words of an opening that are about a choice from data."""

from collections.abc import Sequence
from functools import lru_cache

from dialogue.engine.ports.tasks import CollectTask
from dialogue.engine.slots.candidates import Candidate
from dialogue.engine.slots.definitions.options import Option
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.option_matching import match_options, match_several
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, FlowIndex
from dialogue.nlu.slots.slot_words import slot_words
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.tokens import fold, fuzzy_in

MARKS = ",;.!?\n"
MAX_WORDS_OF_CHOICE = 14


def choice_candidates(slot: Slot, utterance: Utterance) -> tuple[Candidate, ...]:
    """Return the options of a choice from data that are known now; of a list, also options that its author wrote."""
    if slot.options_from is not None:
        return utterance.context.candidates.get(slot.name, ())
    items = slot.items if slot.type == "list" else None
    return _written_candidates(items.options, utterance.context.language) if items is not None else ()


@lru_cache(maxsize=512)
def _written_candidates(options: tuple[Option, ...], language: str) -> tuple[Candidate, ...]:
    return tuple(
        Candidate(
            key=option.value,
            value=option.value,
            label=option.label.in_language(language),
            texts=tuple(option.label.translations.values()),
            synonyms=option.synonyms,
        )
        for option in options
    )


def chosen_keys(slot: Slot, candidates: Sequence[Candidate], utterance: Utterance) -> tuple[str, ...]:
    """Return the keys of the options that the slot holds, by the labels with which its value is displayed."""
    texts = [
        text for flow_index in utterance.open_flows() if (text := utterance.filled_text(flow_index, slot)) is not None
    ]
    shown = fold(texts[0]) if texts else ""
    if slot.type != "list":
        return tuple(c.key for c in candidates if shown in (fold(c.label), fold(c.key)))[:1] if shown else ()
    return tuple(candidate.key for candidate in _held(candidates, shown))


def _held(candidates: Sequence[Candidate], shown: str) -> list[Candidate]:
    """The candidates whose labels make up a displayed list; the longest label takes its place first."""
    held = []
    for candidate in sorted(candidates, key=lambda candidate: -len(candidate.label)):
        label = fold(candidate.label)
        if label and label in shown:
            shown = shown.replace(label, " ", 1)
            held.append(candidate)
    return sorted(held, key=candidates.index)


def option_name(candidate: Candidate) -> str:
    """Return the option's label for prompts, with its sensitive fields masked."""
    return candidate.masked_label or candidate.label


def named_keys(slot: Slot, text: str, utterance: Utterance) -> tuple[str, ...]:
    """Return the keys of the options that a text names: the name in a prompt, a key, or words as users say them.

    Texts with commas may name one option or several.
    """
    candidates = choice_candidates(slot, utterance)
    exact = [c.key for c in candidates if fold(text.strip()) in (fold(option_name(c)), fold(c.key), fold(c.label))]
    if exact:
        return tuple(exact[:1])
    language, today = utterance.context.language, utterance.clock().today
    if slot.type == "list":
        selection = match_several(text, candidates, language, today=today)
        return tuple(candidate.key for candidate in (*selection.chosen, *selection.unclear))
    return tuple(candidate.key for candidate in match_options(text, candidates, language, today=today).candidates)


def shown_candidates(slot: Slot, candidates: tuple[Candidate, ...], utterance: Utterance) -> tuple[Candidate, ...]:
    """Return the options of the page that is shown, of a slot that is asked for; else all."""
    task = utterance.context.awaited
    if not isinstance(task, CollectTask) or task.slot != slot.name:
        return candidates
    keys = {choice.value for choice in task.choices}
    shown = tuple(candidate for candidate in candidates if candidate.key in keys)
    return shown if 0 < len(shown) < len(candidates) else candidates


def meant_keys(slot: Slot, candidates: tuple[Candidate, ...], utterance: Utterance) -> frozenset[str]:
    """Return the keys of the options that the message may mean, chosen or taken out."""
    current, today = chosen_keys(slot, candidates, utterance), utterance.clock().today
    language = utterance.context.language
    matches = [
        match_options(utterance.text, options, language, current=current, today=today)
        for options in (candidates, shown_candidates(slot, candidates, utterance))
    ]
    selection = match_several(utterance.text, candidates, language, current=current, today=today)
    meant = [*selection.chosen, *selection.removed, *selection.unclear]
    return frozenset(candidate.key for candidate in (*meant, *(c for match in matches for c in match.candidates)))


def words_of_choice(slot: Slot, flow_index: FlowIndex, utterance: Utterance) -> str:
    """Return the words of a request that describe the option: of "cancel the order with the lamp" the last five.

    They follow a word of the flow or of the slot, up to the next mark or clause, and say something that the flow's own
    words do not; "" where there are none.
    """
    known_words = flow_index.vocabulary | slot_words(slot)
    anchors = [place for place, word in enumerate(utterance.folded) if fuzzy_in(word, known_words)]
    for anchor in anchors:
        end = _end_of_clause(anchor + 1, utterance)
        content = [
            word
            for word in utterance.folded[anchor + 1 : end]
            if word not in FUNCTION_WORDS and not fuzzy_in(word, known_words)
        ]
        if content and _leads_to_description(anchor + 1, utterance):
            return utterance.text[utterance.tokens[anchor + 1].start : utterance.tokens[end - 1].end]
    return ""


def _end_of_clause(start: int, utterance: Utterance) -> int:
    cues = utterance.lexicon.cues
    for place in range(start, min(len(utterance.tokens), start + MAX_WORDS_OF_CHOICE)):
        between = utterance.text[utterance.tokens[place - 1].end : utterance.tokens[place].start]
        if any(mark in between for mark in MARKS) or utterance.folded[place] in cues.reason_words:
            return place
        if utterance.folded[place] in cues.joining_words and not _goes_on(place + 1, utterance):
            return place
    return min(len(utterance.tokens), start + MAX_WORDS_OF_CHOICE)


def _goes_on(place: int, utterance: Utterance) -> bool:
    """Return whether another description follows an "and": "the keyboard and the lamp", "W1 and W2"."""
    return _leads_to_description(place, utterance) or place == len(utterance.tokens) - 1


def _leads_to_description(place: int, utterance: Utterance) -> bool:
    """Return whether "the", "with", "from", a number or a name follows: "cancel order W12", "return the shirt"."""
    if place >= len(utterance.tokens):
        return False
    token, cues = utterance.tokens[place], utterance.lexicon.cues
    leads = cues.option_leads | cues.determiners | cues.articles
    is_code = any(character.isdigit() for character in token.text) or "#" in utterance.text[: token.start][-1:]
    return token.folded in leads or is_code or token.text[:1].isupper()
