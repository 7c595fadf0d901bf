"""Fill choices from data: with the options that an answer means, or else ask among them."""

from dataclasses import replace
from typing import Any

from dialogue.engine.slots.values import ValueRefused
from dialogue.engine.stack import choices
from dialogue.engine.stack.choice_answers import ChoiceAnswer, words_of
from dialogue.engine.stack.filling.emptying import empty_slot
from dialogue.engine.stack.filling.steps import is_asked_for
from dialogue.engine.stack.filling.values import (
    Origin,
    all_action_uses,
    fill_parsed,
    forget_value,
    is_value_final,
    say_about_slot,
)
from dialogue.engine.stack.flow_runs.several_runs import one_option_a_run
from dialogue.engine.stack.slot_access import SlotRef, slot_title, stored_slot
from dialogue.engine.stack.state import Frame
from dialogue.engine.stack.turn import Turn


def fill_choice(turn: Turn, ref: SlotRef, value: Any, origin: Origin) -> bool:
    """Store the options from data that the value means, or ask which, or keep the words until the options are known."""
    frame = ref.frame or turn.top
    if frame is None:
        return fill_parsed(turn, ref, value, origin)
    wait = frame.get("wait") if is_asked_for(turn, ref) else None
    choice = choices.open_choice(turn, frame, ref.slot, wait=wait)
    if choice is None and origin.source == "operator":
        return fill_parsed(turn, ref, value, origin)
    answer = choice.read(value) if choice else ChoiceAnswer(unresolved=words_of(value))
    answer = one_option_a_run(turn, frame, ref.slot, answer)
    choices.record_answer(turn, ref.slot, value, answer)
    if answer.chosen:
        chosen_value = choices.stored_choice(ref.slot, answer.chosen)
        return fill_parsed(turn, ref, chosen_value, replace(origin, chosen=answer.chosen))
    if answer.result == "unmatched":
        return _refuse_words(turn, ref, answer.unmatched, origin)
    _ask_on(turn, frame, ref, answer, origin)
    return True


def _ask_on(turn: Turn, frame: Frame, ref: SlotRef, answer: ChoiceAnswer, origin: Origin) -> None:
    """Go on with an answer that chooses no option yet: ask among several, show another page, wait for the options."""
    turn.heard = True
    wait = frame.get("wait")
    if answer.among:
        narrow_choice(turn, frame, ref, answer)
    elif answer.emptied:
        empty_slot(turn, ref, origin)
    elif answer.unresolved:
        choices.mention(frame, ref.name, {"words": answer.unresolved})
        _ask_choice_again(turn, frame, ref)
    elif wait is not None:
        choices.apply_control(turn, frame, wait, answer)


def _refuse_words(turn: Turn, ref: SlotRef, words: str, origin: Origin) -> bool:
    turn.missed = True
    if not origin.quiet:
        turn.say("no_match", about=ref.name, slot=slot_title(turn, ref), words=words)
    return False


def named_option(turn: Turn, ref: SlotRef, value: Any) -> Any:
    """Return the stored form of the options from data that the value names; other values unchanged.

    Raises ValueRefused when it names none, or not exactly one for a slot that holds one.
    """
    frame = ref.frame or turn.top
    if ref.slot.options_from is None or frame is None:
        return value
    choice = choices.open_choice(turn, frame, ref.slot)
    answer = choice.read(value) if choice else ChoiceAnswer()
    if not answer.chosen:
        raise ValueRefused(ref.name, "option", str(value), {"options": ""})
    return choices.stored_choice(ref.slot, answer.chosen)


def narrow_choice(turn: Turn, frame: Frame, ref: SlotRef, answer: ChoiceAnswer) -> None:
    """Ask among which options is meant: at once if the slot is asked for, or else when its question comes."""
    turn.heard = True
    wait = frame.get("wait")
    keys, picked = [option.key for option in answer.among], [option.key for option in answer.picked]
    if wait is not None and is_asked_for(turn, ref):
        choices.narrow_question(wait, keys, picked)
    else:
        choices.mention(frame, ref.name, {"keys": keys, "picked": picked})
        _ask_choice_again(turn, frame, ref)


def _ask_choice_again(turn: Turn, frame: Frame, ref: SlotRef) -> None:
    """Go back to the question of a choice that is filled, because another option was named that is not certain yet."""
    stored = stored_slot(turn, ref)
    if stored is None or stored["value"] is None:
        return turn.touch(frame) if is_asked_for(turn, ref) else None
    if is_value_final(all_action_uses(turn, ref)):
        choices.take_mention(frame, ref.name)
        return say_about_slot(turn, "already_done", ref, Origin("user"), stored["value"])
    forget_value(turn, ref, Origin("user"))
