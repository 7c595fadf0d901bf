"""Notice that the files of a project's actions have changed since they were loaded; in development load them again.

Looked at are the modules of the setting `ACTIONS`, and the modules of the same packages that they import. One that
defines database models is not loaded again: Django allows a model only once.
"""

import ast
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import reload
from pathlib import Path
from threading import Lock
from time import monotonic
from types import ModuleType

from django.conf import settings
from django.db.models import Model

from dialogue.conf import soni

log = logging.getLogger(__name__)

SECONDS_BETWEEN_LOOKS = 1.0


@dataclass
class _LoadedCode:
    """`stamps` are modification time in nanoseconds and size of each module's file when the module was loaded.

    `reported` are the modules that the log has named, `unloadable` those whose changed file raised when it was loaded;
    `next_look` is the monotonic time of the next look at the files.
    """

    stamps: dict[str, tuple[int, int]] = field(default_factory=dict)
    reported: set[str] = field(default_factory=set)
    unloadable: set[str] = field(default_factory=set)
    next_look: float = 0.0
    lock: Lock = field(default_factory=Lock)


_code = _LoadedCode()


def remember_code() -> None:
    """Note the files of the modules as they are now. Called when the modules have just been loaded."""
    _code.stamps = {name: stamp for name in _watched_modules() if (stamp := _stamp_of(name))}
    _code.reported.clear()
    _code.unloadable.clear()


def reloads_code() -> bool:
    """Return whether changed modules are loaded again: with `RELOAD_ACTIONS`, `DEBUG` or in development."""
    return soni.RELOAD_ACTIONS or settings.DEBUG or getattr(settings, "DEVELOPMENT", False)


def outdated_modules() -> list[str]:
    """Return the modules whose files have changed since they were loaded, sorted."""
    return sorted(name for name, stamp in list(_code.stamps.items()) if _stamp_of(name) not in (None, stamp))


def unloadable_modules() -> list[str]:
    """Return the modules whose changed file could not be loaded, so that their old functions stay, sorted."""
    return sorted(_code.unloadable)


def notice_code_changes() -> None:
    """Load changed modules again, or else say once in the log that this process runs older code. Never raises.

    Called before each turn and each check of flows; the files are looked at once a second at most.
    """
    if monotonic() < _code.next_look or not _code.lock.acquire(blocking=False):
        return
    try:
        _code.next_look = monotonic() + SECONDS_BETWEEN_LOOKS
        changed = outdated_modules()
        if changed and reloads_code():
            _reload_changed(changed)
        _report_outdated([name for name in outdated_modules() if name not in _code.reported])
    finally:
        _code.lock.release()


def _report_outdated(names: Sequence[str]) -> None:
    if names:
        _code.reported.update(names)
        log.warning("This process runs older code than the files of %s. Restart it.", ", ".join(names))


def _reload_changed(changed: Sequence[str]) -> None:
    """Load the changed modules and those that import them again, dependencies first.

    What cannot be loaded leaves the registered functions as they are, until its file changes once more.
    """
    watched = list(_watched_modules())
    first = min((watched.index(name) for name in changed if name in watched), default=len(watched))
    for name in watched[first:]:
        module = sys.modules[name]
        if _has_models(module):
            continue
        if stamp := _stamp_of(name):
            _code.stamps[name] = stamp
        try:
            reload(module)
        except Exception:  # a project's module may raise anything while it is loaded
            _code.unloadable.add(name)
            log.exception("%s has changed and cannot be loaded. Its old functions stay.", name)
            return
        _code.unloadable.discard(name)
        if name in changed:
            log.info("%s has changed and was loaded again", name)


def _has_models(module: ModuleType) -> bool:
    classes = (value for value in vars(module).values() if isinstance(value, type))
    return any(issubclass(model, Model) and model.__module__ == module.__name__ for model in classes)


def _watched_modules() -> Iterator[str]:
    """Yield the loaded modules of the actions, each after those that it imports from its own package."""
    visited: set[str] = set()
    for name in soni.ACTIONS:
        yield from _with_imports(name, name.rpartition(".")[0], visited)


def _with_imports(name: str, package: str, visited: set[str]) -> Iterator[str]:
    module = sys.modules.get(name)
    if module is None or name in visited:
        return
    visited.add(name)
    for imported in _imported_names(module) if package else ():
        if imported.startswith(f"{package}."):
            yield from _with_imports(imported, package, visited)
    yield name


def _imported_names(module: ModuleType) -> Iterator[str]:
    """Yield the full names that the import statements of a module's file may mean, modules and what is in them."""
    try:
        tree = ast.parse(Path(module.__file__ or "").read_bytes())
    except (OSError, SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            parents = module.__name__.split(".")[: -node.level] if node.level else []
            source = ".".join([*parents, *filter(None, [node.module])])
            yield source
            yield from (f"{source}.{alias.name}" for alias in node.names)


def _stamp_of(name: str) -> tuple[int, int] | None:
    """Return the stamp of a module's file; None if it has none that can be read."""
    try:
        status = os.stat(getattr(sys.modules.get(name), "__file__", None) or "")
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
