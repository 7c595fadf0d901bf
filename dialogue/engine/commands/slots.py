"""Commands about slots, and yes and no."""

from dialogue.engine.commands.endings import restart_conversation
from dialogue.engine.commands.flows import (
    cancel_chain,
    refuse_while_in_doubt,
    resume_chain,
    resume_flow,
    start_flow,
    withdraw_offer,
)
from dialogue.engine.commands.loop_items import keep_for_called_flow, set_item_slot
from dialogue.engine.commands.offers import close_offer, offer_correction, open_offer_kind
from dialogue.engine.language.compiler import Collect, Confirm
from dialogue.engine.language.steps import NO, YES
from dialogue.engine.ports.commands import (
    Affirm,
    Choose,
    ClearSlot,
    Command,
    CorrectSlot,
    Deny,
    Narrow,
    OfferChange,
    ResumeFlow,
    SetSlot,
    SkipSlot,
    StartFlow,
)
from dialogue.engine.slots.values import ValueRefused, value_from_any
from dialogue.engine.stack import choices, stack
from dialogue.engine.stack.choice_answers import ChoiceAnswer
from dialogue.engine.stack.filling import (
    Origin,
    empty_slot,
    fill_slot,
    leave_empty,
    leave_step,
    named_option,
    narrow_choice,
    parse_value,
)
from dialogue.engine.stack.filling.record_fields import asked_slot
from dialogue.engine.stack.flow_runs.several_runs import run_with_named_value
from dialogue.engine.stack.slot_access import SlotRef, find_slot, frame_slot, slot_title, stored_slot
from dialogue.engine.stack.state import Frame
from dialogue.engine.stack.turn import Turn, open_new_wait

_MAX_WORDS_CHARACTERS = 200


def set_slot(turn: Turn, command: SetSlot | CorrectSlot) -> None:
    """Store a value in the flow that the message started last, or else in the top flow that has the slot."""
    ref = find_slot(turn, command.slot)
    if ref is None:
        return keep_for_called_flow(turn, command)
    ref = run_with_named_value(turn, ref, command.value)
    origin = _user_origin(turn, ref, command.words)
    if ref.frame is not None and turn.flow_of(ref.frame).has_rounds:
        if not set_item_slot(turn, command, ref, origin):
            return None
    elif not fill_slot(turn, ref, command.value, origin):
        return turn.drop(command, "refused_value")
    # A value for a paused flow answers the offer to resume it; any other value leaves the offer without an answer.
    if open_offer_kind(turn) == "resume" and ref.frame is not None:
        resume_chain(turn, ref.frame)
    close_offer(turn)


def offer_change(turn: Turn, command: OfferChange) -> None:
    """Ask before changing the value. A value that the slot has already, or would refuse, is dropped without asking."""
    ref = find_slot(turn, command.slot)
    if ref is None or ref.frame is None:
        return turn.drop(command, "unknown_slot")
    try:
        value = parse_value(turn, ref, named_option(turn, ref, command.value))
    except ValueRefused:
        return turn.drop(command, "refused_value")
    stored = stored_slot(turn, ref)
    if stored is not None and stored["value"] == value:
        return turn.drop(command, "same_value")
    turn.heard = True
    offer_correction(turn, ref.frame["id"], ref.name, value)


def _apply_offered_change(turn: Turn) -> None:
    """Store the value that the user agreed to in place of the one that staff were looking at."""
    turn.heard = True
    offer = turn.memory["offer"]
    frame = stack.find_frame(turn.frames, offer["frame"])
    ref = frame_slot(turn, frame, offer["slot"]) if frame is not None else None
    close_offer(turn, "answered", "yes")
    if ref is not None:
        fill_slot(turn, ref, offer["value"], _user_origin(turn, ref, ""))


def narrow(turn: Turn, command: Narrow) -> None:
    """Ask which of these options is meant, now or when the question comes."""
    ref = find_slot(turn, command.slot)
    frame = (ref.frame or turn.top) if ref is not None else None
    if ref is None or frame is None or ref.slot.options_from is None:
        return turn.drop(command, "unknown_slot")
    candidates = choices.known_candidates(turn, frame, ref.slot) or ()
    among = tuple(option for option in candidates if option.key in command.values)
    if not among:
        return turn.drop(command, "refused_value")
    if len(among) == 1:
        return set_slot(turn, SetSlot(command.slot, among[0].key))
    picked = tuple(option for option in candidates if option.key in command.picked and option not in among)
    narrow_choice(turn, frame, ref, ChoiceAnswer(among=among, picked=picked if ref.slot.type == "list" else ()))


def _user_origin(turn: Turn, ref: SlotRef, words: str) -> Origin:
    # The words of a sensitive value would show it in the record.
    text = "" if (ref.whole or ref).slot.hides_values else words or str(turn.event.get("text", ""))
    return Origin("user", words=text[:_MAX_WORDS_CHARACTERS])


def clear_slot(turn: Turn, command: ClearSlot) -> None:
    """Empty the slot, and say so."""
    ref = find_slot(turn, command.slot)
    if ref is None:
        return turn.drop(command, "unknown_slot")
    turn.heard = True
    empty_slot(turn, ref, Origin("user"))


def skip_slot(turn: Turn, command: SkipSlot) -> None:
    """Leave an optional slot empty for good. A required slot cannot be skipped, and the user is told so."""
    ref = find_slot(turn, command.slot)
    if ref is None:
        return turn.drop(command, "unknown_slot")
    turn.heard = True
    if ref.slot.required:
        turn.drop(command, "required_slot")
        return turn.say("cannot_skip", about=ref.name, slot=slot_title(turn, ref))
    leave_empty(turn, ref, Origin("user"))


def affirm(turn: Turn, command: Affirm) -> None:
    """Answer yes to the open offer, or else to the question of the top frame."""
    match open_offer_kind(turn):
        case "resume":
            resume_flow(turn, ResumeFlow(turn.memory["offer"]["flows"][0]))
        case "restart":
            _restart_if_settled(turn, command)
        case "correction":
            _apply_offered_change(turn)
        case "clarify":
            _take_only_flow(turn, command)
        case _:
            _answer_top_frame(turn, command, yes=True)


def _restart_if_settled(turn: Turn, command: Command) -> None:
    """Restart, unless the outcome of an action has become unknown since the question was asked."""
    turn.heard = True
    if refuse_while_in_doubt(turn, command, turn.frames):
        return close_offer(turn)
    restart_conversation(turn)


def deny(turn: Turn, command: Deny) -> None:
    """Answer no to the open offer, or else to the question of the top frame."""
    match open_offer_kind(turn):
        case "resume":
            _cancel_offered_flows(turn)
        case "restart" | "clarify" | "correction":
            turn.heard = True
            withdraw_offer(turn)
        case _:
            _answer_top_frame(turn, command, yes=False)


def choose(turn: Turn, command: Choose) -> None:
    """Take the exit of a further answer to the confirm that the top frame asks."""
    frame = turn.top
    step = turn.step_of(frame) if frame is not None and awaited_kind(turn) == "confirm" else None
    further = step.further_answers if isinstance(step, Confirm) else ()
    answer = next((option for option in further if option.value == command.answer), None)
    if frame is None or answer is None or answer.next is None:
        return turn.drop(command, "nothing_to_answer")
    turn.heard = True
    wait = turn.settle_wait(frame, "answered", answer.value)
    leave_step(turn, frame, answer.next, reads=wait.get("reads") if wait else None)


def awaited_kind(turn: Turn) -> str:
    """Return the kind of answer that the top frame waits for; "" while an offer is open or a person has the chat."""
    frame = turn.top
    wait = frame.get("wait") if frame and "handoff" not in turn.memory and not open_offer_kind(turn) else None
    return wait["kind"] if wait else ""


def _take_only_flow(turn: Turn, command: Command) -> None:
    flows = turn.memory["offer"]["flows"]
    if len(flows) != 1:
        return turn.drop(command, "nothing_to_answer")
    start_flow(turn, StartFlow(flows[0]))


def _cancel_offered_flows(turn: Turn) -> None:
    turn.heard = True
    flows = list(turn.memory["offer"]["flows"])
    close_offer(turn, "answered", "none")
    for flow in flows:
        frame = stack.find_flow(turn.frames, flow)
        if frame is not None:
            cancel_chain(turn, frame)


def _answer_top_frame(turn: Turn, command: Command, *, yes: bool) -> None:
    frame = turn.top
    wait = frame.get("wait") if frame and "handoff" not in turn.memory else None
    match wait["kind"] if wait else "":
        case "confirm":
            assert frame is not None
            _answer_confirm(turn, frame, yes=yes)
        case "inform" if yes:
            assert frame is not None
            acknowledge(turn, frame)
        case "collect":
            assert frame is not None
            _answer_yes_no(turn, frame, command, yes=yes)
        case _:
            turn.drop(command, "nothing_to_answer")


def _answer_confirm(turn: Turn, frame: Frame, *, yes: bool) -> None:
    turn.heard = True
    step = turn.step_of(frame)
    assert isinstance(step, Confirm)
    wait = turn.settle_wait(frame, "answered", "yes" if yes else "no")
    reads = wait.get("reads") if wait else None
    if yes:
        leave_step(turn, frame, step.on_confirm or turn.flow_of(frame).next_step(step.step), reads=reads)
    elif step.on_deny:
        leave_step(turn, frame, step.on_deny, reads=reads)
    else:
        open_new_wait(turn, frame, "change", reads)
        turn.touch(frame)


def acknowledge(turn: Turn, frame: Frame, handle: str = "ok") -> None:
    """Go on after the user acknowledged a message."""
    turn.heard = True
    turn.settle_wait(frame, "answered", handle)
    leave_step(turn, frame, turn.flow_of(frame).next_step(frame["step"]))


def _answer_yes_no(turn: Turn, frame: Frame, command: Command, *, yes: bool) -> None:
    step = turn.step_of(frame)
    assert isinstance(step, Collect)
    ref = asked_slot(turn, frame, step)
    if ref is not None and ref.slot.options_from is not None:
        return _answer_only_option(turn, ref, frame, command, yes=yes)
    value = _yes_no_value(turn, ref, yes=yes) if ref else None
    if ref is None or value is None:
        return turn.drop(command, "nothing_to_answer")
    fill_slot(turn, ref, value, _user_origin(turn, ref, ""))


def _answer_only_option(turn: Turn, ref: SlotRef, frame: Frame, command: Command, *, yes: bool) -> None:
    """Answer whether the only option from data is the one; yes and no answer no other question about options."""
    if not frame["wait"].get("single"):
        return turn.drop(command, "nothing_to_answer")
    fill_slot(turn, ref, YES if yes else NO, _user_origin(turn, ref, ""))


def _yes_no_value(turn: Turn, ref: SlotRef, *, yes: bool) -> bool | str | None:
    """Return True or False for a boolean slot, the option called yes or no for a choice, or else None."""
    if ref.slot.type == "boolean":
        return yes
    if ref.slot.type != "choice":
        return None
    word = "yes" if yes else "no"
    try:
        value_from_any(ref.slot, word, now=turn.now, timezone=turn.context.timezone, language=turn.language)
    except ValueRefused:
        return None
    return word
