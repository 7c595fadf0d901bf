"""Search the saved texts of all flows."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from dialogue.models import Flow

MAX_HITS = 100


@dataclass(frozen=True)
class SearchHit:
    """A line that holds the words."""

    assistant: str
    flow: str
    line: int
    text: str


def search_flows(words: str) -> list[SearchHit]:
    """The lines of all saved texts that hold these words, in any case; at most MOST."""
    return list(islice(_matching_lines(words.casefold()), MAX_HITS)) if words else []


def _matching_lines(words: str) -> Iterator[SearchHit]:
    rows = Flow.objects.filter(archived=False, head__isnull=False).select_related("head", "assistant")
    for row in rows.order_by("assistant__name", "name").iterator(chunk_size=50):
        for number, line in enumerate(row.head.text.splitlines() if row.head else [], 1):
            if words in line.casefold():
                yield SearchHit(row.assistant.name, row.name, number, line.strip()[:200])
