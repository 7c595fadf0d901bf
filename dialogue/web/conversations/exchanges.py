"""A transcript turn by turn, so that each turn's lines stand beside its explanation."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dialogue.models import Message, Turn


@dataclass(frozen=True)
class Exchange:
    """What was said in one turn; `turn` is None for lines of no turn, such as one that waits for its turn."""

    turn: Turn | None
    lines: list[Message]


def exchanges_of(lines: Iterable[Message], turns: Sequence[Turn]) -> list[Exchange]:
    """Group lines by their turns, both in their order. A turn in which nothing was said stands between its neighbours.

    Turns before the first line's are left out: their lines are on an older page.
    """
    by_event = {turn.event.message_id: turn for turn in turns if turn.event.message_id}
    by_key = {turn.pk: turn for turn in turns}
    remaining = list(turns)
    exchanges: list[Exchange] = []
    for line in lines:
        turn = by_key.get(line.turn_id or 0) or by_event.get(line.pk)
        if exchanges and exchanges[-1].turn is turn and turn is not None:
            exchanges[-1].lines.append(line)
            continue
        if turn is not None:
            silent = [other for other in remaining if other.number < turn.number]
            remaining = [other for other in remaining if other.number > turn.number]
            exchanges += [Exchange(other, []) for other in silent if any(entry.turn for entry in exchanges)]
        exchanges.append(Exchange(turn, [line]))
    return [*exchanges, *(Exchange(other, []) for other in remaining)]
