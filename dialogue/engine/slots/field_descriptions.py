"""What the models of the language say of their fields, in the text that stands under each of them in the source.

Pydantic can read it too, but does so when a model is made: at every start, though few of them show a schema.
"""

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from textwrap import dedent


@cache
def field_descriptions(model: type) -> dict[str, str]:
    """The description of each field, by its name in Python, with those of the models that it is made from."""
    told: dict[str, str] = {}
    for part in reversed(model.__mro__):
        if "__annotations__" in vars(part) and part.__module__.startswith("dialogue."):
            told |= dict(_told_in(part))
    return told


def _told_in(part: type) -> Iterator[tuple[str, str]]:
    (definition,) = ast.parse(dedent(inspect.getsource(part))).body
    assert isinstance(definition, ast.ClassDef)
    for field, text in pairwise(definition.body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr):
            yield field.target.id, inspect.cleandoc(ast.literal_eval(text.value))
