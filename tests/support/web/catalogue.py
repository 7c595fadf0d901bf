"""The texts that the console translates, read from its sources as `makemessages` would, without xgettext.

Python is read by its own parser, templates by Django's `templatize`, which writes them as calls of gettext.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from django.utils.translation.template import templatize

from dialogue.engine.language.reference import language_reference

ROOT = Path(__file__).parents[3]
FUNCTIONS = {
    "gettext": ("singular",),
    "gettext_lazy": ("singular",),
    "gettext_noop": ("singular",),
    "ngettext": ("singular", "plural"),
    "ngettext_lazy": ("singular", "plural"),
    "pgettext": ("context", "singular"),
    "pgettext_lazy": ("context", "singular"),
    "npgettext": ("context", "singular", "plural"),
    "npgettext_lazy": ("context", "singular", "plural"),
    "sentence": ("singular",),
}
"""What each function's first arguments are."""

MODULES = {"django.utils.translation", "dialogue.desk.forms.sentences"}

TEMPLATE_SUFFIXES = {".html", ".txt"}
"""Pages and mails."""

Text = tuple[str, str, str]
"""A context, a text and its plural; empty where there is none."""


def texts() -> dict[Text, str]:
    """All texts, each with a place where it stands."""
    found: dict[Text, str] = {}
    for folder in ("dialogue", "soni_admin"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            found.update((text, f"{file.relative_to(ROOT)}:{line}") for text, line in in_python(file.read_text()))
    for file in sorted(path for path in (ROOT / "templates").rglob("*") if path.suffix in TEMPLATE_SUFFIXES):
        found.update((text, f"{file.relative_to(ROOT)}:{line}") for text, line in in_template(file.read_text()))
    return {**dict(of_the_flow_language()), **found}


def of_the_flow_language() -> Iterator[tuple[Text, str]]:
    """The descriptions of the parts and keys of the flow language, which the fields and the reference show."""
    for chapter in language_reference():
        described = [(chapter.description, chapter.name)]
        described += [(key.description, f"{chapter.name}.{key.name}") for key in chapter.keys]
        yield from ((("", description, ""), place) for description, place in described if description)


def in_python(source: str) -> Iterator[tuple[Text, int]]:
    """The texts of a module, under whatever names it imports the functions, and the templates of its phrases."""
    if not any(sign in source for sign in ("gettext", "Phrase(", "import sentence as _")):
        return
    tree = ast.parse(source)
    yield from ((("", template, ""), line) for template, line in templates_of_phrases(tree))
    names = {
        alias.asname or alias.name: FUNCTIONS[alias.name]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in MODULES
        for alias in node.names
        if alias.name in FUNCTIONS
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            words = [str(each.value) for each in node.args if isinstance(each, ast.Constant)]
            given = dict(zip(names[node.func.id], words, strict=False))
            if "singular" in given:
                yield (given.get("context", ""), given["singular"], given.get("plural", "")), node.lineno


def templates_of_phrases(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """The templates of `Phrase("…")`, which the console translates when it shows a finding."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Phrase":
            template = node.args[0]
            if isinstance(template, ast.Constant) and template.value:
                yield str(template.value), node.lineno


CALL = re.compile(r"""\b(n?p?gettext|_)\(((?:u?(?:'(?:[^'\\\\]|\\\\.)*'|"(?:[^"\\\\]|\\\\.)*"),? ?)+)""")
"""A call as `templatize` writes it: the name, and those arguments that are text."""


def in_template(source: str) -> Iterator[tuple[Text, int]]:
    """The texts of a template."""
    code = templatize(source)
    for call in CALL.finditer(code):
        words = ast.literal_eval(f"[{call[2]}]")
        given = dict(zip(FUNCTIONS["gettext" if call[1] == "_" else call[1]], words, strict=False))
        text = (given.get("context", ""), given["singular"], given.get("plural", ""))
        yield text, code.count("\n", 0, call.start()) + 1
