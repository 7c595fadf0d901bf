"""Templates and style sheets stay readable: short lines, and one declaration a line."""

import re
from pathlib import Path

import pytest
from django.conf import settings

MAX_LINE_CHARACTERS = 120
ROOT = Path(settings.BASE_DIR)
TEMPLATES = sorted(path for path in (ROOT / "templates").rglob("*") if path.is_file())
STYLE_SHEETS = sorted((ROOT / "static" / "css").rglob("*.css"))


@pytest.mark.parametrize("path", [*TEMPLATES, *STYLE_SHEETS], ids=lambda path: str(path.relative_to(ROOT)))
def test_lines_are_short(path: Path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [number for number, line in enumerate(lines, 1) if len(line) > MAX_LINE_CHARACTERS] == []


@pytest.mark.parametrize("path", STYLE_SHEETS, ids=lambda path: path.name)
def test_style_sheets_have_one_declaration_a_line(path: Path):
    assert crowded_lines(path.read_text(encoding="utf-8")) == []


def test_two_declarations_or_a_rule_on_one_line_are_found():
    css = 'a {\n  color: red; margin: 0;\n  background: url("data:a;b");\n}\nb { color: red; }\n/* c { d: e; } */\n'
    assert crowded_lines(css) == [2, 5]


def crowded_lines(css: str) -> list[int]:
    """Return the numbers of the lines that hold something after a semicolon, or after an opening brace."""
    code = re.sub(r"/\*.*?\*/|\"[^\"]*\"|'[^']*'", lambda match: re.sub(r"[^\n]", "x", match[0]), css, flags=re.DOTALL)
    return [
        number for number, line in enumerate(code.splitlines(), 1) if re.search(r"[;{]\s*[^\sx]", line.split("/*")[0])
    ]
