"""Caches of parsed and compiled releases, by the hash of their texts.

Parsing does not need LangGraph. It is imported with the first turn, so that checks and pages start fast.
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
from dialogue.turns.process.code_changes import notice_code_changes

if TYPE_CHECKING:
    from dialogue.engine.graph import Dialogue

Value = TypeVar("Value")

MAX_COMPILED_RELEASES = 64


class CompiledRelease(NamedTuple):
    """A release that is ready to run, with the NLU that was built from the same texts.

    `knowledge` and `helper` are the ports that the settings name; None: the assistant's own documents answer.
    """

    assistant: Assistant
    dialogue: "Dialogue"
    nlu: NLU
    knowledge: KnowledgeBase | None = None
    helper: HelpGenerator | None = None


class ReleaseCache(Generic[Value]):
    """A cache of values built from releases, the newest `MAX_COMPILED_RELEASES`. Each is built once for all threads."""

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

    def peek(self, release: Release) -> Value | None:
        """Return the value if it is in the cache."""
        return self._kept.get(release.sha256)

    def clear(self) -> None:
        self._kept.clear()

    def _build(self, release: Release) -> Value:
        entry = self._make(release)
        while len(self._kept) >= MAX_COMPILED_RELEASES:
            self._kept.pop(next(iter(self._kept)))
        self._kept[release.sha256] = entry
        return entry


def compiled_release(release: Release) -> CompiledRelease:
    """Return `release` compiled, from the cache after the first call, which reads the database.

    Raises FlowProblems, and what importing the project's modules raises.
    """
    return _compiled.get(release)


def release_if_compiled(release: Release) -> CompiledRelease | None:
    """Return `release` compiled if it is in the cache, without the database."""
    return _compiled.peek(release)


def assistant_of(release: Release) -> Assistant:
    """Return the release's flows and contracts, parsed. Raises FlowProblems."""
    return _parsed.get(release)


def forget_releases() -> None:
    """Empty both caches, as a restart of the process does."""
    _parsed.clear()
    _compiled.clear()


def registered_actions() -> frozenset[str]:
    """Return the names of this installation's Python actions, in development those of changed files too.

    Raises what importing them raises.
    """
    load_extensions()
    notice_code_changes()
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
    """Return the port that the factory of this dotted name makes for the assistant. Raises ImportError, NotAFactory."""
    return outside(factory_named(name)(assistant)) if name else None


_parsed = ReleaseCache(lambda release: load_assistant(release.documents()))
_compiled = ReleaseCache(_compile_release)
