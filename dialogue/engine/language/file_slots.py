"""Which slot a file that a customer sends is for."""

from dialogue.engine.language.documents import Assistant, Flow
from dialogue.engine.language.steps import Collect
from dialogue.engine.slots.file_values import file_slot_of
from dialogue.engine.slots.models import Slot


def expected_file_slot(assistant: Assistant, flow: Flow, step: str) -> Slot | None:
    """Return the slot that a file is for while the flow is at this step, or None.

    It is the slot that the step asks for. At another step it is the only slot of the flow that takes files: the file
    is sent ahead, or in place of an earlier one.
    """
    current = flow.step(step) if flow.has_step(step) else None
    if isinstance(current, Collect):
        asked = flow.slots.get(current.slot) or assistant.slots.get(current.slot)
        if asked is not None and file_slot_of(asked) is not None:
            return asked
    file_slots = [slot for slot in flow.slots.values() if file_slot_of(slot) is not None]
    return file_slots[0] if len(file_slots) == 1 else None


def all_file_slots(assistant: Assistant) -> tuple[Slot, ...]:
    """Return every slot that takes files from customers, of all flows."""
    declared = [assistant.slots, *(flow.slots for flow in assistant.flows.values())]
    return tuple(slot for slots in declared for slot in slots.values() if file_slot_of(slot) is not None)
