"""Releases as the engine runs them: parsed and compiled once, found again by the hash of their texts.

Parsing needs no LangGraph; the graph is imported with the first turn, so that checks and pages stay light.
"""

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from dialogue.conf import soni
from dialogue.engine.actions import registry
from dialogue.engine.knowledge import HelpGenerator, KnowledgeBase
from dialogue.engine.language.compiler import Assistant, load_assistant
from dialogue.engine.understanding import NLU
from dialogue.models import Release
from dialogue.turns.extensions import factory_named, load_extensions
from dialogue.turns.nlu.outside_ports import OutsideHelp, OutsideKnowledge
from dialogue.turns.nlu.understanding import understanding_of

if TYPE_CHECKING:
    from dialogue.engine.graph import Dialogue

Made = TypeVar("Made")

MOST_KEPT = 64


class Compiled(NamedTuple):
    """A release ready to run. `nlu` is the understanding that was built from the same texts.

    `knowledge` and `helper` are what the settings name; None: the assistant's own documents answer.
    """

    assistant: Assistant
    dialogue: "Dialogue"
    nlu: NLU
    knowledge: KnowledgeBase | None = None
    helper: HelpGenerator | None = None


class Kept(Generic[Made]):
    """What was made from releases, the newest `MOST_KEPT`; each is made once, however many threads ask for it."""

    def __init__(self, make: Callable[[Release], Made]) -> None:
        self._make = make
        self._kept: dict[str, Made] = {}
        self._making = Lock()

    def of(self, release: Release) -> Made:
        found = self._kept.get(release.sha256)
        if found is None:
            with self._making:
                found = self._kept.get(release.sha256) or self._new(release)
        return found

    def forget(self) -> None:
        self._kept.clear()

    def _new(self, release: Release) -> Made:
        made = self._make(release)
        while len(self._kept) >= MOST_KEPT:
            self._kept.pop(next(iter(self._kept)))
        self._kept[release.sha256] = made
        return made


def compiled(release: Release) -> Compiled:
    """Parse and compile `release`, or give what was compiled before. Reads the database the first time only."""
    return _compiled.of(release)


def assistant_of(release: Release) -> Assistant:
    """The release's flows and contracts, parsed."""
    return _parsed.of(release)


def forget() -> None:
    """Drop everything that was compiled, as a restart of the process does."""
    _parsed.forget()
    _compiled.forget()


def registered_actions() -> frozenset[str]:
    """The names of this installation's Python actions."""
    load_extensions()
    return registry.names()


def _compile(release: Release) -> Compiled:
    from dialogue.engine.graph import compile_dialogue

    load_extensions()
    assistant = assistant_of(release)
    return Compiled(
        assistant,
        compile_dialogue(assistant),
        understanding_of(assistant, release),
        knowledge=_port(soni.KNOWLEDGE, assistant, OutsideKnowledge),
        helper=_port(soni.HELP, assistant, OutsideHelp),
    )


def _port(name: str, assistant: Assistant, outside: Callable[[Any], Made]) -> Made | None:
    """What the class or function of this dotted name makes for the assistant. Raises ImportError."""
    return outside(factory_named(name)(assistant)) if name else None


_parsed = Kept(lambda release: load_assistant(release.documents()))
_compiled = Kept(_compile)
