"""Answers to a choice from data: which options a value, or a user's words, mean."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from dialogue.engine.language.steps import NO, YES
from dialogue.engine.slots.candidates import Candidate, find_candidate
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.option_matching import Match, match_options, match_several
from dialogue.engine.slots.option_sources import DEFAULT_PAGE_SIZE
from dialogue.engine.stack.state import Mention, Wait

MORE = "more:"
"""The beginning of the choice value that shows another page; its number follows."""
NONE_OF_THESE = "none_of_these"
_MAX_PAGE_DIGITS = 5


@dataclass(frozen=True)
class ChoiceAnswer:
    """What an answer to a choice from data means: one of the fields is set, and `picked` maybe beside `among`.

    `chosen` are the options that it names, `among` those that it may mean, `unmatched` the words that fit none,
    `unresolved` the words that wait for the options. `page` is another page to show; `control` is "yes" or "no" to the
    only option, or "none_of_these". `picked` are options of a list that are certain already; `emptied`: the list shall
    hold none.
    """

    chosen: tuple[Candidate, ...] = ()
    among: tuple[Candidate, ...] = ()
    unmatched: str = ""
    unresolved: str = ""
    page: int = 0
    control: str = ""
    emptied: bool = False
    picked: tuple[Candidate, ...] = ()

    @property
    def result(self) -> str:
        """The name of the field that is set; "unmatched" for an answer without a word, which sets none."""
        return next((name for name in _RESULTS if getattr(self, name)), "unmatched")


_RESULTS = ("chosen", "among", "unmatched", "unresolved", "page", "control", "emptied")


@dataclass(frozen=True)
class OpenChoice:
    """A choice that can be answered: the options of its slot, and the keys of those that it holds (`chosen`).

    `wait` is the open question for it, or None. `today` is the day that "yesterday" counts from.
    """

    slot: Slot
    candidates: tuple[Candidate, ...]
    language: str
    today: date
    wait: Wait | None = None
    chosen: tuple[str, ...] = ()

    def read(self, value: Any) -> ChoiceAnswer:
        """Return what a key, a stored value, a list of these, a button's value or words mean."""
        exact = find_candidate(value, self.candidates)
        if exact is not None:
            return ChoiceAnswer(chosen=self._with_picked((exact,)))
        if isinstance(value, list | tuple):
            return self._read_entries(value)
        if not isinstance(value, str):
            return ChoiceAnswer(unmatched=words_of(value))
        return self._read_control(value) or self._read_words(value)

    def read_mention(self, said: Mention) -> ChoiceAnswer:
        """Return which options fit what was said before they were known."""
        if "keys" not in said:
            return self.read(said.get("words", ""))
        fitting = tuple(option for option in self.candidates if option.key in said["keys"])
        picked = tuple(option for option in self.candidates if option.key in said.get("picked", ()))
        if len(fitting) == 1:
            return ChoiceAnswer(chosen=(*picked, *fitting))
        return ChoiceAnswer(among=fitting, picked=picked) if fitting else ChoiceAnswer(unmatched=said.get("words", ""))

    def _read_control(self, words: str) -> ChoiceAnswer | None:
        """Return the meaning of a button that names no option, or None for other words."""
        wait: Mapping[str, Any] = self.wait or {}
        number = words.removeprefix(MORE)
        if self.wait is not None and words != number and number.isdecimal() and len(number) <= _MAX_PAGE_DIGITS:
            return ChoiceAnswer(page=max(int(number), 1))
        if words == NONE_OF_THESE and "matches" in wait:
            return ChoiceAnswer(control=words)
        if not wait.get("single") or words not in (YES, NO):
            return None
        return (
            ChoiceAnswer(chosen=offered_candidates(self.candidates, self.wait))
            if words == YES
            else ChoiceAnswer(control=NO)
        )

    def _read_words(self, words: str) -> ChoiceAnswer:
        narrowed = self.wait is not None and "matches" in self.wait
        if self.slot.type == "list" and not narrowed:
            return self._read_selection(words)
        match = self._match(words)
        if narrowed and match.how == "none":
            return ChoiceAnswer(control=NO if self.wait and self.wait.get("single") else NONE_OF_THESE)
        if len(match.candidates) == 1:
            return ChoiceAnswer(chosen=self._with_picked(match.candidates))
        if several := self._named_one_by_one(words):
            return ChoiceAnswer(chosen=several)
        return ChoiceAnswer(among=match.candidates) if match.candidates else ChoiceAnswer(unmatched=words)

    def _match(self, words: str) -> Match:
        """Return the candidates that the words fit. A number counts what is shown; other words may mean any option."""
        wait: Mapping[str, Any] = self.wait or {}
        if "matches" in wait or wait.get("page", 1) > 1:
            shown = self._match_among(words, shown_page(self.slot, self.candidates, self.wait))
            if "number" in shown.how or ("matches" in wait and (shown.candidates or shown.how == "none")):
                return shown
        return self._match_among(words, self.candidates)

    def _named_one_by_one(self, words: str) -> tuple[Candidate, ...]:
        """Return the options that the words want all of: "W1 and W2", "both"; () where they may mean one of several."""
        offered = offered_candidates(self.candidates, self.wait)
        selection = match_several(words, offered, self.language, today=self.today)
        is_sure = selection.operation == "set" and len(selection.chosen) > 1 and not selection.unclear
        return selection.chosen if is_sure and self.slot.type != "list" else ()

    def _match_among(self, words: str, candidates: Sequence[Candidate]) -> Match:
        return match_options(words, candidates, self.language, current=self.chosen, today=self.today)

    def _read_selection(self, words: str) -> ChoiceAnswer:
        """Return what the words make of a list of options."""
        selection = match_several(words, self.candidates, self.language, current=self.chosen, today=self.today)
        keys = selection.apply(self.chosen) if selection.operation else ()
        options = tuple(option for key in keys for option in self.candidates if option.key == key)
        if selection.unclear:
            return ChoiceAnswer(among=selection.unclear, picked=options)
        if options:
            return ChoiceAnswer(chosen=options)
        return ChoiceAnswer(emptied=True) if selection.operation else ChoiceAnswer(unmatched=words)

    def _read_entries(self, entries: Sequence[Any]) -> ChoiceAnswer:
        """Return the options that the entries of a list name, each once."""
        chosen: dict[str, Candidate] = {}
        for entry in entries:
            option = find_candidate(entry, self.candidates)
            named = [option] if option is not None else []
            if not named and isinstance(entry, str):
                named = list(self._match_among(entry, self.candidates).candidates)
            if not named:
                return ChoiceAnswer(unmatched=words_of(entry))
            chosen |= {candidate.key: candidate for candidate in named}
        options = self._with_picked(tuple(chosen.values()))
        return ChoiceAnswer(chosen=options) if chosen else ChoiceAnswer(emptied=True)

    def _with_picked(self, answer: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        """Return the answer behind the options of the list that were certain when the question was narrowed."""
        picked = self.wait.get("picked", ()) if self.wait is not None else ()
        return (*(option for option in self.candidates if option.key in picked and option not in answer), *answer)


def offered_candidates(candidates: Sequence[Candidate], wait: Wait | None) -> tuple[Candidate, ...]:
    """Return the candidates that the question is about: all, or those to which it was narrowed."""
    matches = wait.get("matches") if wait is not None else None
    if matches is None:
        # The same tuple, by which the index of its words is found again.
        return candidates if isinstance(candidates, tuple) else tuple(candidates)
    return tuple(option for option in candidates if option.key in matches)


def shown_page(slot: Slot, candidates: Sequence[Candidate], wait: Wait | None) -> tuple[Candidate, ...]:
    """Return the candidates of the page that is shown."""
    page_size = page_size_of(slot)
    start = (page_number(slot, candidates, wait) - 1) * page_size
    return offered_candidates(candidates, wait)[start : start + page_size]


def page_number(slot: Slot, candidates: Sequence[Candidate], wait: Wait | None) -> int:
    """Return the number of the page that is shown, from 1; the first, if the wanted one has no options."""
    page = wait.get("page", 1) if wait is not None else 1
    has_options = (page - 1) * page_size_of(slot) < len(offered_candidates(candidates, wait))
    return page if has_options else 1


def page_size_of(slot: Slot) -> int:
    """Return the most options that a question for the slot shows at a time."""
    return slot.options_from.page_size if slot.options_from else DEFAULT_PAGE_SIZE


def words_of(value: Any) -> str:
    """Return a value as the words that stand for it in a message."""
    if isinstance(value, list | tuple):
        return ", ".join(map(words_of, value))
    return " ".join(map(str, value.values())) if isinstance(value, dict) else str(value)
