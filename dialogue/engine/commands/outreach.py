"""What the business begins: a flow or a message; and the words with which a customer refuses that."""

from dialogue.engine.commands.offers import close_offer
from dialogue.engine.language.contact import is_one_of
from dialogue.engine.ports.events import Event
from dialogue.engine.stack import frames, stack
from dialogue.engine.stack.filling import Origin
from dialogue.engine.stack.flow_runs.needs import call_needed_flow
from dialogue.engine.stack.turn import Turn


def apply_start(turn: Turn, event: Event) -> None:
    """Start the flow on top, with these values. The record says why it did not start, and then nothing is said."""
    name, slots = str(event["flow"]), dict(event.get("slots") or {})
    reason = _reason_against(turn, name)
    turn.record.outreach = {"flow": name, "started": not reason, "reason": reason}
    if reason:
        turn.unawaited = True
        return
    flow = turn.catalogue.flows[name]
    close_offer(turn)
    frame = frames.new_flow_frame(turn, flow)
    frames.push(turn, frame)
    turn.started.append(frame)
    origin = Origin("start", by=str(event.get("by", "")), quiet=True)
    for slot, value in slots.items():
        frames.write_slot(turn, frame, slot, value, origin)
    call_needed_flow(turn, frame)


def _reason_against(turn: Turn, name: str) -> str:
    """Return unknown_flow, handed_over, already_active, not_allowed or too_many_flows; "" if the flow can start."""
    flow = turn.catalogue.flows.get(name)
    if flow is None:
        return "unknown_flow"
    if "handoff" in turn.memory:
        return "handed_over"
    if stack.find_flow(turn.frames, name) is not None:
        return "already_active"
    if not frames.may_start(turn, flow):
        return "not_allowed"
    return "" if frames.may_push(turn) else "too_many_flows"


def apply_notice(turn: Turn, event: Event) -> None:
    """Say what the business writes. An open question is asked again after it."""
    turn.say("notice", text=str(event["text"]))


def is_about_contact(turn: Turn, text: str) -> bool:
    """Whether the message only refuses or allows that the assistant writes first."""
    opt_out = turn.settings.opt_out
    return opt_out is not None and is_one_of((*opt_out.words, *opt_out.back), text)


def apply_contact_word(turn: Turn, text: str) -> None:
    """Record what the customer wants, and say so."""
    opt_out = turn.settings.opt_out
    refuses = opt_out is not None and is_one_of(opt_out.words, text)
    turn.heard = True
    turn.record.contact = "refused" if refuses else "allowed"
    turn.say("opted_out" if refuses else "opted_in")
