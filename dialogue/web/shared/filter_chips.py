"""Filters of a list or of figures as chips, each with its choices as links."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Option:
    """One choice of a chip's menu."""

    label: str
    query_string: str
    is_current: bool


@dataclass(frozen=True)
class Chip:
    """One filter: its title, what is chosen ("" for everything), the way to drop it, and its choices.

    A chip without options is a switch, whose `query_string` turns it. `form` is a template for further fields.
    """

    name: str
    title: str
    chosen: str
    query_string: str
    options: list[Option]
    form: str = ""
