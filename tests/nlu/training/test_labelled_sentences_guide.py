"""The labelled sentences of docs/understanding.md are read as the page says."""

import re
from pathlib import Path

from dialogue.engine.language.compiler import load_assistant
from dialogue.engine.ports.commands import CannotHandle, SetSlot, StartFlow
from dialogue.nlu.training.labelled_examples import read_sentences

DOCS = Path(__file__).parents[3] / "docs"


def test_the_sentences_of_the_page_are_read():
    assistant, flow = re.findall(r"```yaml\n(.*?)```", (DOCS / "flows.md").read_text(), re.DOTALL)[:2]
    canteen = load_assistant({"assistant.yaml": assistant, "book_table.yaml": flow})
    lines = re.findall(r"```json\n(.*?)```", (DOCS / "understanding.md").read_text(), re.DOTALL)[0].splitlines()

    booking, out_of_scope = read_sentences(iter(lines), canteen)

    assert booking.first_commands == (
        StartFlow("book_table"),
        SetSlot("seats", "6", "6"),
        SetSlot("day", "2026-11-27", "2026-11-27"),
    )
    assert isinstance(out_of_scope.first_commands[0], CannotHandle)
    assert (booking.message[12:15], booking.message[19:25]) == ("six", "Friday")
