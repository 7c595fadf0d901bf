"""Buttons: what was chosen is read by the awaited task, without any understanding."""

from dialogue.engine.language.steps import NO, YES
from dialogue.engine.ports.commands import Affirm, Choose, Command, Deny, Repeat, ResumeFlow, SetSlot, StartFlow
from dialogue.engine.ports.tasks import CollectTask, ConfirmTask, InformTask, OfferTask, PendingTask
from dialogue.engine.stack.pending import NONE_OF_THESE, YES_NO_OFFERS, awaited_task
from dialogue.engine.stack.turn import Turn


def button_commands(turn: Turn, chosen: str) -> tuple[Command, ...]:
    """The commands that a button's value or label stands for: of the awaited task, or a flow to start; else ()."""
    task = awaited_task(turn)
    value = _choice_value(task, chosen)
    if value is None and chosen.partition(":")[0] in YES_NO_OFFERS:
        return (Repeat(),)  # the question of this button is gone; what is asked now is said again
    if value is None:
        flow = turn.assistant.flows.get(chosen)
        return (StartFlow(chosen),) if flow is not None and flow.start else ()
    match task:
        case CollectTask():
            return (SetSlot(task.slot, value, chosen),)
        case ConfirmTask():
            return (_confirm_answer(value),)
        case InformTask():
            return (Affirm(),)
        case OfferTask():
            return (_offer_answer(task, value),)
        case _:
            return ()


def button_text(turn: Turn, value: str) -> str:
    """What a button that answers nothing awaited says, in the words that the user read on it."""
    labels = (
        str(button["label"])
        for message in turn.memory["said"]
        for button in message["buttons"]
        if button["value"] == value
    )
    return next(labels, value)


def _choice_value(task: PendingTask | None, chosen: str) -> str | None:
    chosen_text = chosen.strip().casefold()
    choices = getattr(task, "choices", ())
    values = (choice.value for choice in choices if chosen_text in (choice.value.casefold(), choice.label.casefold()))
    return next(values, None)


def _confirm_answer(value: str) -> Command:
    if value in (YES, NO):
        return Affirm() if value == YES else Deny()
    return Choose(value)


def _offer_answer(task: OfferTask, value: str) -> Command:
    if task.offer in YES_NO_OFFERS:
        return Affirm() if value.endswith(f":{YES}") else Deny()
    if value == NONE_OF_THESE:
        return Deny()
    return ResumeFlow(value) if task.offer == "resume" else StartFlow(value)
