"""Small assistants that were written for training, with messages as customers put them: indirect, long, in a few words.

Each is taken as it is, and several times with fewer flows and examples: what asks for a flow that is gone asks for
nothing that the assistant has.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

from bench.nlu.written_assistants import WrittenAssistant, first_messages, read_assistants
from dialogue.engine.language.compiler import load_assistant
from dialogue.nlu.slots.assistant_index import flow_label, topic_label
from training.requests.assistants import Message, Sample

FOLDER = Path(__file__).parents[1] / "written"
PARTS, MAX_GONE, TITLE_ONLY_SHARE = 1, 3, 0.15
# One of so many assistants is held out, in turn for the temperature and for reporting.
HELD_OUT = 6


def written_samples(random: Random) -> tuple[list[Sample], list[Sample], list[Sample]]:
    """Return the assistants to train on, those for the temperature and those for reporting."""
    parts: tuple[list[Sample], list[Sample], list[Sample]] = ([], [], [])
    for number, written in enumerate(read_assistants(FOLDER)):
        held_out = 0 if number % HELD_OUT else 1 + number // HELD_OUT % 2
        parts[held_out].append(_sample(written, written.documents))
        if not held_out:
            parts[0].extend(_sample(written, _with_fewer(written.documents, random)) for _ in range(PARTS))
    return parts


def _sample(written: WrittenAssistant, documents: Mapping[str, str]) -> Sample:
    """Return the assistant with the messages that ask for one thing or for nothing; others are read by clauses."""
    flows = {name.removesuffix(".yaml") for name in documents}
    messages: list[Message] = []
    for case in first_messages(written.cases):
        labels = [flow_label(flow) for flow in case.wants if flow in flows]
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
    examples: Sequence[str] = flow["examples"]
    kept = random.sample(examples, random.randint(min(1, len(examples)), len(examples)))
    described = flow["title"] if random.random() < TITLE_ONLY_SHARE else flow["description"]
    return json.dumps({**flow, "examples": kept, "description": described})
