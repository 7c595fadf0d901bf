"""Releases as the engine runs them: parsed and compiled once, found again by the hash of their texts."""

from functools import lru_cache
from importlib import import_module
from threading import Lock
from typing import NamedTuple

from django.conf import settings

from dialogue.engine.graph import Dialogue, compile_dialogue
from dialogue.engine.language import Assistant, load_assistant
from dialogue.engine.understanding import NLU
from dialogue.models import Release


class Compiled(NamedTuple):
    """A release ready to run. `nlu` is the understanding that was built from the same texts."""

    assistant: Assistant
    dialogue: Dialogue
    nlu: NLU


MOST_KEPT = 64

_kept: dict[str, Compiled] = {}
_compiling = Lock()


def compiled(release: Release) -> Compiled:
    """Parse and compile `release`, or give what was compiled before. Reads the database the first time only."""
    found = _kept.get(release.sha256)
    if found is None:
        with _compiling:
            found = _kept.get(release.sha256) or _compile(release)
    return found


def assistant_of(release: Release) -> Assistant:
    """The release's flows and contracts, parsed."""
    return compiled(release).assistant


def dialogue_of(release: Release) -> Dialogue:
    """The release's graph."""
    return compiled(release).dialogue


def forget() -> None:
    """Drop everything that was compiled, as a restart of the process does."""
    _kept.clear()


@lru_cache(maxsize=1)
def load_actions() -> None:
    """Import the modules that register actions (`SONI_ACTIONS`); lazily, so that checks stay light."""
    for name in settings.SONI_ACTIONS:
        import_module(name)


def _compile(release: Release) -> Compiled:
    from dialogue.nlu.chain import build_nlu

    load_actions()
    assistant = load_assistant(release.documents())
    made = Compiled(assistant, compile_dialogue(assistant), build_nlu(assistant))
    while len(_kept) >= MOST_KEPT:
        _kept.pop(next(iter(_kept)))
    _kept[release.sha256] = made
    return made
