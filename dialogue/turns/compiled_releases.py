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
from dialogue.turns.nlu.understanding import nlu_of

if TYPE_CHECKING:
    from dialogue.engine.graph import Dialogue

Value = TypeVar("Value")

MAX_COMPILED_RELEASES = 64


class CompiledRelease(NamedTuple):
    """A release ready to run. `nlu` is the understanding that was built from the same texts.

    `knowledge` and `helper` are what the settings name; None: the assistant's own documents answer.
    """

    assistant: Assistant
    dialogue: "Dialogue"
    nlu: NLU
    knowledge: KnowledgeBase | None = None
    helper: HelpGenerator | None = None


class ReleaseCache(Generic[Value]):
    """A cache of what is built from releases: the newest `MAX_COMPILED_RELEASES`, each built once for all threads."""

    def __init__(self, make: Callable[[Release], Value]) -> None:
        self._make = make
        self._kept: dict[str, Value] = {}
        self._making = Lock()

    def get(self, release: Release) -> Value:
        entry = self._kept.get(release.sha256)
        if entry is None:
            with self._making:
                entry = self._kept.get(release.sha256) or self._build(release)
        return entry

    def clear(self) -> None:
        self._kept.clear()

    def _build(self, release: Release) -> Value:
        entry = self._make(release)
        while len(self._kept) >= MAX_COMPILED_RELEASES:
            self._kept.pop(next(iter(self._kept)))
        self._kept[release.sha256] = entry
        return entry


def compiled_release(release: Release) -> CompiledRelease:
    """Parse and compile `release`, or give what was compiled before. Reads the database the first time only."""
    return _compiled.get(release)


def assistant_of(release: Release) -> Assistant:
    """The release's flows and contracts, parsed."""
    return _parsed.get(release)


def forget_releases() -> None:
    """Drop everything that was compiled, as a restart of the process does."""
    _parsed.clear()
    _compiled.clear()


def registered_actions() -> frozenset[str]:
    """The names of this installation's Python actions."""
    load_extensions()
    return registry.names()


def _compile_release(release: Release) -> CompiledRelease:
    from dialogue.engine.graph import compile_dialogue

    load_extensions()
    assistant = assistant_of(release)
    return CompiledRelease(
        assistant,
        compile_dialogue(assistant),
        nlu_of(assistant, release),
        knowledge=_outside_port(soni.KNOWLEDGE, assistant, OutsideKnowledge),
        helper=_outside_port(soni.HELP, assistant, OutsideHelp),
    )


def _outside_port(name: str, assistant: Assistant, outside: Callable[[Any], Value]) -> Value | None:
    """What the class or function of this dotted name makes for the assistant. Raises ImportError."""
    return outside(factory_named(name)(assistant)) if name else None


_parsed = ReleaseCache(lambda release: load_assistant(release.documents()))
_compiled = ReleaseCache(_compile_release)
