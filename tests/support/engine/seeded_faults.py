"""The parcel office with one fault at a time: where it is put, and which finding it has to give on which line."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from dialogue.engine.language.compiler import Problem, check_documents

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Fault:
    """One entry of seeded_faults.yaml, which explains the fields."""

    kind: str
    name: str
    finds: str
    document: str = ""
    old: str = ""
    new: str = ""
    at: str = ""
    found_in: str = ""
    more: tuple[str, ...] = ()

    def documents(self) -> Mapping[str, str]:
        """The parcel office with the fault in it."""
        texts = documents_in(HERE / "parcels")
        for flow in self.more:
            texts[f"{flow.split(maxsplit=2)[1]}.yaml"] = flow
        if self.document:
            good = texts[f"{self.document}.yaml"]
            assert good.count(self.old) == 1, f"{self.name}: {self.old!r} is not there exactly once"
            texts[f"{self.document}.yaml"] = good.replace(self.old, self.new)
        return texts

    @property
    def file(self) -> str:
        """Where the finding belongs."""
        return f"{self.found_in or self.document}.yaml"

    @property
    def line(self) -> int:
        """On which line it belongs, counted from 1."""
        text, sought = self.documents()[self.file], self.at or self.new.strip()
        assert text.count(sought) == 1, f"{self.name}: {sought!r} is not there exactly once"
        return text[: text.index(sought)].count("\n") + 1

    @cached_property
    def findings(self) -> list[Problem]:
        """What the checks say about it."""
        return check_documents(self.documents())

    def is_told(self) -> bool:
        """Whether the right finding stands at the right place."""
        place = (self.file, self.line, self.finds)
        return any((each.file, each.line, each.rule) == place for each in self.findings)


def documents_in(folder: Path) -> dict[str, str]:
    """A folder's documents by file name."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.yaml"))}


def seeded_faults() -> Iterator[Fault]:
    """Every fault of the table."""
    table: dict[str, list[dict[str, Any]]] = YAML(typ="safe").load(HERE / "seeded_faults.yaml")
    for kind, entries in table.items():
        for entry in entries:
            names = {"fault": "name", "in": "document", "finds_in": "found_in"}
            given = {names.get(key, key): value for key, value in entry.items()}
            yield Fault(kind, **given | {"more": tuple(entry.get("more", ()))})
