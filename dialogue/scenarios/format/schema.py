"""The JSON Schema of a scenario file, for editors, with the names of the assistant that it is about."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, fields
from typing import Any

from dialogue.engine.language.compiler import Assistant, Collect, Confirm, Flow, Handoff, Human, Say, Slot, WaitStep
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
    parts["Turn"]["commands"] = _list_of(names.command_schema())
    parts["Expect"]["messages"] = _list_of(names.message_schema(parts["MessageDemand"]))
    parts["Expect"]["stack"] = _list_of(_one_of(names.stack_entries()))
    parts["Expect"]["slots"] = _object_of(names.slot_schemas())
    parts["OperatorTurn"]["set_slot"] = _object_of(names.bare_slot_schemas())
    parts["Submit"] |= {"step": _one_of(names.gate_steps()), "action": _one_of(names.decision_ids())}
    parts["Submit"]["values"] = _object_of(names.answer_schemas())
    for part in ("Named", "Reasoned"):
        parts[part]["step"] = _one_of(names.gate_steps())
    parts["ReportedEvent"]["name"] = _one_of(names.events())
    parts["BegunFlow"]["flow"] = _one_of(names.flows())
    parts["Scenario"]["settings"] = _object_of(Settings.model_json_schema(by_alias=True)["properties"])
    parts["Finally"]["actions"] = _object_of(names.input_schemas())
    schema["properties"]["stubs"] = _object_of(names.stub_schemas(parts["Stub"]))
    return schema


class _Names:
    """What an assistant's parts are called in scenarios; nothing, when there is none."""

    def __init__(self, assistant: Assistant | None) -> None:
        self._shared: Mapping[str, Slot] = assistant.slots if assistant else {}
        self._flows: list[Flow] = list(assistant.flows.values()) if assistant else []
        self._actions = assistant.actions if assistant else {}
        self._events = assistant.events if assistant else {}

    def command_schema(self) -> Schema:
        """A command's name, or {name: its field}."""
        flow, slot = _one_of(name.flow for name in self._flows), _object_of(self.bare_slot_schemas())
        slot_name = _one_of(self.bare_slot_schemas())
        schemas = {"start_flow": flow, "cancel_flow": flow, "resume_flow": flow, "clarify": _list_of(flow)}
        schemas |= {
            "set_slot": slot,
            "correct_slot": slot,
            "offer_change": slot,
            "narrow": _object_of(dict.fromkeys(self.bare_slot_schemas(), _list_of({"type": "string"}))),
            "add_values": _object_of({name: {} for name in self.bare_slot_schemas()}),
            "remove_values": _object_of({name: {} for name in self.bare_slot_schemas()}),
            "clear_slot": slot_name,
            "skip_slot": slot_name,
        }
        schemas["choose"] = _one_of(self.answers_of_confirms())
        described = {name: {"description": kind.__doc__, **schemas.get(name, {})} for name, kind in COMMANDS.items()}
        more = {"optional": {"type": "boolean"}, "one_of": {"type": "array"}, "words": {"type": "string"}, "item": {}}
        bare = [name for name, kind in COMMANDS.items() if all(field.default is not MISSING for field in fields(kind))]
        whole = {name: schema for name, schema in described.items() if fields(COMMANDS[name])}
        return {"anyOf": [_one_of(bare), _object_of({**whole, **more})]}

    def answers_of_confirms(self) -> list[str]:
        """What a confirm may be answered beside yes and no."""
        steps = (step for flow in self._flows for step in flow.all_steps() if isinstance(step, Confirm))
        return sorted({answer.value for step in steps for answer in step.further_answers})

    def message_schema(self, demand: Schema) -> Schema:
        """A message's key, or {key: what it must hold}."""
        demands = _object_of({name: schema for name, schema in demand.items() if name != "key"})
        keys = sorted({*self._message_keys(), *response_keys()})
        return {"anyOf": [_one_of(keys), _object_of(dict.fromkeys(keys, demands))]}

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

    def stack_entries(self) -> list[str]:
        """How one entry of the stack is written, for every flow."""
        return [entry for flow in self._flows for entry in (flow.flow, *sorted(set(_awaiting_entries(flow))))]

    def slot_schemas(self) -> dict[str, Schema]:
        """Every slot as an expectation names it: the conversation's bare, a flow's behind its flow."""
        flow_slots = {
            f"{flow.flow}.{name}": _slot_schema(slot) for flow in self._flows for name, slot in flow.slots.items()
        }
        return {**{name: _slot_schema(slot) for name, slot in self._shared.items()}, **flow_slots}

    def bare_slot_schemas(self) -> dict[str, Schema]:
        """Every slot by its bare name."""
        flow_slots = {name: _slot_schema(slot) for flow in self._flows for name, slot in flow.slots.items()}
        return {**flow_slots, **{name: _slot_schema(slot) for name, slot in self._shared.items()}}

    def gate_steps(self) -> list[str]:
        return [step.step for step in self._human_steps()]

    def flows(self) -> list[str]:
        """Every flow, whether or not a message may start it."""
        return [flow.flow for flow in self._flows]

    def events(self) -> list[str]:
        """The events that the assistant declares."""
        return sorted(self._events)

    def decision_ids(self) -> list[str]:
        return sorted({action.id for step in self._human_steps() for action in step.actions})

    def answer_schemas(self) -> dict[str, Schema]:
        return {name: _slot_schema(slot) for step in self._human_steps() for name, slot in step.form.items()}

    def _human_steps(self) -> Iterator[Human]:
        return (step for flow in self._flows for step in flow.all_steps() if isinstance(step, Human))

    def input_schemas(self) -> dict[str, Schema]:
        """What each action was called with, call by call."""
        return {name: _list_of(_object_of(_slot_schemas(contract.inputs))) for name, contract in self._actions.items()}

    def stub_schemas(self, stub: Schema) -> dict[str, Schema]:
        """What each action gives in place of its Python."""
        return {
            name: _list_of(
                _object_of(
                    {**stub, "when": _object_of(_slot_schemas(contract.inputs)), **_returns_schema(contract.outputs)}
                )
            )
            for name, contract in self._actions.items()
        }


def _awaiting_entries(flow: Flow) -> Iterator[str]:
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
            case WaitStep():
                yield f"{flow.flow}!wait"
            case Say(ack=True):
                yield f"{flow.flow}!ack"
            case _:
                pass


def _returns_schema(outputs: Mapping[str, Slot]) -> dict[str, Schema]:
    return {"returns": _object_of(_slot_schemas(outputs))}


def _slot_schemas(slots: Mapping[str, Slot]) -> dict[str, Schema]:
    return {name: _slot_schema(slot) for name, slot in slots.items()}


def _slot_schema(slot: Slot) -> Schema:
    description = {"description": str(slot.description)} if slot.description else {}
    if slot.type == "boolean":
        return {"type": "boolean", **description}
    return {"enum": [option.value for option in slot.options], **description} if slot.options else description


def _one_of(names: Iterable[str]) -> Schema:
    return {"type": "string", "enum": list(dict.fromkeys(names))}


def _list_of(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _object_of(properties: Mapping[str, Schema]) -> Schema:
    return {"type": "object", "properties": dict(properties)}
