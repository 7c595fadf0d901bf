"""Buttons: what was chosen is read by the awaited task, without any understanding."""

from dialogue.engine.language.steps import NO, YES
from dialogue.engine.ports.commands import Affirm, Choose, Command, Deny, Repeat, ResumeFlow, SetSlot, StartFlow
from dialogue.engine.ports.tasks import CollectTask, ConfirmTask, InformTask, OfferTask, PendingTask
from dialogue.engine.stack.pending import NONE_OF_THESE, YES_NO_OFFERS, awaited_task
from dialogue.engine.stack.turn import Turn


def button_commands(turn: Turn, chosen: str) -> tuple[Command, ...]:
    """The commands that a button's value or label stands for: of the awaited task, or a flow to start; else ()."""
    task = awaited_task(turn)
    value = _value_of(task, chosen)
    if value is None and chosen.partition(":")[0] in YES_NO_OFFERS:
        return (Repeat(),)  # the question of this button is gone; what is asked now is said again
    if value is None:
        flow = turn.assistant.flows.get(chosen)
        return (StartFlow(chosen),) if flow is not None and flow.start else ()
    match task:
        case CollectTask():
            return (SetSlot(task.slot, value, chosen),)
        case ConfirmTask():
            return (_of_confirm(value),)
        case InformTask():
            return (Affirm(),)
        case OfferTask():
            return (_of_offer(task, value),)
        case _:
            return ()


def button_text(turn: Turn, value: str) -> str:
    """What a button that answers nothing awaited says, in the words that the user read on it."""
    buttons = (button for said in turn.memory["said"] for button in said["buttons"])
    return next((str(each["label"]) for each in buttons if each["value"] == value), value)


def _value_of(task: PendingTask | None, chosen: str) -> str | None:
    folded = chosen.strip().casefold()
    choices = getattr(task, "choices", ())
    found = (each.value for each in choices if folded in (each.value.casefold(), each.label.casefold()))
    return next(found, None)


def _of_confirm(value: str) -> Command:
    if value in (YES, NO):
        return Affirm() if value == YES else Deny()
    return Choose(value)


def _of_offer(task: OfferTask, value: str) -> Command:
    if task.offer in YES_NO_OFFERS:
        return Affirm() if value.endswith(f":{YES}") else Deny()
    if value == NONE_OF_THESE:
        return Deny()
    return ResumeFlow(value) if task.offer == "resume" else StartFlow(value)
