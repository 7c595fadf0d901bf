"""What is looked up in every turn and is the same for all: found once for an assistant, however many flows it has."""

from collections.abc import Mapping

from dialogue.engine.language.compiler import Assistant, Flow, Slot
from dialogue.engine.stack.responses import Responses


class Catalogue:
    """An assistant with its `flows` by name, those that a user can start, its `responses`, and its `sensitive` slots:
    every name that is sensitive in any flow, with the slot that makes it so."""

    def __init__(self, assistant: Assistant) -> None:
        self.assistant = assistant
        self.flows: Mapping[str, Flow] = assistant.flows
        self.startable = tuple(each for each in assistant.flows.values() if each.start)
        self.responses = Responses(assistant)
        self.sensitive = _sensitive(assistant)


def _sensitive(assistant: Assistant) -> dict[str, Slot]:
    known = [assistant.slots, *(flow.slots for flow in assistant.flows.values())]
    return {name: slot for slots in known for name, slot in slots.items() if slot.sensitive}
