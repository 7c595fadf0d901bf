"""Messages that need no language understanding: empty or too long ones, console commands, and pressed buttons."""

import re

from dialogue.engine.language.steps import NO, YES
from dialogue.engine.ports.commands import Affirm, CannotHandle, Choose, Command, Deny, ResumeFlow, SetSlot, StartFlow
from dialogue.engine.ports.tasks import (
    CollectTask,
    ConfirmTask,
    HandoffTask,
    HumanTask,
    InformTask,
    OfferTask,
    PendingTask,
    WaitTask,
)
from dialogue.nlu.readers.proposal import Proposal
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.tokens import fold

MAX_MESSAGE_CHARACTERS = 4_000
# A console command such as "@g12 approve" that was typed into a chat is not an answer to the bot.
GATE_LINE = re.compile(r"@g[0-9]")


class ButtonComponent:
    """First component of every pipeline. It decides without any model."""

    name = "structured"

    async def propose(self, utterance: Utterance) -> Proposal | None:
        command = unreadable_message(utterance) or _pressed_button(utterance)
        return Proposal((command,)) if command else None


def unreadable_message(utterance: Utterance) -> Command | None:
    """CannotHandle for a message that no component can read, or None."""
    if not utterance.text:
        return CannotHandle("empty message")
    if len(utterance.text) > MAX_MESSAGE_CHARACTERS:
        return CannotHandle("message too long")
    if GATE_LINE.match(utterance.text):
        return CannotHandle("a line for a gate")
    return None


def _pressed_button(utterance: Utterance) -> Command | None:
    """The command of the button whose value or label equals the message, ignoring case."""
    task = utterance.context.awaited
    choices = () if task is None or isinstance(task, HumanTask | HandoffTask | WaitTask) else task.choices
    for position, choice in enumerate(choices):
        if fold(utterance.text) in (fold(choice.value), fold(choice.label)):
            return button_command(utterance, task, choice.value, position)
    return None


def button_command(utterance: Utterance, task: PendingTask | None, value: str, position: int) -> Command | None:
    """The command of the button at `position` of what the bot asked; `value` is the button's."""
    match task:
        case CollectTask():
            return SetSlot(task.slot, value, utterance.text)
        case ConfirmTask():
            # A confirmation shows yes and no first; what follows are further answers of the author's.
            return (Affirm(), Deny())[position] if position < len((YES, NO)) else Choose(value)
        case InformTask():
            return Affirm()
        case OfferTask():
            return offer_command(utterance, task, value, position)
        case HumanTask() | HandoffTask() | WaitTask() | None:
            return None


def offer_command(utterance: Utterance, task: OfferTask, value: str, position: int) -> Command | None:
    """The command of an offer's button: a flow's name picks that flow; of the others, only the first may mean yes."""
    if value in utterance.assistant_index.flows:
        return ResumeFlow(value) if task.offer == "resume" else StartFlow(value)
    if task.offer == "change":
        return None  # the readers of corrections understand what shall change
    return Affirm() if task.offer in ("restart", "correction") and not position else Deny()
