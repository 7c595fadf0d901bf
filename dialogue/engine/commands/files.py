"""Files that the user sent: they fill the slot that they are for, without the NLU."""

from typing import Any

from dialogue.engine.language.file_slots import expected_file_slot
from dialogue.engine.ports.commands import Command, SetSlot
from dialogue.engine.stack.turn import Turn


def file_commands(turn: Turn, files: list[dict[str, Any]]) -> tuple[Command, ...]:
    """Return the command that stores the files, each `{id, name, kind, size, digest}`; () when none was expected."""
    frame = turn.top
    if frame is None or not files:
        return ()
    slot = expected_file_slot(turn.assistant, turn.flow_of(frame), frame["step"])
    if slot is None:
        return ()
    words = ", ".join(str(file["name"]) for file in files)
    # Several files for a slot that takes one are refused with a sentence when the slot is filled.
    value = files if slot.type == "list" or len(files) > 1 else files[0]
    return (SetSlot(slot.name, value, words),)


def say_unexpected(turn: Turn) -> None:
    """Say that nothing asks for a file, and ask again for what is awaited."""
    turn.heard = True
    turn.say("file_not_expected")
