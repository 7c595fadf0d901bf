"""The JSON Schema of a scenario file, for editors, with the names of the assistant that it is about."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, fields
from typing import Any

from dialogue.engine.language.compiler import Assistant, Collect, Confirm, Flow, Handoff, Human, Say, Slot
from dialogue.engine.language.documents import Settings
from dialogue.engine.ports.commands import COMMANDS
from dialogue.engine.slots.builtin_responses import response_keys
from dialogue.scenarios.format.files import ScenarioFile

Schema = dict[str, Any]


def scenario_schema(assistant: Assistant | None = None) -> Schema:
    """The schema of a scenario file; an assistant's flows, steps, slots, messages and actions are its names."""
    schema: Schema = ScenarioFile.model_json_schema(by_alias=True)
    names = _Names(assistant)
    parts: dict[str, Schema] = {name: part["properties"] for name, part in schema["$defs"].items()}
    parts["Turn"]["commands"] = _list_of(names.command())
    parts["Expect"]["messages"] = _list_of(names.message(parts["MessageDemand"]))
    parts["Expect"]["stack"] = _list_of(_one_of(names.stack()))
    parts["Expect"]["slots"] = _mapping(names.slots())
    parts["OperatorTurn"]["set_slot"] = _mapping(names.bare_slots())
    parts["Submit"] |= {"step": _one_of(names.gates()), "action": _one_of(names.decisions())}
    parts["Submit"]["values"] = _mapping(names.answers())
    for part in ("Named", "Reasoned"):
        parts[part]["step"] = _one_of(names.gates())
    parts["Scenario"]["settings"] = _mapping(Settings.model_json_schema(by_alias=True)["properties"])
    parts["Finally"]["actions"] = _mapping(names.inputs())
    schema["properties"]["stubs"] = _mapping(names.stubs(parts["Stub"]))
    return schema


class _Names:
    """What an assistant's parts are called in scenarios; nothing, when there is none."""

    def __init__(self, assistant: Assistant | None) -> None:
        self._shared: Mapping[str, Slot] = assistant.slots if assistant else {}
        self._flows: list[Flow] = list(assistant.flows.values()) if assistant else []
        self._actions = assistant.actions if assistant else {}

    def command(self) -> Schema:
        """A command's name, or {name: its field}."""
        flow, slot = _one_of(each.flow for each in self._flows), _mapping(self.bare_slots())
        name = _one_of(self.bare_slots())
        known = {"start_flow": flow, "cancel_flow": flow, "resume_flow": flow, "clarify": _list_of(flow)}
        known |= {"set_slot": slot, "correct_slot": slot, "offer_change": slot, "clear_slot": name, "skip_slot": name}
        known["choose"] = _one_of(self.answers_of_confirms())
        described = {each: {"description": kind.__doc__, **known.get(each, {})} for each, kind in COMMANDS.items()}
        more = {"optional": {"type": "boolean"}, "one_of": {"type": "array"}, "words": {"type": "string"}}
        bare = [each for each, kind in COMMANDS.items() if all(field.default is not MISSING for field in fields(kind))]
        whole = {each: told for each, told in described.items() if fields(COMMANDS[each])}
        return {"anyOf": [_one_of(bare), _mapping({**whole, **more})]}

    def answers_of_confirms(self) -> list[str]:
        """What a confirm may be answered beside yes and no."""
        steps = (step for flow in self._flows for step in flow.all_steps() if isinstance(step, Confirm))
        return sorted({answer.value for step in steps for answer in step.further_answers})

    def message(self, demand: Schema) -> Schema:
        """A message's key, or {key: what it must hold}."""
        demands = _mapping({name: each for name, each in demand.items() if name != "key"})
        keys = sorted({*self._message_keys(), *response_keys()})
        return {"anyOf": [_one_of(keys), _mapping(dict.fromkeys(keys, demands))]}

    def _message_keys(self) -> Iterator[str]:
        for flow in self._flows:
            for step in flow.all_steps():
                match step:
                    case Say():
                        yield step.step
                    case Collect():
                        yield f"ask:{step.slot}"
                    case Confirm():
                        yield f"confirm:{flow.flow}"
                    case _:
                        pass

    def stack(self) -> list[str]:
        """How one entry of the stack is written, for every flow."""
        return [entry for flow in self._flows for entry in (flow.flow, *sorted(set(_awaiting(flow))))]

    def slots(self) -> dict[str, Schema]:
        """Every slot as an expectation names it: the conversation's bare, a flow's behind its flow."""
        own = {f"{flow.flow}.{name}": _value(slot) for flow in self._flows for name, slot in flow.slots.items()}
        return {**{name: _value(slot) for name, slot in self._shared.items()}, **own}

    def bare_slots(self) -> dict[str, Schema]:
        """Every slot by its bare name."""
        own = {name: _value(slot) for flow in self._flows for name, slot in flow.slots.items()}
        return {**own, **{name: _value(slot) for name, slot in self._shared.items()}}

    def gates(self) -> list[str]:
        return [step.step for step in self._humans()]

    def decisions(self) -> list[str]:
        return sorted({action.id for step in self._humans() for action in step.actions})

    def answers(self) -> dict[str, Schema]:
        return {name: _value(slot) for step in self._humans() for name, slot in step.form.items()}

    def _humans(self) -> Iterator[Human]:
        return (step for flow in self._flows for step in flow.all_steps() if isinstance(step, Human))

    def inputs(self) -> dict[str, Schema]:
        """What each action was called with, call by call."""
        return {name: _list_of(_mapping(_values(each.inputs))) for name, each in self._actions.items()}

    def stubs(self, stub: Schema) -> dict[str, Schema]:
        """What each action gives in place of its Python."""
        return {
            name: _list_of(_mapping({**stub, "when": _mapping(_values(each.inputs)), **_returned(each.outputs)}))
            for name, each in self._actions.items()
        }


def _awaiting(flow: Flow) -> Iterator[str]:
    for step in flow.all_steps():
        match step:
            case Collect():
                yield f"{flow.flow}?{step.slot}"
            case Confirm():
                yield from (f"{flow.flow}!confirm", f"{flow.flow}!change")
            case Human():
                yield f"{flow.flow}!human"
            case Handoff():
                yield f"{flow.flow}!handoff"
            case Say(ack=True):
                yield f"{flow.flow}!ack"
            case _:
                pass


def _returned(outputs: Mapping[str, Slot]) -> dict[str, Schema]:
    return {"returns": _mapping(_values(outputs))}


def _values(slots: Mapping[str, Slot]) -> dict[str, Schema]:
    return {name: _value(slot) for name, slot in slots.items()}


def _value(slot: Slot) -> Schema:
    told = {"description": str(slot.description)} if slot.description else {}
    if slot.type == "boolean":
        return {"type": "boolean", **told}
    return {"enum": [option.value for option in slot.options], **told} if slot.options else told


def _one_of(names: Iterable[str]) -> Schema:
    return {"type": "string", "enum": list(dict.fromkeys(names))}


def _list_of(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _mapping(properties: Mapping[str, Schema]) -> Schema:
    return {"type": "object", "properties": dict(properties)}
