"""Buttons: what was chosen is read by the awaited task, without any understanding."""

from dialogue.engine.commands import Affirm, Command, Deny, ResumeFlow, SetSlot, StartFlow
from dialogue.engine.prompts import NO, NONE_OF_THESE, YES
from dialogue.engine.tasks import CollectTask, ConfirmTask, InformTask, OfferTask, PendingTask


def commands_of_choice(task: PendingTask | None, chosen: str) -> tuple[Command, ...]:
    """The commands that a button's value or label stands for; () when it is none of the awaited task's."""
    value = _value_of(task, chosen)
    if value is None:
        return ()
    match task:
        case CollectTask():
            return (SetSlot(task.slot, value, chosen),)
        case ConfirmTask():
            return (Affirm() if value == YES else Deny(),)
        case InformTask():
            return (Affirm(),)
        case OfferTask():
            return (_of_offer(task, value),)
        case _:
            return ()


def _value_of(task: PendingTask | None, chosen: str) -> str | None:
    folded = chosen.strip().casefold()
    choices = getattr(task, "choices", ())
    found = (each.value for each in choices if folded in (each.value.casefold(), each.label.casefold()))
    return next(found, None)


def _of_offer(task: OfferTask, value: str) -> Command:
    if value in (NO, NONE_OF_THESE):
        return Deny()
    if value == YES:
        return Affirm()
    return ResumeFlow(value) if task.offer == "resume" else StartFlow(value)
