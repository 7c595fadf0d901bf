"""The written assistants that the encoder of requests was not trained on, with first messages to them.

Each is taken as it is, and again with fewer flows and examples: what asks for a flow that is gone asks for nothing.
"""

import json
from collections.abc import Mapping
from random import Random

from bench.nlu.written_assistants import WrittenAssistant, first_messages, read_assistants
from dialogue.engine.language.compiler import load_assistant
from dialogue.nlu.slots.assistant_index import flow_label, topic_label
from training.held_out import SCORER_FOLDER, WRITTEN_FOLDER, is_held_out
from training.requests.assistants import Message, Sample

MAX_GONE, TITLE_ONLY_SHARE = 3, 0.15


def written_samples(random: Random) -> list[tuple[Sample, Sample]]:
    """Return each assistant as it is, and with fewer flows."""
    held_out = [each for number, each in enumerate(read_assistants(WRITTEN_FOLDER)) if is_held_out(number)]
    return [
        (_sample(written, written.documents), _sample(written, _with_fewer(written.documents, random)))
        for written in (*held_out, *read_assistants(SCORER_FOLDER))
    ]


def _sample(written: WrittenAssistant, documents: Mapping[str, str]) -> Sample:
    """Return the messages that ask for one thing or for nothing; others are read by clauses."""
    messages: list[Message] = []
    for case in first_messages(written.cases):
        labels = [flow_label(flow) for flow in case.wants if f"{flow}.yaml" in documents]
        labels += [topic_label(case.topic)] if case.topic else []
        if len(case.wants) + bool(case.topic) <= 1:
            messages.append(Message(case.text, labels[0] if labels else ""))
    return Sample(load_assistant(documents), tuple(messages))


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
