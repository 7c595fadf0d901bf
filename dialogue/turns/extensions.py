"""A project's extensions: modules of actions and validators, tables of commands, and ports by dotted name.

They are loaded once, when Django is ready, so that every command, page and worker knows the same names.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from typing import Any

from django.utils.module_loading import import_string

from dialogue.conf import SETTINGS, soni
from dialogue.engine.ports import commands
from dialogue.turns.process.code_changes import remember_code

PORTS = ("KNOWLEDGE", "HELP", "NLU")
"""Settings that may hold the dotted name of a class or function; it is called with the assistant."""


class NotAFactory(TypeError):
    """A dotted name leads to an object that cannot be called."""


@lru_cache(maxsize=1)
def load_extensions() -> None:
    """Import the modules of `ACTIONS` and register the tables of `COMMANDS`.

    Raises ImportError, HandlerRefused, and what the modules raise.
    """
    for name in soni.ACTIONS:
        import_module(name)
    remember_code()
    for name in soni.COMMANDS:
        _register_table(name)


def factory_named(name: str) -> Callable[[Any], Any]:
    """Return the class or function of this dotted name. Raises ImportError, NotAFactory."""
    factory = import_string(name)
    if not callable(factory):
        raise NotAFactory(f"{name} is {type(factory).__name__}; write a class or function that takes the assistant")
    return factory  # type: ignore[no-any-return]


def unusable_settings() -> Iterator[tuple[str, str]]:
    """Yield (setting, problem) for each name in the settings that this process cannot use."""
    loaders: Mapping[str, Callable[[str], Any]] = {"ACTIONS": import_module, "COMMANDS": _register_table}
    for setting, load in loaders.items():
        for name in getattr(soni, setting):
            yield from _load_problem(setting, name, load)
    for setting in PORTS:
        name = getattr(soni, setting)
        if "." in name:
            yield from _load_problem(setting, name, factory_named)


def _register_table(name: str) -> None:
    table = import_string(name)
    if not isinstance(table, Mapping):
        raise commands.HandlerRefused(f"{name} is {type(table).__name__}; write a dict of command class and handler")
    commands.register(table)


def _load_problem(setting: str, name: str, load: Callable[[str], Any]) -> Iterator[tuple[str, str]]:
    try:
        load(name)
    except Exception as error:  # a project's module may raise anything while it is imported
        variable = SETTINGS[setting].variables[0]
        yield setting, f"{variable} names {name}, which cannot be used: {type(error).__name__}: {error}"
