"""Messages in four assistants and two languages, each with what it means where it is said (see messages/*.yaml)."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from dialogue.engine.ports.commands import CannotHandle, Clarify, Command, from_plain
from dialogue.engine.understanding import Understanding
from tests.support.nlu.meanings import same
from tests.support.nlu.situations import assistant_named, nlu_of, situation

MESSAGES = Path(__file__).parent / "messages"


def rows(*, missed: bool) -> Iterator[Any]:
    """The messages; those marked `miss` share too few words with any example to be understood."""
    for name, row in _all_rows():
        if bool(row.get("miss")) is missed:
            yield pytest.param(name, row, id=f"{name} {' '.join(row.get('at', []))}: {row['say']}")


@cache
def _all_rows() -> list[tuple[str, Any]]:
    files = sorted(MESSAGES.rglob("*.yaml"))
    return [(file.stem, row) for file in files for row in YAML(typ="safe").load(file)]


@pytest.mark.parametrize(("name", "row"), list(rows(missed=False)))
async def test_a_message_means_what_its_author_says(name: str, row: Mapping[str, Any]) -> None:
    understanding = await understood(name, row)

    assert any(same(understanding.commands, wanted) for wanted in wanted_commands(row["means"])), understanding


@pytest.mark.parametrize(("name", "row"), list(rows(missed=True)))
async def test_what_is_not_understood_is_asked_about_and_never_guessed(name: str, row: Mapping[str, Any]) -> None:
    understanding = await understood(name, row)

    assert understanding.commands
    assert all(isinstance(each, CannotHandle | Clarify) for each in understanding.commands), understanding


async def understood(name: str, row: Mapping[str, Any]) -> Understanding:
    context = situation(
        assistant_named(name),
        *row.get("at", ()),
        filled=row.get("filled"),
        offer=row.get("offer", ()),
        offered=row.get("offered", "clarify"),
    )
    return await nlu_of(name).understand(row["say"], context)


def wanted_commands(means: Sequence[Any]) -> Iterator[list[Command]]:
    """Every list of commands that would do: each alternative, with and without what is optional."""
    lists: list[list[Command]] = [[]]
    for each in means:
        lists = [[*before, *more] for before in lists for more in _choices(each)]
    return iter(lists)


def _choices(each: Any) -> list[tuple[Command, ...]]:
    if not isinstance(each, Mapping):
        return [from_plain(each)]
    if "one_of" in each:
        return [from_plain(alternative) for alternative in each["one_of"]]
    return [from_plain(each), ()] if each.get("optional") else [from_plain(each)]
