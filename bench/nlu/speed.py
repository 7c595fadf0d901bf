"""How long 100 flows of ten examples take to be learned, and a message to be understood, with the sentence model."""

import asyncio
import json
import resource
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, process_time

from bench.nlu.data import sentences
from bench.nlu.figures import Took, time_line
from dialogue.engine.language.compiler import Assistant, load_assistant
from dialogue.nlu import build_nlu
from dialogue.nlu.settings import NLUSettings
from dialogue.nlu.training.labelled_examples import first_message_context

FLOWS, MESSAGES = 100, 300
MAX_LEARNING_SECONDS, MAX_MESSAGE_MILLISECONDS = 10, 15


def table(folder: Path) -> Iterator[str]:
    """CLINC150's first 100 intents as flows with two free texts each, and every fifteenth sentence of its test part."""
    assistant = _assistant_of(folder)
    nlu = build_nlu(assistant, "learned", NLUSettings(use_embeddings=True))
    started = perf_counter()
    nlu.prepare()
    seconds = perf_counter() - started
    texts = len(nlu.assistant_index.documents)
    yield f"learning {texts} texts of {FLOWS} flows: {seconds:.1f} s (at most {MAX_LEARNING_SECONDS})"
    context, times = first_message_context(assistant), []
    tests = sentences(folder / "test.jsonl")
    for sentence in tests[:: len(tests) // MESSAGES]:
        clock, processor = perf_counter(), process_time()
        asyncio.run(nlu.understand(sentence.text, context))
        times.append(Took(1_000 * (perf_counter() - clock), 1_000 * (process_time() - processor)))
    yield time_line(f"a first message with {FLOWS} flows", times, MAX_MESSAGE_MILLISECONDS)
    yield f"memory of the process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1_024} MB"


def _assistant_of(folder: Path) -> Assistant:
    examples: dict[str, list[str]] = defaultdict(list)
    for sentence in sentences(folder / "train_10shot_s0.jsonl"):
        examples[sentence.intent].append(sentence.text)
    head = {"version": 1, "assistant": "clinc", "title": "CLINC", "description": "Many flows.", "language": "en"}
    flows = {f"{name}.yaml": json.dumps(_flow(name, examples[name])) for name in list(examples)[:FLOWS]}
    return load_assistant({"assistant.yaml": json.dumps(head), **flows})


def _flow(name: str, examples: list[str]) -> dict[str, object]:
    title = name.replace("_", " ")
    return {
        "flow": name,
        "title": title,
        "description": f"About {title}.",
        "examples": examples,
        "slots": {slot: {"type": "text", "prompt": f"What is the {slot}?"} for slot in ("name", "reason")},
        "steps": [
            {"step": "ask_name", "type": "collect", "slot": "name"},
            {"step": "ask_reason", "type": "collect", "slot": "reason"},
            {"step": "done", "type": "say", "message": "Done."},
        ],
    }
