"""A conversation that took place, written down as a scenario: its turns, the commands, and what they led to."""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from dialogue.engine.slots.durations import format_duration
from dialogue.models import ActionRun, Conversation, Event, HITLSession, Turn
from dialogue.turns.actions.test_world import trial_of

Plain = dict[str, Any]


def recorded(conversation: Conversation, name: str, assistant: str) -> str:
    """A scenario file of one scenario; JSON, which is YAML. `assistant` is the folder, as the file will name it.

    The commands are those that the conversation's understanding gave, and the stubs give what its actions gave.
    """
    turns = list(conversation.turns.select_related("event__session__decided_by", "event__message").order_by("number"))
    ended = (ActionRun.State.SUCCEEDED, ActionRun.State.FAILED)
    calls = list(conversation.action_runs.filter(state__in=ended).order_by("pk"))
    scenario = {
        "name": name,
        "turns": list(_turns(turns, _moves(conversation))),
        "finally": {"actions": _listed(calls)},
    }
    file = {
        "assistant": assistant,
        "clock": _began(conversation).isoformat(),
        "stubs": _stubs(calls),
        "scenarios": [scenario],
    }
    return json.dumps(file, ensure_ascii=False, indent=2)


def _began(conversation: Conversation) -> datetime:
    """What the conversation's own clock said at its beginning."""
    trial = trial_of(conversation)
    if trial is None:
        return conversation.created_at
    return conversation.created_at + trial.ahead - timedelta(seconds=sum(each["seconds"] for each in trial.moves))


def _moves(conversation: Conversation) -> dict[int, list[timedelta]]:
    """By how much the clock of a test was moved, after which turn."""
    trial = trial_of(conversation)
    moves: dict[int, list[timedelta]] = {}
    for each in trial.moves if trial else ():
        moves.setdefault(each["turn"], []).append(timedelta(seconds=each["seconds"]))
    return moves


def _stubs(calls: list[ActionRun]) -> dict[str, list[Plain]]:
    """What each action gave, by its inputs; the first call of the same inputs wins, as it does among stubs."""
    stubs: dict[str, list[Plain]] = {}
    for call in calls:
        # An error beside outputs says that these did not fit: the flow went its way for failures.
        gave = {"raises": call.error} if call.error else {"returns": call.outputs or {}}
        stub = {"when": call.inputs, **gave}
        own = stubs.setdefault(call.action, [])
        if all(each["when"] != stub["when"] for each in own):
            own.append(stub)
    return stubs


def _listed(calls: list[ActionRun]) -> dict[str, list[Plain]]:
    listed: dict[str, list[Plain]] = {}
    for call in calls:
        listed.setdefault(call.action, []).append(call.inputs)
    return listed


def _turns(turns: list[Turn], moves: dict[int, list[timedelta]]) -> Iterator[Plain]:
    for turn in turns:
        moved = moves.pop(turn.number - 1, [])
        said = _said(turn)
        by_clock = said is not None and "clock" in said
        if by_clock and moved:
            # The move that a tester made is what let it expire; no deadline needs to be passed again.
            said = _clock(moved.pop())
        yield from (_clock(each) for each in moved)
        if said is not None:
            yield {**said, "expect": _expected(turn)}


def _clock(by: timedelta) -> Plain:
    return {"clock": f"+{format_duration(by)}"}


def _expected(turn: Turn) -> Plain:
    return {"messages": turn.record.get("messages", []), "stack": [entry["awaiting"] for entry in turn.stack]}


def _said(turn: Turn) -> Plain | None:
    """The turn's event as a turn of a scenario; None for what a scenario cannot ask for."""
    event = turn.event
    match event.kind:
        case Event.Kind.MESSAGE:
            return {"user": event.payload.get("text", ""), "commands": _commands(turn)}
        case Event.Kind.CHOICE:
            return {"choose": str(event.payload.get("value", ""))}
        case Event.Kind.SAY:
            return {"operator": {"say": event.payload.get("text", ""), "as": event.payload.get("by", "Operator")}}
        case Event.Kind.SLOTS:
            return {
                "operator": {"set_slot": event.payload.get("values", {}), "as": event.payload.get("by", "Operator")}
            }
        case Event.Kind.DECISION | Event.Kind.EXPIRY if event.session is not None:
            return _decided(event.session)
    return None


def _commands(turn: Turn) -> list[Any]:
    """As they were understood; where only the record is left, sensitive values are masked in them."""
    kept = turn.event.understanding or {"commands": turn.record.get("proposed", [])}
    return [_without_words(command) for command in kept.get("commands", [])]


def _without_words(command: Any) -> Any:
    return {key: value for key, value in command.items() if key != "words"} if isinstance(command, dict) else command


def _decided(session: HITLSession) -> Plain:
    """A decision as the person made it; an expiry by the clock moves the scenario's clock past the deadline."""
    by = session.decided_as or "Operator"
    if session.state == HITLSession.State.SUBMITTED and session.kind == HITLSession.Kind.HANDOFF:
        return {"operator": {"hand_back": {}, "as": by}}
    if session.state == HITLSession.State.SUBMITTED:
        values = {**session.values, **({"reason": session.reason} if session.reason else {})}
        return {"operator": {"submit": {"step": session.step, "action": session.handle, "values": values}, "as": by}}
    if session.decided_by is not None:
        return {"operator": {"expire": {"step": session.step, "reason": session.reason}, "as": by}}
    return _clock(_until_after(session))


def _until_after(session: HITLSession) -> timedelta:
    open_for = (session.expires_at or session.opened_at) - session.opened_at
    return open_for + timedelta(seconds=1)
