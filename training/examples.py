"""Examples of the span extractor: a text, the slots that are asked for, and where their values are."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from training.word_lists import lines

SlotTexts = tuple[str, ...]
"""Different texts of one slot; training takes one of them each time."""
Span = tuple[str, int, int]

MAX_SLOT_TEXT_EXAMPLES = 3
VARIANTS = 8


@dataclass(frozen=True)
class Example:
    """`slots` are those of the assistant, by name, with their texts; `awaited` was just asked for."""

    text: str
    slots: Mapping[str, SlotTexts]
    spans: tuple[Span, ...] = ()
    awaited: frozenset[str] = frozenset()


def slot_texts(random: Random, name: str, description: str, prompts: Sequence[str], values: Sequence[str]) -> SlotTexts:
    """Return texts as authors may write them: name, description, prompt and examples, in parts."""
    words = name.replace("_", " ")
    texts = [words, description or words, f"{words}: {description or words}"]
    while len(texts) < VARIANTS:
        prompt = random.choice(prompts or lines("prompts")).format(name=words)
        examples = ", ".join(random.sample(list(values), min(len(values), random.randint(1, MAX_SLOT_TEXT_EXAMPLES))))
        parts = [part for part in (words, description, prompt, examples) if part and random.random() < 0.6]
        texts.append(random.choice((". ", ": ", " ", ", ")).join(parts or [words]))
    return tuple(dict.fromkeys(texts))


def varied(random: Random, example: Example) -> Example:
    """Return the example with other clauses around it, slips of the keyboard, or in lower case."""
    if random.random() < 0.15:
        example = in_clauses(random, example)
    if random.random() < 0.06:
        example = replace(example, text=with_slips(random, example.text, example.spans))
    lowered = example.text.lower()
    if random.random() < 0.2 and len(lowered) == len(example.text):
        example = replace(example, text=lowered)
    return example


def in_clauses(random: Random, example: Example) -> Example:
    """Put a few words before or after."""
    before = random.choice((*lines("clauses_before"), "", "", ""))
    after = random.choice((*lines("clauses_after"), "", "", ""))
    body = example.text.rstrip(".!? ") if after else example.text
    if any(end > len(body) for _, _, end in example.spans):
        return example
    if before and body[:1].isupper() and not any(start == 0 for _, start, _ in example.spans):
        body = body[0].lower() + body[1:] if not body.startswith(("I ", "I'")) else body
    spans = tuple((slot, start + len(before), end + len(before)) for slot, start, end in example.spans)
    return replace(example, text=f"{before}{body}{after}", spans=spans)


def with_slips(random: Random, text: str, spans: Iterable[Span]) -> str:
    """Exchange two letters next to each other, outside the values and inside one word."""
    places = [
        index
        for index in range(1, len(text) - 2)
        if text[index].isalpha() and text[index + 1].isalpha() and not any(a - 1 <= index <= b for _, a, b in spans)
    ]
    if not places:
        return text
    index = random.choice(places)
    return text[:index] + text[index + 1] + text[index] + text[index + 2 :]
