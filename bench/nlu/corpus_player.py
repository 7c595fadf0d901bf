"""A player for corpora: our bot leads, and a person of the corpus answers with the sentences of their own conversation.

A person has a goal (an intent), values, and for each value the sentence in which they once gave it. The player opens
with the sentence of the goal, answers each question with the sentence for the slot that is asked for, skips what the
person never said, and counts whether the task is reached, which values are right, wrong actions, and turns that were
not needed.
"""

import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dialogue.testing import FlowTest
from dialogue.testing.flows import Stub

SKIP = "skip this question"
MAX_TURNS = 25
# The person repeats a sentence once, and then gives up on the value.
MAX_TELLINGS = 2


@dataclass(frozen=True)
class Person:
    """One person of a corpus. `values` are what they gave for each slot, `sentences` the sentence for each slot."""

    goal: str
    opening: str
    values: Mapping[str, Collection[str]]
    sentences: Mapping[str, str]


@dataclass
class PlayResult:
    """How one conversation went. `wrong_actions` names each: "started X", "cancelled", "handed over", "stored X"."""

    reached: bool = False
    right_values: int = 0
    values: int = 0
    wrong_actions: list[str] = field(default_factory=list)
    turns: int = 0
    needed_turns: int = 0
    transcript: list[tuple[str, str]] = field(default_factory=list)

    @property
    def extra_turns(self) -> int:
        return max(0, self.turns - self.needed_turns) if self.reached else 0


def play(person: Person, folder: Path, goals: Collection[str], *, by_meaning: bool = True) -> PlayResult:
    """Play one conversation with the assistant of the folder. Its flows are the goals, and end in `finish_<goal>`."""
    stubs: dict[str, Stub] = {f"finish_{goal}": {} for goal in goals}
    return _Conversation(person, FlowTest(folder, stubs=stubs, by_meaning=by_meaning)).play()


class _Conversation:
    def __init__(self, person: Person, test: FlowTest) -> None:
        self._person = person
        self._test = test
        self._tellings: dict[str, int] = {}
        self._skips = 0
        self._sentences: set[str] = {person.opening}
        self._result = PlayResult()

    def play(self) -> PlayResult:
        self._say(self._person.opening)
        while not self._is_over() and self._result.turns < MAX_TURNS:
            if not self._go_on():
                break
        self._judge()
        return self._result

    def _say(self, text: str) -> None:
        answer = self._test.says(text)
        self._result.turns += 1
        self._result.transcript.append((text, " / ".join(answer)))

    def _is_over(self) -> bool:
        return bool(self._test.calls) or "handoff" in self._test.outcome.state

    def _go_on(self) -> bool:
        """Answer the question that is open; False if the person has nothing to say."""
        flow, _separator, slot = (self._test.stack[-1] if self._test.stack else "").partition("?")
        if flow and flow != self._person.goal:
            self._result.wrong_actions.append(f"started {flow}")
            return False
        if slot:
            self._answer(slot)
            return True
        if self._person.goal in self._test.buttons:  # "Which do you mean?"
            self._test.chooses(self._person.goal)
            self._result.turns += 1
            return True
        return self._open_again()

    def _answer(self, slot: str) -> None:
        tellings = self._tellings[slot] = self._tellings.get(slot, 0) + 1
        sentence = self._person.sentences.get(slot)
        if sentence is None or tellings > MAX_TELLINGS:
            self._skips += 1
            self._say(SKIP)
        else:
            self._sentences.add(sentence)
            self._say(sentence)

    def _open_again(self) -> bool:
        """Repeat the opening once if it was not understood. A flow that is gone was cancelled."""
        if self._tellings:
            self._result.wrong_actions.append("cancelled")
            return False
        if self._result.turns >= MAX_TELLINGS:
            return False
        self._say(self._person.opening)
        return True

    def _judge(self) -> None:
        result, person = self._result, self._person
        if "handoff" in self._test.outcome.state:
            result.wrong_actions.append("handed over")
        name, inputs = self._test.calls[0] if self._test.calls else ("", {})
        result.reached = name == f"finish_{person.goal}"
        if name and not result.reached:
            result.wrong_actions.append(f"finished {name.removeprefix('finish_')}")
        stored = (
            {slot: str(value) for slot, value in inputs.items() if value not in (None, "")} if result.reached else {}
        )
        result.values = len(person.values)
        for slot, value in stored.items():
            if folded(value) in {folded(known) for known in person.values.get(slot, ())}:
                result.right_values += 1
            else:
                result.wrong_actions.append(f"stored {slot}")
        result.needed_turns = len(self._sentences) + self._skips


def folded(text: str) -> str:
    """Return a value as it is compared: without case, accents, spaces and marks."""
    plain = unicodedata.normalize("NFD", text.lower())
    return re.sub(r"[\W_]+", "", "".join(letter for letter in plain if not unicodedata.combining(letter)))
