"""What docs/widget.md shows works: the token it signs counts, and its own chat talks from a page of another origin."""

import re
from pathlib import Path

import pytest

from dialogue.web.integrate.examples import PYTHON

GUIDE = (Path(__file__).parents[3] / "docs" / "widget.md").read_text()
SCRIPT = (Path(__file__).parents[3] / "static" / "js" / "embed" / "widget.js").read_text()


def test_the_guide_signs_as_the_page_shows_it():
    [code] = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)

    assert code == PYTHON


@pytest.mark.parametrize("name", re.findall(r"^\| `data-([a-z-]+)", GUIDE, re.MULTILINE))
def test_the_script_reads_each_attribute_of_the_guide(name: str):
    first, *others = name.split("-")
    property_name = first + "".join(word.title() for word in others)

    assert re.search(rf'\boptions\.{property_name}\b|\b{property_name}( = ""|,)|"{property_name}" in options', SCRIPT)


@pytest.mark.parametrize("name", re.findall(r"^  --soni-([a-z-]+):", GUIDE, re.MULTILINE))
def test_the_script_reads_each_custom_property_of_the_guide(name: str):
    assert f"--soni-{name}" in SCRIPT or f'"{name}"' in SCRIPT


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`Soni\.(\w+)\(|`soni:(\w+)`", GUIDE))))
def test_the_script_has_each_name_that_the_guide_promises(name: tuple[str, str]):
    function, event = name

    assert (f"{function}" if function else f"soni:{event}") in SCRIPT
