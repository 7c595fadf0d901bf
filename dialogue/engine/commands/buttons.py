"""Buttons: the awaited task reads the chosen value, without the NLU."""

from dialogue.engine.language.steps import NO, YES
from dialogue.engine.ports.commands import Affirm, Choose, Command, Deny, Repeat, ResumeFlow, SetSlot, StartFlow
from dialogue.engine.ports.tasks import CollectTask, ConfirmTask, InformTask, OfferTask, PendingTask
from dialogue.engine.stack.pending import NONE_OF_THESE, YES_NO_OFFERS, awaited_task
from dialogue.engine.stack.turn import Turn


def button_commands(turn: Turn, chosen: str) -> tuple[Command, ...]:
    """Return the commands that a button's value or label stands for.

    The awaited task is asked first, then the flows that a user can start; () when neither knows the value.
    """
    task = awaited_task(turn)
    value = _choice_value(task, chosen)
    if value is None and chosen.partition(":")[0] in YES_NO_OFFERS:
        # The question of this button was answered or withdrawn. Say again what is asked now.
        return (Repeat(),)
    if value is None:
        flow = turn.catalogue.flows.get(chosen)
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
    """Return the label of a button that answers no open question, or else its value, for the NLU to read."""
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
