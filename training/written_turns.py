"""Messages to the written assistants as examples of the span extractor: customers' own words, in long sentences.

The folder and the file format are those of bench/nlu/written_assistants.py. English assistants only.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from random import Random
from typing import Any

from bench.nlu.written_assistants import WrittenAssistant, WrittenCase, read_assistants, said_and_meant
from dialogue.nlu.heads.span_extractor import LANGUAGES
from dialogue.nlu.slots.assistant_index import flow_label
from training.examples import Example, SlotTexts, Span, slot_texts
from training.held_out import EVERYDAY_FOLDER, FROZEN_FOLDER, SCORER_FOLDER, WRITTEN_FOLDER
from training.listed import ListedAssistant, listed_assistants

# How often the text by which the product knows a slot is there beside those of `slot_texts`.
PRODUCT_TEXT_COPIES = 3
# A message with two wishes is an example of each of their flows.
MAX_FLOWS = 2


def written_examples(random: Random) -> list[Example]:
    """Return the messages whose values can be found in their words, with the slots of the flow that has them."""
    folders = (WRITTEN_FOLDER, SCORER_FOLDER, FROZEN_FOLDER, EVERYDAY_FOLDER)
    assistants = [assistant for folder in folders for assistant in read_assistants(folder)]
    listed = [each for each in listed_assistants() if each.language in LANGUAGES]
    return [
        *(example for each in assistants if each.language in LANGUAGES for example in _examples(each, random)),
        *(example for each in listed for example in _listed_examples(each, random)),
    ]


def _listed_examples(listed: ListedAssistant, random: Random) -> Iterator[Example]:
    """Yield the messages whose values are marked; what asks for no flow has no value of a random one."""
    texts = _texts_by_flow(listed.documents, random)
    for message in listed.messages:
        flow = message.label.removeprefix(flow_label(""))
        if message.spans is not None and texts:
            yield Example(message.text, texts[flow if flow in texts else random.choice(sorted(texts))], message.spans)


def _examples(written: WrittenAssistant, random: Random) -> Iterator[Example]:
    texts = _texts_by_flow(written.documents, random)
    if not texts:
        return
    for case in written.cases:
        wanted = [flow for flow in dict.fromkeys((case.flow, *case.wants)) if flow in texts]
        for flow in wanted[:MAX_FLOWS] or [random.choice(sorted(texts))]:
            spans = _spans(case, flow, written.types)
            if spans is not None:
                yield Example(case.text, texts[flow], spans, frozenset({case.asked} & set(texts[flow])))


def _texts_by_flow(documents: Mapping[str, str], random: Random) -> dict[str, dict[str, SlotTexts]]:
    """Return the texts of the slots of each flow that has any."""
    flows = {name.removesuffix(".yaml"): json.loads(text) for name, text in documents.items()}
    return {
        name: {slot: _texts(random, slot, content) for slot, content in flow["slots"].items()}
        for name, flow in flows.items()
        if name != "assistant" and flow["slots"]
    }


def _texts(random: Random, name: str, slot: Mapping[str, Any]) -> SlotTexts:
    words, description, prompt = name.replace("_", " "), slot.get("description", ""), slot["prompt"]
    product_text = ". ".join(text.strip(" .") for text in (words, description, prompt) if text)
    return (*[product_text] * PRODUCT_TEXT_COPIES, *slot_texts(random, words, description, [prompt], ()))


def _spans(case: WrittenCase, flow: str, types: Mapping[tuple[str, str], str]) -> tuple[Span, ...] | None:
    """Return where the values of the flow's slots are; None where one is not in the text. A yes or no has no words."""
    spans: list[Span] = []
    for name, said in case.values.items():
        slot = name.rpartition(".")[2]
        if types.get((flow, slot), "boolean") == "boolean":
            continue
        place = _place(case.text, said_and_meant(said)[0].strip(".,;!? "), spans)
        if place is None:
            return None
        spans.append((slot, *place))
    return tuple(spans)


def _place(text: str, words: str, taken: Iterable[Span]) -> tuple[int, int] | None:
    """Return the first place of the words that no other value has."""
    start = text.lower().find(words.lower())
    while start >= 0:
        end = start + len(words)
        if not any(start < other_end and other_start < end for _, other_start, other_end in taken):
            return start, end
        start = text.lower().find(words.lower(), start + 1)
    return None
