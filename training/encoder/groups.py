"""What the encoder of requests learns from: assistants as texts by label, and messages with the labels they ask for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from bench.nlu.written_assistants import WrittenAssistant, first_messages, read_assistants
from dialogue.engine.language.compiler import Assistant, load_assistant
from dialogue.nlu.readers.intents import comparable_text
from dialogue.nlu.slots.assistant_index import AssistantIndex, flow_label, topic_label
from dialogue.nlu.slots.utterance import read_utterance
from dialogue.nlu.text.embeddings.request_encoder import text_kind
from dialogue.nlu.text.glosses import GLOSSED_LANGUAGE, gloss
from dialogue.nlu.training.labelled_examples import first_message_context
from training.held_out import WRITTEN_FOLDER, is_held_out
from training.listed import ListedAssistant, listed_assistants
from training.requests.assistants import samples
from training.requests.pools import REPORTED_SUBJECTS, request_pools

SAMPLED_ASSISTANTS, REPORTED_ASSISTANTS = 200, 30


@dataclass(frozen=True)
class Asked:
    """A message as it is compared, and the labels that it asks for; () where it asks for nothing."""

    text: str
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Group:
    """An assistant: (kind, text) by label, and messages to it. `source` is written or sampled."""

    source: str
    texts: Mapping[str, Sequence[tuple[str, str]]]
    messages: Sequence[Asked]

    def all_texts(self) -> Iterator[str]:
        """Yield the texts of the labels and the messages."""
        yield from (text for texts in self.texts.values() for _, text in texts)
        yield from (message.text for message in self.messages)


def training_groups(data: Path, random: Random) -> dict[str, list[Group]]:
    """Return the groups by part: "trained", "held-out assistants" and "other subjects"."""
    written = list(enumerate(read_assistants(WRITTEN_FOLDER)))
    listed = list(enumerate(listed_assistants()))
    requests, others = request_pools(data, random)
    sampled = {
        is_reported: [
            _group("sampled", sample.assistant, [(message.text, _one(message.label)) for message in sample.messages])
            for sample in samples(
                [request for request in requests if (request.subject in REPORTED_SUBJECTS) == is_reported],
                others,
                count,
                random,
            )
        ]
        for is_reported, count in ((False, SAMPLED_ASSISTANTS), (True, REPORTED_ASSISTANTS))
    }
    return {
        "trained": [
            *(_written(each) for number, each in written if not is_held_out(number)),
            *(_listed(each) for number, each in listed if not is_held_out(number)),
            *sampled[False],
        ],
        "held-out assistants": [_written(each) for number, each in written if is_held_out(number)],
        "held-out assistants in the short form": [_listed(each) for number, each in listed if is_held_out(number)],
        "other subjects": sampled[True],
    }


def _one(label: str) -> tuple[str, ...]:
    return (label,) if label else ()


def _listed(listed: ListedAssistant) -> Group:
    messages = [(message.text, _one(message.label)) for message in listed.messages]
    return _group("written", load_assistant(listed.documents), messages)


def _written(written: WrittenAssistant) -> Group:
    messages = [
        (case.text, (*map(flow_label, case.wants), *([topic_label(case.topic)] if case.topic else [])))
        for case in first_messages(written.cases)
    ]
    return _group("written", load_assistant(written.documents), messages)


def _group(source: str, assistant: Assistant, messages: Sequence[tuple[str, tuple[str, ...]]]) -> Group:
    """Return the assistant as first messages are compared with it: with placeholders, Spanish in English words."""
    index, context = AssistantIndex(assistant), first_message_context(assistant)
    texts: dict[str, list[tuple[str, str]]] = {}
    for document in index.opening_index(context.language).documents:
        if document.text.strip():
            texts.setdefault(document.label, []).append((text_kind(document), document.text))
    is_glossed = context.language.startswith(GLOSSED_LANGUAGE)
    asked = []
    for text, labels in messages:
        compared = comparable_text(read_utterance(text, context, index))
        asked.append(Asked(gloss(compared) if is_glossed else compared, labels))
    return Group(source, texts, asked)
