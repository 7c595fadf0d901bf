"""Where this code answers otherwise than the version that was recorded, on purpose: what it gives now, and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.upgrade.outcome import Outcome


@dataclass(frozen=True)
class Change:
    """What differs: texts and keys of lines, the new by the old; further lines as key and text; other fields as now."""

    why: str
    texts: Mapping[str, str] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)
    more: Sequence[Sequence[str]] = ()
    now: Mapping[str, Any] = field(default_factory=dict)

    def applied(self, recorded: Outcome) -> Outcome:
        """The outcome that is right now."""
        keys = [self.keys.get(key, key) for key in recorded.keys]
        texts = [self.texts.get(text, text) for text in recorded.texts or ()]
        keys += [key for key, _text in self.more]
        texts += [text for _key, text in self.more]
        return Outcome(**{**vars(recorded), "keys": keys, "texts": texts, **self.now})


CHANGES: Mapping[tuple[str, str], Change] = {}
"""The changes, by version and conversation."""
