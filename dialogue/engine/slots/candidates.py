"""Candidates: the options of a slot whose choices come from data, as they are known in a turn."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from dialogue.engine.slots.models import Slot


@dataclass(frozen=True)
class Candidate:
    """One option of a choice from data.

    `key` is a stable text that buttons send and programs name; `value` is what the slot stores: a text, or a whole
    record. `label` is what the user reads, `texts` are the displayed values of its attributes, in order of declaration.
    `fields` are the stored values of the entry's fields and `types` their slots, so that dates and amounts can be
    compared; an entry that is only a text has none. `masked_label` is the label for logs, prompts and traces: sensitive
    fields are masked in it. `sensitive` says that the slot or a displayed field is sensitive.
    """

    key: str
    value: JsonValue
    label: str
    texts: tuple[str, ...] = ()
    fields: Mapping[str, JsonValue] = field(default_factory=dict)
    types: Mapping[str, Slot] = field(default_factory=dict, repr=False, compare=False)
    synonyms: tuple[str, ...] = ()
    masked_label: str = ""
    sensitive: bool = False


def find_candidate(words: object, candidates: Iterable[Candidate]) -> Candidate | None:
    """Return the candidate whose key, value or label is exactly this; upper and lower case are the same in labels."""
    options = tuple(candidates)
    if not isinstance(words, str):
        return next((option for option in options if option.value == words), None)
    text = words.strip()
    exact = next((option for option in options if text in (option.key, option.value)), None)
    return exact or next((option for option in options if option.label.casefold() == text.casefold()), None)
