"""Commands about flows: start, cancel, resume, clarify, restart, hand off."""

from dialogue.engine.commands.offers import close_offer, open_offer, open_offer_kind, renew_resume_offer
from dialogue.engine.language.compiler import Flow
from dialogue.engine.ports.commands import CancelFlow, Clarify, Command, HandOff, Restart, ResumeFlow, StartFlow
from dialogue.engine.stack import frames, stack
from dialogue.engine.stack.failures import callers_of, cancel_called_flow
from dialogue.engine.stack.flow_runs.needs import call_needed_flow, end_without_need
from dialogue.engine.stack.flow_runs.several_runs import runs_named_in_message
from dialogue.engine.stack.handoff import take_over
from dialogue.engine.stack.state import Frame
from dialogue.engine.stack.turn import Turn
from dialogue.engine.stack.unknown_outcomes import awaits_outcome


def start_flow(turn: Turn, command: StartFlow) -> None:
    """Start the flow; resume it if it is paused; do nothing if it is running already."""
    flow = turn.catalogue.flows.get(command.flow)
    if flow is None or not flow.start:
        return turn.drop(command, "unknown_flow")
    running = stack.find_flow(turn.frames, command.flow)
    if running is not None and not _asks_for_another_run(turn, command.flow):
        return _return_to(turn, command, running)
    turn.heard = True
    if not frames.may_start(turn, flow):
        return frames.say_not_allowed(turn, flow)
    if not frames.may_push(turn):
        return turn.say("too_many_flows", flow=flow.title.in_language(turn.language))
    return _begin_flow(turn, flow)


def _begin_flow(turn: Turn, flow: Flow) -> None:
    """Put a new run of the flow on top, or behind the flows that this message has started already."""
    close_offer(turn, "answered", flow.flow)
    frame = frames.new_flow_frame(turn, flow)
    started_frames = [started for started in turn.started if started in turn.frames]
    if started_frames:
        frames.plan(turn, frame, started_frames[-1])
    else:
        frames.push(turn, frame)
    turn.started.append(frame)
    if not started_frames:
        # Values that follow in the message may be for the flow that runs first.
        call_needed_flow(turn, frame)


def _asks_for_another_run(turn: Turn, flow: str) -> bool:
    """Whether this message has started the flow already and given that run values: "cancel W1 and W2"."""
    runs = [frame for frame in turn.started if frame["flow"] == flow and frame in turn.frames]
    if not runs:
        return False
    values = runs[-1]["slots"].values()
    is_given = any(stored["source"] == "user" and stored["turn"] == turn.memory["turn"] for stored in values)
    return is_given or "mentions" in runs[-1]


def _return_to(turn: Turn, command: StartFlow | ResumeFlow, frame: Frame) -> None:
    last = stack.chain_of(turn.frames, frame)[-1]
    if last["status"] in ("paused", "planned") and not turn.started:
        return resume_chain(turn, frame)
    turn.heard = True
    turn.drop(command, "already_active")


def resume_chain(turn: Turn, frame: Frame) -> None:
    """Bring the frame's chain to the top, and say so if it was interrupted before."""
    turn.heard = True
    root = stack.root_of(turn.frames, frame)
    close_offer(turn, "answered", root["flow"])
    begun = stack.chain_of(turn.frames, root)[-1]["status"] == "paused"
    frames.bring_to_top(turn, root)
    if begun:
        turn.say("resumed", about=root["flow"], flow=frames.root_title(turn, root))


def resume_flow(turn: Turn, command: ResumeFlow) -> None:
    """Bring a paused flow to the top."""
    frame = stack.find_flow(turn.frames, command.flow)
    if frame is None:
        return turn.drop(command, "not_paused")
    _return_to(turn, command, frame)


def cancel_flow(turn: Turn, command: CancelFlow) -> None:
    """End a flow with the flows that it called. A caller that takes the result of its call goes on.

    Without a name, withdraw an open question about flows, or else end the flow on top.
    """
    turn.heard = True
    if not command.flow and open_offer_kind(turn) in ("clarify", "restart", "correction"):
        return withdraw_offer(turn)
    frame = stack.find_flow(turn.frames, command.flow) if command.flow else turn.top
    if frame is None:
        return turn.say("nothing_to_cancel")
    if refuse_while_in_doubt(turn, command, stack.chain_of(turn.frames, frame)):
        return None
    for run in runs_named_in_message(turn, frame) or [frame]:
        if not _cancel_called_flow(turn, run):
            cancel_chain(turn, run)
    renew_resume_offer(turn)


def _cancel_called_flow(turn: Turn, frame: Frame) -> bool:
    """Cancel only the called flow that the frame belongs to, where its caller goes on. Return whether it does."""
    for call in callers_of(turn, frame):
        if call.step is None:
            frames.end_called_flows(turn, call.caller, "cancelled")
            end_without_need(turn, call.caller, call.called["flow"])
            return True
        if call.takes_result:
            cancel_called_flow(turn, call)
            return True
    return False


def refuse_while_in_doubt(turn: Turn, command: Command, chain: stack.Stack) -> bool:
    """Return whether the outcome of an action in the chain is unknown, and tell the user that it is being checked.

    Such a flow may not end: an action that may have happened would be forgotten with it.
    """
    frame_in_doubt = next((frame for frame in chain if awaits_outcome(turn, frame)), None)
    if frame_in_doubt is not None:
        turn.drop(command, "in_doubt")
        turn.say("waiting", about=frame_in_doubt["step"], flow=frames.root_title(turn, frame_in_doubt))
    return frame_in_doubt is not None


def cancel_chain(turn: Turn, frame: Frame) -> None:
    """End the frame's chain, and say so."""
    root = stack.root_of(turn.frames, frame)
    turn.say("cancelled", about=root["flow"], flow=frames.root_title(turn, root))
    frames.drop_chain(turn, root)


def withdraw_offer(turn: Turn) -> None:
    """Close an open offer without taking any of it."""
    if open_offer_kind(turn) == "clarify":
        turn.say("cannot_handle")
    close_offer(turn, "answered", "none")


def clarify(turn: Turn, command: Clarify) -> None:
    """Ask which of the flows is meant; flows that cannot be started are left out."""
    startable = [flow for flow in command.flows if flow in turn.catalogue.flows and turn.catalogue.flows[flow].start]
    if not startable:
        return turn.drop(command, "unknown_flow")
    turn.heard = True
    open_offer(turn, "clarify", startable)


def restart(turn: Turn, command: Restart) -> None:
    """Ask the user whether to restart, unless the outcome of an action is unknown."""
    turn.heard = True
    if refuse_while_in_doubt(turn, command, turn.frames):
        return
    open_offer(turn, "restart", [])


def hand_off(turn: Turn, command: HandOff) -> None:
    """Ask for a person, who takes the chat over, unless the author's flow for such wishes decides about it."""
    flow = turn.catalogue.flows.get(turn.settings.on_handoff or "")
    running = stack.find_flow(turn.frames, flow.flow) if flow is not None else None
    if running is not None and stack.chain_of(turn.frames, running)[-1] is turn.top:
        # Its question is asked again. Who goes on asking for a person reaches one after `max_attempts`.
        turn.missed = True
        return None
    turn.heard = True
    if running is not None:
        return resume_chain(turn, running)
    if flow is not None and frames.may_start(turn, flow) and frames.may_push(turn):
        return _begin_flow(turn, flow)
    close_offer(turn)
    return take_over(turn, reason=command.reason)
