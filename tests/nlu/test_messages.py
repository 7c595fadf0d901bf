"""Messages in four assistants and two languages, each with what it means where it is said (see messages/*.yaml)."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from dialogue.engine.commands import Command, from_plain
from tests.nlu.meanings import same
from tests.nlu.situations import assistant_named, nlu_of, situation

MESSAGES = Path(__file__).parent / "messages"


def rows() -> Iterator[Any]:
    for path in sorted(MESSAGES.rglob("*.yaml")):
        for row in YAML(typ="safe").load(path):
            marks = [pytest.mark.xfail(reason="too few words in common with any example")] if row.get("miss") else []
            name = f"{path.stem} {' '.join(row.get('at', []))}: {row['say']}"
            yield pytest.param(path.stem, row, id=name, marks=marks)


@pytest.mark.parametrize(("name", "row"), list(rows()))
async def test_a_message_means_what_its_author_says(name: str, row: Mapping[str, Any]) -> None:
    context = situation(
        assistant_named(name),
        *row.get("at", ()),
        filled=row.get("filled"),
        offer=row.get("offer", ()),
        offered=row.get("offered", "clarify"),
    )

    understanding = await nlu_of(name).understand(row["say"], context)

    assert any(same(understanding.commands, wanted) for wanted in wanted_commands(row["means"])), understanding


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
