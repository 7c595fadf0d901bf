"""The words of the editor's fields."""

from dialogue.engine.language.compiler import json_schema
from dialogue.web.flows.panel_words import panel_words

WITHOUT_ROW = {"step", "type", "steps", "do", "role", "flow", "version", "assistant"}
"""Keys that no row of the fields shows: they are in the head, on the graph, or another spelling of a key."""


def test_every_key_that_the_fields_show_has_a_label():
    labels = panel_words()["labels"]
    shown = {
        (part, key)
        for part, schema in json_schema()["$defs"].items()
        for key in schema.get("properties", {})
        if key not in WITHOUT_ROW
    }

    assert {f"{part}.{key}" for part, key in shown if f"{part}.{key}" not in labels and key not in labels} == set()
