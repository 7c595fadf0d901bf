"""Choices from data: the candidates that a slot has now, the page that is shown, and what an answer means."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dialogue.engine.language.steps import NO, YES
from dialogue.engine.ports.tasks import Choice
from dialogue.engine.slots.candidates import Candidate, OptionList, find_candidate, part_at
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.option_sources import OptionsFrom
from dialogue.engine.slots.redaction import MASK
from dialogue.engine.slots.values import typed_value
from dialogue.engine.stack.slot_access import read_hashes, resolve_name, typed_values
from dialogue.engine.stack.state import Frame, Mention, Wait
from dialogue.engine.stack.turn import Turn

MORE = "more:"
"""The beginning of the choice value that shows another page; its number follows."""
NONE_OF_THESE = "none_of_these"
MAX_RECORDED_OPTIONS = 10
MAX_RECORDED_CHARACTERS = 200


@dataclass(frozen=True)
class Match:
    candidates: tuple[Candidate, ...]
    how: str = ""


def match_options(words: str, candidates: Sequence[Candidate], language: str) -> Match:
    found = find_candidate(words, candidates)
    parts = tuple(c for c in candidates if words.casefold() in c.label.casefold())
    return Match((found,) if found else parts)


def match_several(words: str, candidates: Sequence[Candidate], language: str) -> Match:
    found = [find_candidate(word.strip(), candidates) for word in words.split(" and ")]
    return Match(tuple(c for c in found if c))


def known_candidates(turn: Turn, frame: Frame | None, slot: Slot) -> tuple[Candidate, ...] | None:
    """Return the options of the slot in this frame, or None while its source is empty or not loaded.

    Without a frame, the source is looked up among the slots of the conversation.
    """
    found = source_entries(turn, frame, slot)
    if found is None:
        return None
    entry, entries = found
    cache_key = (frame["id"] if frame else "", slot.name)
    known = _known_values(turn, frame, slot, entry)
    cached = turn.option_lists.get(cache_key)
    # The stored list is replaced when it changes, never changed in place.
    if cached is None or cached[0] is not entries or cached[1] != known:
        source = slot.options_from
        assert source is not None
        options = OptionList(slot, source, entry, turn.language, turn.context.timezone, turn.now, known)
        cached = turn.option_lists[cache_key] = (entries, known, options.candidates(entries))
    candidates: tuple[Candidate, ...] = cached[2]
    return candidates


def source_entries(turn: Turn, frame: Frame | None, slot: Slot) -> tuple[Slot, list[Any]] | None:
    """Return the slot of one entry and the entries that are known, or None."""
    source = slot.options_from
    assert source is not None
    if (contract := source_contract(turn, frame, source)) is not None:
        (output,) = contract.outputs.values()
        loaded = frame.get("options", {}).get(slot.name) if frame else None
        if frame is None or loaded is None or loaded.get("reads") != input_hashes(turn, frame, source):
            return None
        return _entry_slot(output), loaded["entries"]
    resolved = resolve_name(turn, frame, source.source) if frame else _conversation_value(turn, source.source)
    if resolved is None or not isinstance(resolved[1], list):
        return None
    return _entry_slot(resolved[0]), resolved[1]


def source_contract(turn: Turn, frame: Frame | None, source: OptionsFrom) -> Any:
    """Return the contract of the action that gives the options, or None if a slot does."""
    is_slot = frame is not None and resolve_name(turn, frame, source.source) is not None
    return None if is_slot else turn.assistant.actions.get(source.source)


def input_hashes(turn: Turn, frame: Frame, source: OptionsFrom) -> dict[str, str]:
    """Return the hashes of the values that the action behind the options reads."""
    if source.inputs is not None:
        names: Iterable[str] = {name for expression in source.inputs.values() for name in expression.slots}
    else:
        names = turn.assistant.actions[source.source].inputs
    return read_hashes(turn, frame, names)


def _entry_slot(source: Slot) -> Slot:
    return source.items or Slot(type="text")


def _conversation_value(turn: Turn, path: str) -> tuple[Slot, Any] | None:
    name, _, part = path.partition(".")
    slot, stored = turn.assistant.slots.get(name), turn.memory["slots"].get(name)
    if slot is None or stored is None:
        return None
    return part_at(slot, stored["value"], part) if part else (slot, stored["value"])


def _known_values(turn: Turn, frame: Frame | None, slot: Slot, entry: Slot) -> dict[str, Any]:
    """Return the typed values that `when` reads beside the fields of an entry."""
    test = slot.options_from.when if slot.options_from else None
    names = [name for name in test.slots if part_at(entry, None, name) is None] if test else []
    if frame is not None:
        return typed_values(turn, frame, names)
    resolved = ((name, _conversation_value(turn, name)) for name in names)
    return {name: typed_value(*value) for name, value in resolved if value is not None}


def offered_candidates(candidates: Sequence[Candidate], wait: Wait) -> tuple[Candidate, ...]:
    """Return the candidates that the question is about: all, or those to which it was narrowed."""
    matches = wait.get("matches")
    return tuple(option for option in candidates if matches is None or option.key in matches)


def shown_page(candidates: Sequence[Candidate], wait: Wait, page_size: int) -> tuple[Candidate, ...]:
    """Return the candidates of the page that is shown."""
    start = (wait.get("page", 1) - 1) * page_size
    return offered_candidates(candidates, wait)[start : start + page_size]


def page_choices(turn: Turn, candidates: Sequence[Candidate], wait: Wait, page_size: int) -> tuple[Choice, ...]:
    """Return the buttons of the question: a page of options, and what leads to others."""
    choices = [Choice(option.key, option.label) for option in shown_page(candidates, wait, page_size)]
    page = wait.get("page", 1)
    if len(offered_candidates(candidates, wait)) > page * page_size:
        choices.append(Choice(f"{MORE}{page + 1}", turn.response_text("more_options")))
    if "matches" in wait:
        choices.append(Choice(NONE_OF_THESE, turn.response_text(NONE_OF_THESE)))
    return tuple(choices)


@dataclass(frozen=True)
class ChoiceAnswer:
    """What an answer to a choice from data means: exactly one of the fields is set.

    `chosen` are the options that it names, `among` those that it may mean, `unmatched` the words that fit none,
    `unresolved` the words that wait for the options. `page` is another page to show; `control` is "yes" or "no" to the
    only option, or "none_of_these".
    """

    chosen: tuple[Candidate, ...] = ()
    among: tuple[Candidate, ...] = ()
    unmatched: str = ""
    unresolved: str = ""
    page: int = 0
    control: str = ""


def read_answer(turn: Turn, frame: Frame, slot: Slot, value: Any, wait: Wait | None) -> ChoiceAnswer:
    """Return what the value means for the slot; `wait` is the open question for it, or None."""
    candidates = known_candidates(turn, frame, slot)
    words = value if isinstance(value, str) else ""
    if candidates is None:
        return ChoiceAnswer(unresolved=words or _words_of(value))
    control = _read_control(words, wait) if wait is not None and find_candidate(value, candidates) is None else None
    if control is not None and wait is not None:
        return ChoiceAnswer(chosen=offered_candidates(candidates, wait)) if control.control == YES else control
    if slot.type == "list":
        return _read_several(turn, candidates, value)
    return _read_one(turn, candidates, value, wait, slot)


def _read_control(words: str, wait: Wait) -> ChoiceAnswer | None:
    number = words.removeprefix(MORE)
    if words.startswith(MORE) and number.isdecimal() and len(number) < 6:
        return ChoiceAnswer(page=max(int(number), 1))
    if words == NONE_OF_THESE and "matches" in wait:
        return ChoiceAnswer(control=words)
    return ChoiceAnswer(control=words) if wait.get("single") and words in (YES, NO) else None


def apply_control(turn: Turn, frame: Frame, wait: Wait, answer: ChoiceAnswer) -> None:
    """Show another page, take the narrowing back, or note the no to the only option."""
    if answer.page:
        wait["page"] = answer.page
    elif answer.control == NONE_OF_THESE:
        wait.pop("matches", None)
        wait.pop("page", None)
    else:
        wait["declined"] = True
        turn.touch(frame)


def narrow_question(wait: Wait, keys: Sequence[str]) -> None:
    """Ask the open question about these options only."""
    wait["matches"] = list(keys)
    wait.pop("page", None)
    wait.pop("single", None)


def _read_one(turn: Turn, candidates: tuple[Candidate, ...], value: Any, wait: Wait | None, slot: Slot) -> ChoiceAnswer:
    exact = find_candidate(value, candidates)
    if exact is not None:
        return ChoiceAnswer(chosen=(exact,))
    if not isinstance(value, str):
        return ChoiceAnswer(unmatched=_words_of(value))
    matched = match_words(turn, candidates, value, wait, slot)
    if len(matched) == 1:
        return ChoiceAnswer(chosen=matched)
    return ChoiceAnswer(among=matched) if matched else ChoiceAnswer(unmatched=value)


def match_words(
    turn: Turn, candidates: tuple[Candidate, ...], words: str, wait: Wait | None, slot: Slot
) -> tuple[Candidate, ...]:
    """Return the candidates that the words mean. A number counts what is shown; other words may mean any option."""
    source = slot.options_from
    if wait is None or source is None:
        return match_options(words, candidates, turn.language).candidates
    shown = shown_page(candidates, wait, source.page_size)
    match = match_options(words, shown, turn.language)
    if match.how == "number" or (match.candidates and "matches" in wait):
        return match.candidates
    return match_options(words, candidates, turn.language).candidates


def _read_several(turn: Turn, candidates: tuple[Candidate, ...], value: Any) -> ChoiceAnswer:
    if isinstance(value, str) and find_candidate(value, candidates) is None:
        matched = match_several(value, candidates, turn.language).candidates
        return ChoiceAnswer(chosen=matched) if matched else ChoiceAnswer(unmatched=value)
    entries = value if isinstance(value, list | tuple) else [value]
    chosen: dict[str, Candidate] = {}
    for entry in entries:
        option = find_candidate(entry, candidates)
        matched = (
            (option,)
            if option
            else match_options(entry, candidates, turn.language).candidates
            if isinstance(entry, str)
            else ()
        )
        if not matched:
            return ChoiceAnswer(unmatched=_words_of(entry))
        chosen |= {candidate.key: candidate for candidate in matched}
    return ChoiceAnswer(chosen=tuple(chosen.values()))


def _words_of(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_words_of, value))
    return " ".join(map(str, value.values())) if isinstance(value, dict) else str(value)


def record_answer(turn: Turn, slot: Slot, value: Any, answer: ChoiceAnswer) -> None:
    """Record how the words were resolved; sensitive words and labels are masked."""
    fitting = answer.chosen or answer.among
    hides = slot.sensitive or any(option.sensitive for option in fitting)
    words = MASK if hides else _words_of(value)[:MAX_RECORDED_CHARACTERS]
    labels = [option.masked_label for option in fitting[:MAX_RECORDED_OPTIONS]]
    how = next(
        name for name in ("chosen", "among", "unmatched", "unresolved", "page", "control") if getattr(answer, name)
    )
    turn.record.options.append({"slot": slot.name, "words": words, "result": how, "options": labels})


def mentioned_options(
    turn: Turn, slot: Slot, candidates: tuple[Candidate, ...], said: Mention
) -> tuple[Candidate, ...]:
    """Return the options that fit what was said before they were known."""
    if "keys" in said:
        return tuple(option for option in candidates if option.key in said["keys"])
    match = match_several if slot.type == "list" else match_options
    return match(said.get("words", ""), candidates, turn.language).candidates


def record_mention(turn: Turn, slot: Slot, said: Mention, matched: tuple[Candidate, ...]) -> None:
    """Record how the words that were said before are resolved now."""
    is_chosen = len(matched) == 1 or (slot.type == "list" and bool(matched))
    words = said.get("words", "")
    answer = (
        ChoiceAnswer(chosen=matched) if is_chosen else ChoiceAnswer(among=matched, unmatched="" if matched else "-")
    )
    record_answer(turn, slot, words, answer)


def record_offer(turn: Turn, slot: Slot, candidates: Sequence[Candidate], wait: Wait) -> None:
    """Record how many options there are, and the labels of those that are shown."""
    source = slot.options_from
    page = shown_page(candidates, wait, source.page_size) if source else ()
    labels = [option.masked_label for option in page]
    turn.record.options.append({"slot": slot.name, "offered": len(candidates), "options": labels})


def stored_choice(slot: Slot, chosen: Sequence[Candidate]) -> Any:
    """Return what the slot stores for these options: a list of them for a list, or else the first."""
    return [option.value for option in chosen] if slot.type == "list" else chosen[0].value


def mention(frame: Frame, name: str, said: Mention) -> None:
    """Keep what was said about a choice until its options are known."""
    frame.setdefault("mentions", {})[name] = said


def take_mention(frame: Frame, name: str) -> Mention | None:
    """Return what was said about the choice, once."""
    mentions = frame.get("mentions", {})
    said = mentions.pop(name, None)
    if not mentions:
        frame.pop("mentions", None)
    return said
