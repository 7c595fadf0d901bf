"""A flow whose loop opens a gate for each entry, with a wait before and after it; and the same as a plain model."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

DELIVERIES = {
    "assistant.yaml": """version: 1
assistant: deliveries
events:
  arrived: {payload: {}}
""",
    "deliver.yaml": """flow: deliver
description: Delivers parts, each after somebody approved it.
examples: [deliver something]
slots:
  parts: {type: list, items: {type: text}, prompt: Which parts?}
  count: {type: integer, minimum: 1, maximum: 9, prompt: How many?}
  counts: {type: list, items: {type: integer}, required: false}
steps:
  - {step: ask, type: collect, slot: parts}
  - step: each
    type: for_each
    item: part
    in: parts
    per_item: [count]
    gather: {counts: count}
    do:
      - {step: how_many, type: collect, slot: count}
      - {step: pause, type: wait, for: 5m}
      - step: approval
        type: human
        title: Deliver a part
        show: [part, count]
        actions: [{id: approve, style: primary}, {id: refuse}]
        timeout: 30m
        on_timeout: refuse
        next: {approve: transit, refuse: continue}
      - {step: transit, type: wait, event: arrived, timeout: 1h, on_timeout: continue}
  - {step: sure, type: confirm, message: "{counts}?", on_deny: end}
  - {step: done, type: say, message: "Delivered {counts}."}
""",
}
NAMES = ("box", "label", "lamp", "mug")
WAITS = {"pause": timedelta(minutes=5), "transit": timedelta(hours=1)}
DEADLINE = timedelta(minutes=30)
LOOP_CELLS = tuple(
    f"loop: {operation} / {place}"
    for operation, places in {
        "correct": (
            "this one at pause", "this one at approval", "this one at transit", "an earlier one at over",
            "a later one at how_many",
        ),
        "skip": ("how_many", "pause", "approval", "transit"),
        "more parts": ("how_many", "pause", "approval", "transit", "sure"),
        "fewer parts": ("this one", "an earlier one", "a later one"),
        "gate": ("approve", "refuse", "expire by hand", "cancel", "expired"),
        "wait": ("pause is over", "it arrived", "it did not arrive"),
    }.items()
    for place in places
)  # fmt: skip
"""What the campaign must have visited."""


@dataclass
class Part:
    """One entry of the loop, and how far its round has come. `paused`, `arrived`: the wait before the gate, after it,
    was over once, and stays over when the round is repeated."""

    name: str
    count: int = 0
    place: str = "how_many"
    """how_many, pause, approval, transit or over."""
    paused: bool = False
    arrived: bool = False
    gathered: bool = False


@dataclass
class Delivery:
    """The flow as a plain model. `due` is when the wait of the open round ends."""

    parts: list[Part] = field(default_factory=list)
    is_running: bool = False
    due: datetime | None = None

    @property
    def open_part(self) -> Part | None:
        """The part whose round is open: the first that is not over."""
        return next((part for part in self.parts if part.place != "over"), None)

    @property
    def place(self) -> str:
        """The step at which the flow waits; "" when it does not run."""
        part = self.open_part
        return "" if not self.is_running else part.place if part else "sure"

    def enter(self, part: Part | None, now: datetime) -> None:
        """The round of this part was begun, or goes on where it was put aside; its wait begins now."""
        if part is not None and part.place == "how_many" and part.count:
            part.place = "pause"
        self.due = now + WAITS[part.place] if part is not None and part.place in WAITS else None

    def end_round(self, now: datetime, *, gathered: bool = False) -> None:
        """The open round is over, and the next one is entered."""
        part = self.open_part
        assert part is not None
        part.place, part.gathered = "over", gathered
        self.enter(self.open_part, now)

    def correct(self, part: Part, count: int, now: datetime) -> None:
        """Another count voids what was shown with the old one, and opens the round of a part that was over again."""
        if part.count == count:
            return
        opened = self.open_part
        part.count = count
        if part.place in ("approval", "transit", "over"):
            part.place = "approval" if part.paused else "pause"
        if self.open_part is not opened or (part is opened and part.place in ("how_many", "approval")):
            self.enter(self.open_part, now)

    def extend(self, name: str, now: datetime) -> None:
        self.parts.append(Part(name))
        if self.open_part is self.parts[-1]:
            self.enter(self.open_part, now)

    def reduce(self, part: Part, now: datetime) -> None:
        opened = self.open_part
        self.parts.remove(part)
        if opened is part:
            self.enter(self.open_part, now)
