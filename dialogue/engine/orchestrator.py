"""Run one turn: apply the event to a copy of the memory, then run the top flow until something is awaited."""

from dialogue.engine.commands.decisions import apply_decision, frame_awaiting_staff
from dialogue.engine.commands.digressions import say_help, say_status
from dialogue.engine.commands.endings import (
    cancel_conversation,
    end_abandoned_flows,
    end_conversation,
    fill_first_defaults,
)
from dialogue.engine.commands.files import say_unexpected
from dialogue.engine.commands.flows import cancel_chain
from dialogue.engine.commands.offers import close_outdated_correction, open_offer, open_offer_kind, renew_resume_offer
from dialogue.engine.commands.outreach import apply_contact_word, apply_notice, apply_start, is_about_contact
from dialogue.engine.commands.repair import apply_commands, apply_unreadable, unreadable_reason
from dialogue.engine.commands.waits import apply_signal, apply_timer
from dialogue.engine.language.compiler import END
from dialogue.engine.ports.commands import Command
from dialogue.engine.stack import frames, stack
from dialogue.engine.stack.context import Catalogue
from dialogue.engine.stack.filling import Origin, fill_slot
from dialogue.engine.stack.flow_runs import needs
from dialogue.engine.stack.flow_runs.further_runs import plan_further_runs
from dialogue.engine.stack.flow_runs.several_runs import run_title
from dialogue.engine.stack.handoff import hand_back
from dialogue.engine.stack.pending import paused_flows, record_open_tasks, say_prompt
from dialogue.engine.stack.slot_access import SlotRef, find_slot, frame_slot
from dialogue.engine.stack.state import MAX_RECENT_MESSAGES, Frame
from dialogue.engine.stack.turn import Turn
from dialogue.engine.steps.control import StepRun
from dialogue.engine.subgraphs import Subgraphs

_MAX_REMEMBERED_CHARACTERS = 400
_USER_EVENTS = ("message", "choice", "file")


class Orchestrator:
    """Runs the turns of one assistant's conversations. `subgraphs` are its compiled flows."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.subgraphs = Subgraphs(catalogue.flows)

    async def run_turn(self, turn: Turn, commands: tuple[Command, ...]) -> None:
        """Apply the event, run the frames that have something to do, and say the prompt last.

        Raises SlotNotSet, ApprovalOutdated, and any error of the ports.
        """
        turn.memory["status"] = "idle"
        fill_first_defaults(turn)
        if not _is_silent(turn):
            end_abandoned_flows(turn)
        await _apply_event(turn, commands)
        if turn.further_choices:
            plan_further_runs(turn)
        if len(turn.started) > 1 and "handoff" not in turn.memory:
            # Several flows start in this turn: their order comes before anything that starting them has said.
            turn.prepend_message("plan", flows=", ".join(run_title(turn, frame) for frame in turn.started))
        # Nothing is put before other messages from here on, so the user may read what there is.
        await turn.flush()
        if not _is_silent(turn):
            await self._run_stack(turn)
        close_outdated_correction(turn)
        record_open_tasks(turn)
        # A step may have handed the chat over, so silence is asked for again.
        if not _is_silent(turn):
            say_prompt(turn)
            await _say_status_or_help(turn)
            _say_handed_back(turn)
        await turn.flush()
        _remember_turn(turn)

    async def _run_stack(self, turn: Turn) -> None:
        await self._run_parked(turn)
        _finish_interrupted(turn)
        while (frame := turn.top) is not None and _may_run(turn, frame):
            await self._run_frame(turn, frame)
            # The frame called another flow, or was replaced: go on with the one on top.
            if turn.top is not frame:
                continue
            if not frames.has_ended(frame):
                break
            _finish(turn, frame)

    async def _run_frame(self, turn: Turn, frame: Frame) -> None:
        """Run the frame if it has something to do. One that only waits is not run."""
        if frames.has_ended(frame) or (frame["id"] not in turn.touched and "wait" in frame):
            return
        turn.touched.discard(frame["id"])
        frame["status"] = "active"
        if "caller" in frame and needs.is_superfluous(turn, frame):
            frame["step"] = END
        if frames.has_ended(frame) or (turn.flow_of(frame).needs and needs.call_needed_flow(turn, frame)):
            return
        frames.fill_computed_defaults(turn, frame)
        await self.subgraphs.run(StepRun(turn, frame))
        if turn.further_choices:
            plan_further_runs(turn)
        _say_pending_expiry(turn, frame)

    async def _run_parked(self, turn: Turn) -> None:
        """Run parked frames below the top whose request a correction voided, so that they ask staff again."""
        for frame in [
            parked for parked in turn.frames[:-1] if parked["status"] == "parked" and parked["id"] in turn.touched
        ]:
            await self._run_frame(turn, frame)
            if frames.has_ended(frame):
                _finish(turn, frame)
            else:
                frames.pause(turn, frame)


def _finish(turn: Turn, frame: Frame) -> None:
    """Take a flow that has ended off the stack. A flow that was called for a need, or by a step, returns."""
    if "need" not in frame.get("caller", {}):
        return frames.finish(turn, frame)
    caller = frames.remove_ended(turn, frame)
    if caller is not None:
        needs.return_from_need(turn, caller, frame)


def _finish_interrupted(turn: Turn) -> None:
    """Take flows off the stack that a command ended before another one of the message brought a flow above them."""
    for frame in turn.frames[:-1]:
        if frame["status"] == "paused" and frames.has_ended(frame) and "caller" not in frame:
            _finish(turn, frame)


def _is_silent(turn: Turn) -> bool:
    """Whether the bot says nothing: a person has the chat or has just written, or nothing waits for the event."""
    is_outdated = bool(turn.record.orphaned_task) or turn.unawaited
    return "handoff" in turn.memory or turn.event["kind"] == "say" or is_outdated


async def _apply_event(turn: Turn, commands: tuple[Command, ...]) -> None:  # noqa: C901 - one arm a kind of event
    event = turn.event
    match event["kind"]:
        case "message" | "choice":
            await _apply_user_event(turn, commands)
        case "file" if "handoff" not in turn.memory:
            await _apply_files(turn, commands)
        case "decision" | "expiry":
            apply_decision(turn, event)
        case "cancel":
            _cancel_conversation_or_flow(turn, str(event.get("task", "")))
        case "slots":
            _set_operator_slots(turn, event["values"], str(event["by"]))
        case "hand_back":
            hand_back(turn)
        case "timeout":
            end_conversation(turn)
        case "timer":
            apply_timer(turn, event)
        case "signal":
            apply_signal(turn, event)
        case "start":
            apply_start(turn, event)
        case "notify":
            apply_notice(turn, event)
        case _:
            pass


async def _apply_user_event(turn: Turn, commands: tuple[Command, ...]) -> None:
    text = str(turn.event.get("text", turn.event.get("value", "")))
    if is_about_contact(turn, text):
        return apply_contact_word(turn, text)
    if "handoff" in turn.memory:
        return
    key = unreadable_reason(text)
    if key:
        apply_unreadable(turn, key)
    else:
        await apply_commands(turn, commands)


async def _apply_files(turn: Turn, commands: tuple[Command, ...]) -> None:
    if commands:
        await apply_commands(turn, commands)
    else:
        say_unexpected(turn)


def _cancel_conversation_or_flow(turn: Turn, task: str) -> None:
    if not task:
        return cancel_conversation(turn)
    frame = frame_awaiting_staff(turn, task)
    if frame is None:
        turn.record.orphaned_task = task
    else:
        cancel_chain(turn, frame)
        renew_resume_offer(turn)


def _set_operator_slots(turn: Turn, values: dict[str, object], by: str) -> None:
    for name, value in values.items():
        ref = _find_qualified_slot(turn, name)
        if ref is None or not fill_slot(turn, ref, value, Origin("operator", by=by, quiet=True)):
            raise SlotNotSet(name)


def _find_qualified_slot(turn: Turn, name: str) -> SlotRef | None:
    """Return the slot of `slot` or `flow.slot`, as an operator may write it, or None. Fields of records are dotted."""
    flow, _dot, slot_name = name.partition(".")
    frame = stack.find_flow(turn.frames, flow) if slot_name else None
    if frame is None:
        return find_slot(turn, name)
    ref = frame_slot(turn, frame, slot_name)
    return ref if ref is not None and ref.frame is not None else None


class SlotNotSet(ValueError):
    """An operator's value does not fit its slot, or no running flow has the slot."""


def _may_run(turn: Turn, frame: Frame) -> bool:
    """Whether the top frame goes on by itself. A planned flow starts; a paused one is resumed, or offered."""
    if frame["status"] == "planned":
        frames.activate(turn, frame)
    if frame["status"] == "paused":
        return open_offer_kind(turn) in ("", "resume") and _resume_or_offer(turn, frame)
    return frame["status"] != "parked" or frame["id"] in turn.touched


def _resume_or_offer(turn: Turn, frame: Frame) -> bool:
    if turn.settings.resume == "ask":
        if open_offer_kind(turn) != "resume":
            open_offer(turn, "resume", paused_flows(turn))
        return False
    root = stack.root_of(turn.frames, frame)
    turn.say("resumed", about=root["flow"], flow=run_title(turn, root))
    frames.activate(turn, frame)
    return True


def _say_pending_expiry(turn: Turn, frame: Frame) -> None:
    """Say that the time limit passed, unless the path that follows says something itself."""
    expiry, turn.pending_expiry = turn.pending_expiry, None
    if expiry is not None and expiry.frame == frame["id"] and expiry.message_count == len(turn.record.messages):
        turn.say(expiry.response, about=expiry.step, flow=turn.flow_title(frame["flow"]))


async def _say_status_or_help(turn: Turn) -> None:
    """Answer a user who wrote, if nothing else in the turn did."""
    if turn.record.messages or turn.event["kind"] not in _USER_EVENTS:
        return
    if turn.frames:
        say_status(turn)
    else:
        await say_help(turn)


def _say_handed_back(turn: Turn) -> None:
    """Tell the user who answers from now on, if nothing else that the bot says shows it."""
    if turn.handed_back and not turn.record.messages:
        turn.say("handed_back")


def _remember_turn(turn: Turn) -> None:
    """Remember the last messages, what was said apart from the prompt, and whether something is awaited."""
    memory = turn.memory
    if turn.record.messages:
        memory["said"] = [message.to_json() for message in turn.record.messages if message is not turn.prompt]
    bot_lines = [["bot", message.text[:_MAX_REMEMBERED_CHARACTERS]] for message in turn.record.messages]
    memory["messages"] = [*memory["messages"], *_event_lines(turn), *bot_lines][-MAX_RECENT_MESSAGES:]
    if turn.record.open_tasks:
        memory["status"] = "waiting"


def _event_lines(turn: Turn) -> list[list[str]]:
    files = ", ".join(str(file["name"]) for file in turn.event.get("files", ()))
    text = str(turn.event.get("text", turn.event.get("value", files)))
    role = {"message": "user", "choice": "user", "file": "user", "say": "operator"}.get(turn.event["kind"])
    return [[role, text[:_MAX_REMEMBERED_CHARACTERS]]] if role else []
