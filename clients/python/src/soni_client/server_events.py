"""Server-sent events: a reader that turns lines of text into events."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ServerEvent:
    """One event of a stream: its kind, its data and, where it can be continued from, its id."""

    kind: str
    data: Any
    id: str = ""


class EventReader:
    """Collects the lines of a stream. `last_id` is where a new connection continues, `lines` counts."""

    def __init__(self, last_id: str = "") -> None:
        self.last_id = last_id
        self.lines = 0
        self._forget()

    def events(self, lines: Iterable[str]) -> Iterator[ServerEvent]:
        """Yield the events in the lines."""
        for line in lines:
            if event := self.read(line):
                yield event

    def read(self, line: str) -> ServerEvent | None:
        """Return the event that this line ends; None while it is not complete."""
        self.lines += 1
        if line:
            self._collect(line)
            return None
        event = self._event()
        self._forget()
        return event

    def _collect(self, line: str) -> None:
        name, _colon, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._kind = value
        elif name == "id":
            self._id = value

    def _event(self) -> ServerEvent | None:
        if not self._data:
            return None
        if self._id:
            self.last_id = self._id
        return ServerEvent(self._kind, json.loads("\n".join(self._data)), self._id)

    def _forget(self) -> None:
        self._kind, self._id = "message", ""
        self._data: list[str] = []
