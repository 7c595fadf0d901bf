"""Small assistants as an author would write them, sampled from public requests, and messages to them."""

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from dialogue.engine.language.compiler import Assistant, load_assistant
from dialogue.nlu.slots.assistant_index import flow_label, topic_label
from training.requests.pools import Request, by_subject

MIN_REQUESTS, MAX_REQUESTS, MAX_SUBJECTS = 4, 30, 4
MESSAGES, OTHER_SHARE, NEAR_SHARE = 30, 0.3, 0.5
# How many examples authors give, and how often.
EXAMPLES = (1, 2, 3, 4, 5, 10, 15)
EXAMPLE_WEIGHTS = (2, 5, 5, 3, 3, 1, 1)
MIN_OPTIONS, MAX_OPTIONS, CHOICE_SHARE = 3, 10, 0.5
# What people say around a request, and how often.
GREETINGS = ("hi, ", "hello ", "Hello, ", "hey there, ", "Good morning. ", "excuse me, ")
TAILS = (" please", " thanks", " tomorrow", " on Friday at 10", ", thank you", " asap", " pls", " for two people")
GREETING_SHARE, TAIL_SHARE = 0.15, 0.15
QUESTION_START = re.compile(r"(?:what|when|where|who|how|why|which|is|are|do|does|can|could|will)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Message:
    """`label` is the flow or topic that the text asks for; "" if it asks for nothing that the assistant has."""

    text: str
    label: str


@dataclass(frozen=True)
class Sample:
    """An assistant, and messages to it."""

    assistant: Assistant
    messages: tuple[Message, ...]


def samples(requests: Sequence[Request], others: Sequence[str], count: int, random: Random) -> Iterator[Sample]:
    """Yield so many assistants with their messages."""
    for _number in range(count):
        yield _sample(requests, others, random)


def _sample(requests: Sequence[Request], others: Sequence[str], random: Random) -> Sample:
    chosen = _choose(requests, random)
    names = [f"r{number}_{request.name.lower()}" for number, request in enumerate(chosen)]
    most = random.choices(EXAMPLES, EXAMPLE_WEIGHTS)[0]
    documents, rest = {}, []
    head = {"version": 1, "assistant": "sampled", "title": "Sampled", "description": "Sampled.", "language": "en"}
    knowledge = {}
    for name, request in zip(names, chosen, strict=True):
        sentences = random.sample(request.sentences, len(request.sentences))
        number = max(1, most - random.randrange(2))
        examples, unseen = (
            (request.examples[:number], sentences) if request.examples else (sentences[:number], sentences[number:])
        )
        if request.is_topic:
            questions = [_marked(text, random) for text in examples]
            knowledge[name] = {"questions": [request.title, *questions][:number], "answer": "Yes."}
        else:
            documents[f"{name}.yaml"] = json.dumps(_flow(name, request, examples, random))
        rest.append((topic_label(name) if request.is_topic else flow_label(name), unseen))
    documents["assistant.yaml"] = json.dumps({**head, "knowledge": knowledge})
    messages = [
        Message(_styled(random.choice(unseen), random), label)
        for label, unseen in random.choices(rest, k=round(MESSAGES * (1 - OTHER_SHARE)))
    ]
    messages += [Message(_styled(text, random), "") for text in _others(chosen, requests, others, random)]
    return Sample(load_assistant(documents), tuple(messages))


def _choose(requests: Sequence[Request], random: Random) -> list[Request]:
    """Some subjects, and some requests of each; one source for each matter."""
    subjects = by_subject(requests)
    size = round(math.exp(random.uniform(math.log(MIN_REQUESTS), math.log(MAX_REQUESTS))))
    chosen: list[Request] = []
    sources: dict[str, str] = {}
    taken = random.sample(sorted(subjects), len(subjects))
    pool = [request for subject in taken[: random.randint(1, MAX_SUBJECTS)] for request in subjects[subject]]
    rest = [request for subject in taken for request in subjects[subject]]
    for request in [*random.sample(pool, len(pool)), *random.sample(rest, len(rest))]:
        place = f"{request.source} {request.subject}" if request.source in ("sgd", "own") else request.source
        is_new = not any(request is other for other in chosen)
        if is_new and len(chosen) < size and sources.setdefault(request.matter, place) == place:
            chosen.append(request)
    return chosen if any(not request.is_topic for request in chosen) else _choose(requests, random)


def _flow(name: str, request: Request, examples: Sequence[str], random: Random) -> dict[str, object]:
    has_slots = random.random() < 0.8
    slots = _slots_of(request, random) if has_slots else {}
    holes = has_slots and random.random() < 0.6
    texts = [request.template(text) if holes else re.sub("[{}]", "", text) for text in examples]
    steps = [{"step": f"ask_{slot}", "type": "collect", "slot": slot} for slot in slots]
    flow: dict[str, object] = {
        "flow": name,
        "title": request.title,
        "description": request.description if random.random() < 0.85 else request.title,
        "examples": [text if holes else _marked(text, random) for text in texts],
        "steps": [*steps, {"step": "finish", "type": "say", "message": "Done."}],
    }
    return {**flow, "slots": slots} if slots else flow


def _slots_of(request: Request, random: Random) -> dict[str, Any]:
    """Return the slots; what has few values may be a choice among them."""
    slots = dict(request.slots)
    for name, said in request.values.items():
        likely = [value for value, number in said.most_common(MAX_OPTIONS) if number > 1]
        is_choice = len(likely) >= MIN_OPTIONS and random.random() < CHOICE_SHARE
        if name in slots and slots[name]["type"] == "text" and is_choice:
            options = {re.sub(r"\W+", "_", value).strip("_"): value for value in likely}
            labelled = [{"value": key, "label": label} for key, label in options.items() if key]
            slots[name] = {**slots[name], "type": "choice", "options": labelled}
    return slots


def _others(
    chosen: Sequence[Request], requests: Sequence[Request], others: Sequence[str], random: Random
) -> Iterator[str]:
    """Yield sentences that the assistant has nothing for: of the same subjects, of others, and small talk."""
    matters = {request.matter for request in chosen}
    absent = [request for request in requests if request.matter not in matters]
    near = [request for request in absent if request.subject in {request.subject for request in chosen}]
    # Another intent of a matter that the assistant has is something else only in the same source.
    near += [
        request
        for request in requests
        if not any(request is other for other in chosen) and any(request.subject == other.subject for other in chosen)
    ]
    for _number in range(round(MESSAGES * OTHER_SHARE)):
        draw = random.random()
        if draw < NEAR_SHARE and near:
            yield random.choice(random.choice(near).sentences)
        elif draw < 0.75 and absent:
            yield random.choice(random.choice(absent).sentences)
        else:
            yield random.choice(others)


def _styled(text: str, random: Random) -> str:
    """Return the sentence as people type it: with a greeting, a time, a capital and a mark at the end, or without."""
    plain = text.rstrip(".?! ")
    if random.random() < TAIL_SHARE:
        plain += random.choice(TAILS)
    if random.random() < GREETING_SHARE:
        plain = random.choice(GREETINGS) + plain
    return _marked(plain, random)


def _marked(text: str, random: Random) -> str:
    plain = text.rstrip(".?! ")
    if random.random() < 0.5:
        plain = plain[:1].upper() + plain[1:]
    if random.random() < 0.5:
        return plain
    return f"{plain}?" if QUESTION_START.match(plain) else f"{plain}{random.choice('..!')}"
