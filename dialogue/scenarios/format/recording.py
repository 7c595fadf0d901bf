"""A conversation that took place, written down as a scenario: its turns, the commands, and what they led to."""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from dialogue.engine.ports.message_parts import entry_counts
from dialogue.engine.slots.durations import format_duration
from dialogue.models import ActionRun, Conversation, Event, HITLSession, Message, Turn
from dialogue.turns.actions.test_world import trial_of

Plain = dict[str, Any]


def record_scenario(conversation: Conversation, name: str, assistant: str) -> str:
    """A scenario file of one scenario; JSON, which is YAML. `assistant` is the folder, as the file will name it.

    The commands are those that the conversation's understanding gave, and the stubs give what its actions gave.
    """
    turns = list(conversation.turns.select_related("event__session__decided_by", "event__message").order_by("number"))
    ended = (ActionRun.State.SUCCEEDED, ActionRun.State.FAILED)
    calls = list(conversation.action_runs.filter(state__in=ended).order_by("pk"))
    scenario = {
        "name": name,
        "turns": list(_scenario_turns(turns, _clock_moves(conversation))),
        "finally": {"actions": _inputs_by_action(calls)},
    }
    file = {
        "assistant": assistant,
        "clock": _start_time(conversation).isoformat(),
        "stubs": _stubs_of(calls),
        "scenarios": [scenario],
    }
    return json.dumps(file, ensure_ascii=False, indent=2)


def _start_time(conversation: Conversation) -> datetime:
    """What the conversation's own clock said at its beginning."""
    trial = trial_of(conversation)
    if trial is None:
        return conversation.created_at
    return conversation.created_at + trial.ahead - timedelta(seconds=sum(move["seconds"] for move in trial.moves))


def _clock_moves(conversation: Conversation) -> dict[int, list[timedelta]]:
    """By how much the clock of a test was moved, after which turn."""
    trial = trial_of(conversation)
    moves: dict[int, list[timedelta]] = {}
    for move in trial.moves if trial else ():
        moves.setdefault(move["turn"], []).append(timedelta(seconds=move["seconds"]))
    return moves


def _stubs_of(calls: list[ActionRun]) -> dict[str, list[Plain]]:
    """What each action gave, by its inputs; the first call of the same inputs wins, as it does among stubs."""
    stubs: dict[str, list[Plain]] = {}
    for call in calls:
        # An error beside outputs says that these did not fit: the flow went its way for failures.
        result = {"raises": call.error} if call.error else {"returns": call.outputs or {}}
        stub = {"when": call.inputs, **result}
        action_stubs = stubs.setdefault(call.action, [])
        if all(earlier["when"] != stub["when"] for earlier in action_stubs):
            action_stubs.append(stub)
    return stubs


def _inputs_by_action(calls: list[ActionRun]) -> dict[str, list[Plain]]:
    inputs: dict[str, list[Plain]] = {}
    for call in calls:
        inputs.setdefault(call.action, []).append(call.inputs)
    return inputs


def _scenario_turns(turns: list[Turn], moves: dict[int, list[timedelta]]) -> Iterator[Plain]:
    for turn in turns:
        pending_moves = moves.pop(turn.number - 1, [])
        step = _scenario_turn(turn)
        by_clock = step is not None and "clock" in step
        if by_clock and pending_moves:
            # The move that a tester made is what let it expire; no deadline needs to be passed again.
            step = _clock_turn(pending_moves.pop())
        yield from (_clock_turn(move) for move in pending_moves)
        if step is not None:
            yield {**step, "expect": _turn_expectation(turn)}


def _clock_turn(by: timedelta) -> Plain:
    return {"clock": f"+{format_duration(by)}"}


def _turn_expectation(turn: Turn) -> Plain:
    """Return what the turn led to; of a message with parts, also how many entries they have."""
    rows = turn.messages.filter(role=Message.Role.ASSISTANT).exclude(parts=[])
    counts = {row.ordinal: entry_counts(row.parts) for row in rows}
    keys = turn.record.get("messages", [])
    messages = [{key: {"shows": counts[n]}} if counts.get(n) else key for n, key in enumerate(keys)]
    return {"messages": messages, "stack": [entry["awaiting"] for entry in turn.stack]}


def _scenario_turn(turn: Turn) -> Plain | None:  # noqa: C901 - one arm a kind of event
    """The turn's event as a turn of a scenario; None for what a scenario cannot ask for."""
    event = turn.event
    match event.kind:
        case Event.Kind.MESSAGE | Event.Kind.CHOICE | Event.Kind.FILE:
            return _customer_turn(turn, event)
        case Event.Kind.SAY:
            return {"operator": {"say": event.payload.get("text", ""), "as": event.payload.get("by", "Operator")}}
        case Event.Kind.SLOTS:
            return {
                "operator": {"set_slot": event.payload.get("values", {}), "as": event.payload.get("by", "Operator")}
            }
        case Event.Kind.SIGNAL:
            return {"event": {"name": event.payload["event"], "payload": event.payload["payload"]}}
        case Event.Kind.START:
            return {"start": {"flow": event.payload["flow"], "slots": event.payload["slots"]}}
        case Event.Kind.NOTIFY:
            return {"notify": event.payload["text"]}
        case Event.Kind.TIMER:
            return _clock_turn(_time_since_event_before(event))
        case Event.Kind.DECISION | Event.Kind.EXPIRY if event.session is not None:
            return _decision_turn(event.session)
    return None


def _time_since_event_before(event: Event) -> timedelta:
    """The time from the event before this one, in whole seconds, rounded up."""
    before = Event.objects.filter(conversation=event.conversation_id, number__lt=event.number).order_by("number").last()
    passed = event.accepted_at - before.accepted_at if before else timedelta(0)
    return timedelta(seconds=int(passed.total_seconds()) + 1)


def _customer_turn(turn: Turn, event: Event) -> Plain:
    match event.kind:
        case Event.Kind.MESSAGE:
            return {"user": event.payload.get("text", ""), "commands": _commands_of(turn)}
        case Event.Kind.CHOICE:
            return {"choose": str(event.payload.get("value", ""))}
        case _:
            return {
                "file": [{name: file[name] for name in ("name", "kind", "size")} for file in event.payload["files"]]
            }


def _commands_of(turn: Turn) -> list[Any]:
    """As they were understood; where only the record is left, sensitive values are masked in them."""
    understanding = turn.event.understanding or {"commands": turn.record.get("proposed", [])}
    return [_without_words(command) for command in understanding.get("commands", [])]


def _without_words(command: Any) -> Any:
    return {key: value for key, value in command.items() if key != "words"} if isinstance(command, dict) else command


def _decision_turn(session: HITLSession) -> Plain:
    """A decision as the person made it; an expiry by the clock moves the scenario's clock past the deadline."""
    by = session.decided_as or "Operator"
    if session.state == HITLSession.State.SUBMITTED and session.kind == HITLSession.Kind.HANDOFF:
        return {"operator": {"hand_back": {}, "as": by}}
    if session.state == HITLSession.State.SUBMITTED:
        values = {**session.values, **({"reason": session.reason} if session.reason else {})}
        return {"operator": {"submit": {"step": session.step, "action": session.handle, "values": values}, "as": by}}
    if session.decided_by is not None:
        return {"operator": {"expire": {"step": session.step, "reason": session.reason}, "as": by}}
    return _clock_turn(_until_after(session))


def _until_after(session: HITLSession) -> timedelta:
    open_for = (session.expires_at or session.opened_at) - session.opened_at
    return open_for + timedelta(seconds=1)
