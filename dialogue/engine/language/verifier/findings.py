"""The findings of the verifier's checks, before the loader adds line and column."""

from dataclasses import dataclass

from dialogue.engine.source.parser import DocumentPath
from dialogue.engine.source.problems import Severity


@dataclass(frozen=True)
class Finding:
    """An error or a warning at a path of a flow's document; `flow` is "" for assistant.yaml.

    `offset` counts characters into the text at the path, or into its translation to `language`; `on_key` points at the
    key instead of the value.
    """

    rule: str
    severity: Severity
    flow: str
    path: DocumentPath
    text: str
    advice: str = ""
    offset: int = 0
    on_key: bool = False
    language: str = ""
