"""The table of command handlers: extend it for a new built-in command.

A project's own commands come from the table that `SONI_COMMANDS` names; see `dialogue.engine.ports.commands.register`.
"""

from inspect import isawaitable
from typing import Any

from dialogue.engine.commands.digressions import cannot_handle, chitchat, digress, repeat
from dialogue.engine.commands.flows import cancel_flow, clarify, hand_off, restart, resume_flow, start_flow
from dialogue.engine.commands.lists import add_values, remove_values
from dialogue.engine.commands.loop_items import skip_item
from dialogue.engine.commands.slots import affirm, choose, clear_slot, deny, narrow, offer_change, set_slot, skip_slot
from dialogue.engine.ports.commands import (
    AddValues,
    Affirm,
    CancelFlow,
    CannotHandle,
    Chitchat,
    Choose,
    Clarify,
    ClearSlot,
    Command,
    CorrectSlot,
    Deny,
    Digress,
    Handler,
    HandOff,
    Narrow,
    OfferChange,
    RemoveValues,
    Repeat,
    Restart,
    ResumeFlow,
    SetSlot,
    SkipItem,
    SkipSlot,
    StartFlow,
    project_handler,
)
from dialogue.engine.stack.turn import Turn

HANDLERS: dict[type[Any], Handler] = {
    StartFlow: start_flow,
    SetSlot: set_slot,
    CorrectSlot: set_slot,
    OfferChange: offer_change,
    Narrow: narrow,
    AddValues: add_values,
    RemoveValues: remove_values,
    ClearSlot: clear_slot,
    SkipSlot: skip_slot,
    SkipItem: skip_item,
    Affirm: affirm,
    Deny: deny,
    Choose: choose,
    CancelFlow: cancel_flow,
    ResumeFlow: resume_flow,
    Clarify: clarify,
    Digress: digress,
    Chitchat: chitchat,
    Repeat: repeat,
    Restart: restart,
    HandOff: hand_off,
    CannotHandle: cannot_handle,
}


async def apply_command(turn: Turn, command: Command) -> None:
    """Run the command's handler, and await it if it is async. Raises CommandRefused when there is no handler."""
    handler = HANDLERS.get(type(command)) or project_handler(command)
    result = handler(turn, command)
    if isawaitable(result):
        await result
