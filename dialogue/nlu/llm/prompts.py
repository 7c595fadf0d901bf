"""Prompts for the language model: the likely flows, the situation of the conversation and the message, as data."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dialogue.engine.language.steps import NO, YES, Collect
from dialogue.engine.ports.tasks import ConfirmTask
from dialogue.engine.slots.models import Slot
from dialogue.nlu.llm.local_reading import describe_unsure_reading
from dialogue.nlu.llm.redaction import RedactedMessage, clean_text, redact_message
from dialogue.nlu.readers.intents import is_flow, rank_intents
from dialogue.nlu.slots.assistant_index import FlowIndex, needed_flows
from dialogue.nlu.slots.choices import choice_candidates, meant_keys, option_name
from dialogue.nlu.slots.utterance import Utterance

MAX_FLOWS = 10
# The likeliest flows also show their slots, and more examples.
MAX_DETAILED_FLOWS = 3
MAX_EXAMPLES, MAX_BRIEF_EXAMPLES = 4, 2
MAX_OPTIONS = 12
MAX_TOPICS = 5


@dataclass(frozen=True)
class Prompt:
    """The input fields of `SoniDU`, and what the answer cache needs to know of the context.

    `day` is the conversation's date; `has_no_values` says that no slot was filled.
    """

    flows: str
    situation: str
    last_bot_message: str
    message: RedactedMessage
    day: str = ""
    has_no_values: bool = False

    def fields(self) -> dict[str, str]:
        """The texts by the names in `programs.INPUT_FIELDS`."""
        return {
            "flows": self.flows,
            "situation": self.situation,
            "last_bot_message": self.last_bot_message,
            "message": self.message.text,
        }


def build_prompt(utterance: Utterance) -> Prompt:
    """Build the prompt for a message: the flows that are running or paused, and the likeliest others."""
    messages = reversed(utterance.context.last_messages)
    message = redact_message(utterance)
    situation = {**_describe_situation(utterance), **describe_unsure_reading(utterance, message)}
    last_bot_message = next((text for role, text in messages if role != "user"), "")
    return Prompt(
        flows="\n".join(_json_line(line) for line in (*describe_flows(utterance), *_describe_topics(utterance))),
        situation=_json_line(situation),
        last_bot_message=clean_text(last_bot_message),
        message=message,
        day=utterance.clock().today.isoformat(),
        has_no_values=not utterance.context.filled,
    )


def describe_flows(utterance: Utterance) -> list[dict[str, Any]]:
    """The flows of the prompt, each `{flow, description, examples, slots?}`; `slots` as from `describe_slot`."""
    begun = [flow_index.name for flow_index in utterance.open_flows()]
    likely = candidate_flows(utterance)
    names = dict.fromkeys((*begun[:1], *likely[: MAX_FLOWS - len(begun[:1])], *begun[1:]))
    detailed = {*begun[:1], *likely[:MAX_DETAILED_FLOWS]}
    return [
        _describe_flow(utterance.assistant_index.flows[name], utterance, detailed=name in detailed) for name in names
    ]


def candidate_flows(utterance: Utterance) -> list[str]:
    """Names of at most `MAX_FLOWS` flows that a user can start, the likeliest first."""
    likely = [match.label.split()[1] for match in rank_intents(utterance) if is_flow(match)]
    rest = (flow.flow for flow in utterance.context.flows)
    return list(dict.fromkeys((*likely, *rest)))[:MAX_FLOWS]


def _describe_flow(flow_index: FlowIndex, utterance: Utterance, *, detailed: bool) -> dict[str, Any]:
    description: dict[str, Any] = {
        "flow": flow_index.name,
        "description": clean_text(str(flow_index.flow.description)),
    }
    limit = MAX_EXAMPLES if detailed else MAX_BRIEF_EXAMPLES
    description["examples"] = [clean_text(example) for example in flow_index.flow.examples[:limit]]
    if detailed:
        # A message that asks for the flow may also have values for the flows that run before it.
        index = utterance.assistant_index
        needed = (index.flows[name] for name in needed_flows(flow_index.name, index) if name in index.flows)
        slots = {slot.name: slot for flow in (flow_index, *needed) for slot in flow.slots}
        description["slots"] = [describe_slot(slot, utterance) for slot in slots.values()]
    return description


def describe_slot(slot: Slot, utterance: Utterance) -> dict[str, Any]:
    """A slot as `{slot, type, about?, options?, fields?}`; `options` are at most `MAX_OPTIONS` values.

    Of options from data those that the message may mean come first, by their labels; sensitive fields are masked.
    `fields` are the names under which a command may set or correct one field of a record: address.zip.
    """
    about = str(slot.description or slot.prompt or "")
    description: dict[str, Any] = {"slot": slot.name, "type": slot.type, "about": clean_text(about)}
    if slot.options:
        description["options"] = [option.value for option in slot.options[:MAX_OPTIONS]]
    if slot.record and slot.options_from is None:
        description["fields"] = [f"{slot.name}.{path}" for path in slot.fields][:MAX_OPTIONS]
    if slot.options_from is not None and not slot.sensitive:
        description["options"] = _option_labels(slot, utterance)
    return {name: value for name, value in description.items() if value}


def _option_labels(slot: Slot, utterance: Utterance) -> list[str]:
    """The masked labels of options from data, those that the message may mean first."""
    candidates = choice_candidates(slot, utterance)
    meant = meant_keys(slot, candidates, utterance) if candidates else frozenset()
    ordered = sorted(candidates, key=lambda candidate: candidate.key not in meant)
    return [clean_text(option_name(candidate)) for candidate in ordered[:MAX_OPTIONS]]


def _describe_topics(utterance: Utterance) -> Iterator[dict[str, str]]:
    likely = [match.label.split()[1] for match in rank_intents(utterance) if not is_flow(match)]
    knowledge = utterance.assistant_index.assistant.knowledge
    for topic in list(dict.fromkeys((*likely, *knowledge)))[:MAX_TOPICS]:
        yield {"topic": topic, "question": clean_text(str(next(iter(knowledge[topic].questions), topic)))}


def _describe_situation(utterance: Utterance) -> dict[str, Any]:
    awaited = utterance.context.awaited
    situation: dict[str, Any] = {
        "running": utterance.running_flow.name if utterance.running_flow else None,
        "paused": [entry.flow for entry in utterance.open_entries[1:]],
        "awaited": _describe_awaited(utterance) if awaited else None,
        "filled": {name: clean_text(text) for name, text in utterance.context.filled.items()},
        "offered": list(utterance.context.offer),
    }
    return {name: value for name, value in situation.items() if value}


def _describe_awaited(utterance: Utterance) -> Mapping[str, Any] | str:
    slot, task = utterance.awaited_slot, utterance.context.awaited
    if isinstance(task, ConfirmTask) and len(task.choices) > len((YES, NO)):
        answers = {choice.value: clean_text(choice.label) for choice in task.choices}
        return {"confirm": task.flow, "answers": answers}
    return describe_slot(slot, utterance) if slot else f"{utterance.context.explicit or 'an answer'}"


def collectable_slots(flow_index: FlowIndex) -> Sequence[Slot]:
    """The slots that the second pass looks for: those that the flow collects, without sensitive ones."""
    collected = {step.slot for step in flow_index.flow.all_steps() if isinstance(step, Collect)}
    return [slot for slot in flow_index.slots if slot.name in collected and not slot.hides_values]


def _json_line(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(", ", ": "))
