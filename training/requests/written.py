"""The written assistants that the encoder of requests was not trained on, with first messages to them.

Each is taken as it is, and again with fewer flows and examples: what asks for a flow that is gone asks for nothing.
"""

import json
from collections.abc import Mapping, Sequence
from random import Random

from bench.nlu.written_assistants import WrittenAssistant, first_messages, read_assistants
from dialogue.engine.language.compiler import load_assistant
from dialogue.nlu.slots.assistant_index import flow_label, topic_label
from training.held_out import SCORER_FOLDER, WRITTEN_FOLDER, is_held_out
from training.listed import listed_assistants
from training.requests.assistants import Message, Sample

MAX_GONE, TITLE_ONLY_SHARE = 3, 0.15


def written_samples(random: Random) -> list[tuple[Sample, Sample]]:
    """Return each assistant as it is, and with fewer flows."""
    held_out = [each for number, each in enumerate(read_assistants(WRITTEN_FOLDER)) if is_held_out(number)]
    listed = [each for number, each in enumerate(listed_assistants()) if is_held_out(number)]
    assistants = [
        *((each.documents, _messages(each)) for each in (*held_out, *read_assistants(SCORER_FOLDER))),
        *((each.documents, [Message(said.text, said.label) for said in each.messages]) for each in listed),
    ]
    return [
        (_sample(documents, messages), _sample(_with_fewer(documents, random), messages))
        for documents, messages in assistants
    ]


def _messages(written: WrittenAssistant) -> list[Message]:
    """Return the messages that ask for one thing or for nothing; others are read by clauses."""
    messages: list[Message] = []
    for case in first_messages(written.cases):
        labels = [*map(flow_label, case.wants), *([topic_label(case.topic)] if case.topic else [])]
        if len(labels) <= 1:
            messages.append(Message(case.text, labels[0] if labels else ""))
    return messages


def _sample(documents: Mapping[str, str], messages: Sequence[Message]) -> Sample:
    """Return the assistant of these files; what asks for a flow that is gone asks for nothing."""
    assistant = load_assistant(documents)
    labels = {*map(flow_label, assistant.flows), *map(topic_label, assistant.knowledge)}
    return Sample(assistant, tuple(Message(each.text, each.label if each.label in labels else "") for each in messages))


def _with_fewer(documents: Mapping[str, str], random: Random) -> dict[str, str]:
    flows = sorted(set(documents) - {"assistant.yaml"})
    gone = set(random.sample(flows, min(random.randint(0, MAX_GONE), len(flows) - 1)))
    return {
        name: text if name == "assistant.yaml" else _with_fewer_examples(text, random)
        for name, text in documents.items()
        if name not in gone
    }


def _with_fewer_examples(text: str, random: Random) -> str:
    flow = json.loads(text)
    examples = flow["examples"]
    kept = random.sample(examples, random.randint(min(1, len(examples)), len(examples)))
    described = flow["title"] if random.random() < TITLE_ONLY_SHARE else flow["description"]
    return json.dumps({**flow, "examples": kept, "description": described})
