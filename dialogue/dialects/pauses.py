"""What agents of all frameworks ask for, and what people decide, as frozen data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any


class Meaning(Enum):
    """What an answer asks for, in all protocols and dialects."""

    AGREE = auto()
    EDIT = auto()
    REFUSE = auto()
    RESPOND = auto()
    CHOOSE = auto()
    LEAVE = auto()


WITHOUT_CONSENT = frozenset({Meaning.REFUSE, Meaning.LEAVE})
"""The meanings that a deadline may have: nothing happens that a person did not agree to."""

APPROVING_WORDS = frozenset((
    "approve", "approved", "accept", "accepted", "agree", "agreed", "allow", "allowed", "authorise", "authorize",
    "confirm", "confirmed", "grant", "ok", "proceed", "release", "yes",
))  # fmt: skip
REFUSING_WORDS = frozenset((
    "abort", "cancel", "cancelled", "decline", "declined", "deny", "denied", "no", "refuse", "refused", "reject",
    "rejected", "stop",
))  # fmt: skip
LEAVING_WORDS = frozenset(("ignore", "leave", "skip"))


class AskRefused(ValueError):
    """The question is not in the dialect's shape, or is over a limit. `path` says where: `action_requests.0.name`."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}" if path else problem)
        self.path = path
        self.problem = problem


@dataclass(frozen=True)
class Proposal:
    """The call that an agent wants to make."""

    name: str
    args: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class OfferedAnswer:
    """One answer that people may give. `word` is what the dialect calls it; `needs_text`: it carries what they write.

    `label` is empty for the usual answers (`approve`, `edit`, `reject`, `respond`, `answer`, `decline`, `cancel`,
    `ignore`), which have their words in every language of the console. `style` is how the agent wants the button to
    look; it says nothing about the meaning.
    """

    id: str
    meaning: Meaning
    word: str = ""
    label: str = ""
    needs_text: bool = False
    style: str = ""

    @property
    def consents(self) -> bool:
        """Whether the agent may go on as it proposed, with changes or without."""
        return self.meaning in (Meaning.AGREE, Meaning.EDIT)


@dataclass(frozen=True)
class Pause:
    """One question of an agent.

    `id` is the dialect's own id of the interrupt or the call, "" where it has none. `question` is markdown, shown as
    text. `form` is a JSON Schema of type object: the values of an answer, or the arguments as people may change them.
    `single`: the form wraps a value that is no object, under this name. `deadline` is the agent's own (ISO 8601).
    """

    id: str
    question: str
    answers: tuple[OfferedAnswer, ...]
    proposal: Proposal | None = None
    form: Mapping[str, Any] = field(default_factory=dict)
    single: str = ""
    deadline: str = ""
    link: str = ""

    def plain(self) -> dict[str, Any]:
        """Return the pause as JSON data, from which `from_plain` makes it again."""
        answers = [{**vars(answer), "meaning": answer.meaning.name} for answer in self.answers]
        proposal = {"name": self.proposal.name, "args": dict(self.proposal.args)} if self.proposal else None
        return {**vars(self), "form": dict(self.form), "answers": answers, "proposal": proposal}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> "Pause":
        """Return the pause of `plain`; keys that it does not know are left out."""
        answers = [OfferedAnswer(**{**answer, "meaning": Meaning[answer["meaning"]]}) for answer in plain["answers"]]
        proposal = Proposal(**plain["proposal"]) if plain["proposal"] else None
        parts = {name: plain[name] for name in ("id", "question", "form", "single", "deadline", "link")}
        return cls(answers=tuple(answers), proposal=proposal, **parts)

    def answer(self, answer_id: str) -> OfferedAnswer | None:
        """Return the answer with this id, if it is offered."""
        return next((offered for offered in self.answers if offered.id == answer_id), None)

    def answer_meaning(self, *meanings: Meaning) -> OfferedAnswer | None:
        """Return the first offered answer that has one of these meanings."""
        return next((offered for offered in self.answers if offered.meaning in meanings), None)


@dataclass(frozen=True)
class Decision:
    """What came of one pause. `answer` is None if it ended without one; `values` are JSON, by the form's names.

    `stays_open`: it ended without an answer, and the agent has asked not to get a refusal in its place.
    """

    answer: OfferedAnswer | None
    values: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    by: str = ""
    id: str = ""
    stays_open: bool = False
