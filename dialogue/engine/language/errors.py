"""Turn pydantic's errors into problems for authors: where, what was found, and what to write instead."""

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import takewhile
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from dialogue.engine.language.paths import known_keys
from dialogue.engine.slots.fields import describe_value, text_advice
from dialogue.engine.source.parser import DocumentPath, Source
from dialogue.engine.source.phrases import Phrase
from dialogue.engine.source.problems import Problem, did_you_mean

Explanation = tuple[str, str]
"""What was found, and what to write instead."""

_IDENTIFIER_ADVICE = Phrase(
    "Write lowercase letters, digits and underscores, starting with a letter, at most 64 characters"
)
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_EXPIRY = frozenset({"timeout", "on_timeout"})


def problems_of(
    error: ValidationError, root: type[BaseModel], source: Source, file: str, name: str
) -> Iterator[Problem]:
    """Yield a problem for each error; `name` begins their paths, such as the flow's name."""
    details = error.errors(include_url=False)
    for detail in details:
        if not _is_echo(detail, details) and not is_continuation(source, detail):
            context = detail.get("ctx", {})
            path, on_key = _document_path(detail, source.tree)
            text, advice = _explain_error(detail, path, root, source)
            # Errors of the models themselves may point at one key of their mapping.
            if context.get("key"):
                path, on_key = (*path, context["key"]), True
            mark = source.key_at(path) if on_key else source.value_at(path)
            column = mark.column_at(int(context.get("offset", 0)))
            rule = _rule_of(detail, path, source.tree)
            readable = readable_path(name, source.tree, path)
            yield Problem("E-FLOW", file, mark.line, column, readable, "error", text, advice, rule)


def _is_echo(detail: ErrorDetails, details: list[ErrorDetails]) -> bool:
    """Return whether a list only seems too short because its entries were refused."""
    locations = (other["loc"] for other in details if other is not detail)
    return detail["type"] == "too_short" and any(loc[: len(detail["loc"])] == detail["loc"] for loc in locations)


def is_continuation(source: Source, detail: ErrorDetails) -> bool:
    """Return whether the unknown key is a later piece of a cut text whose first piece is reported already."""
    path, _ = _document_path(detail, source.tree)
    pieces = _text_pieces(source, path) if detail["type"] == "extra_forbidden" else None
    return pieces is not None and pieces[1].index(str(path[-1])) > 1


def explain_cut_text(source: Source, path: DocumentPath) -> Explanation | None:
    """Explain an unknown key that is the rest of an unquoted text, cut at its comma; None for other keys."""
    pieces = _text_pieces(source, path)
    if pieces is None:
        return None
    node, keys = pieces
    text = ", ".join([str(node[keys[0]]), *(key if node[key] is None else f"{key}: {node[key]}" for key in keys[1:])])
    text_ = Phrase(
        "the text of `{keys}` ends at its comma, so `{path}` is read as a key", keys=keys[0], path=str(path[-1])[:64]
    )
    return text_, Phrase('Quote the text: {keys}: "{text}"', keys=keys[0], text=text[:120])


def _text_pieces(source: Source, path: DocumentPath) -> tuple[Mapping[str, Any], list[str]] | None:
    """Return the mapping around an unknown key, and in it the key of the cut text with the pieces in its line."""
    node = _node_at(source.tree, path[:-1])
    keys = list(node) if isinstance(node, Mapping) else []
    if not path or path[-1] not in keys:
        return None
    first = keys.index(path[-1])
    while first > 0 and _is_piece(node, keys[first]):
        first -= 1
    pieces = [keys[first], *takewhile(lambda key: _is_piece(node, key), keys[first + 1 :])]
    line = source.key_at((*path[:-1], keys[first])).line
    cut = path[-1] in pieces[1:] and isinstance(node[keys[first]], str) and source.key_at(path).line == line
    return (node, pieces) if cut else None


def _is_piece(node: Mapping[str, Any], key: str) -> bool:
    return node[key] is None or not _NAME.fullmatch(key)


def _document_path(detail: ErrorDetails, tree: Any) -> tuple[DocumentPath, bool]:
    """Return the path in the document, without pydantic's own tags, and whether the error is about the key."""
    path: list[str | int] = []
    node, on_key = tree, detail["type"] in ("extra_forbidden", "missing")
    for index, key in enumerate(detail["loc"]):
        if key == "[key]":
            on_key = True
        elif _is_tag(detail["loc"], index, node):
            continue  # pydantic adds the type of a step to its path
        elif _has_key(node, key):
            path.append(key)
            node = node[key]
        elif detail["type"] == "missing" and index == len(detail["loc"]) - 1:
            path.append(key)
    return tuple(path), on_key


def _is_tag(loc: tuple[int | str, ...], index: int, node: Any) -> bool:
    after_index = index > 0 and isinstance(loc[index - 1], int)
    return after_index and isinstance(node, Mapping) and node.get("type") == loc[index]


def _has_key(node: Any, key: str | int) -> bool:
    if isinstance(node, tuple):
        return isinstance(key, int) and key < len(node)
    return isinstance(node, Mapping) and key in node


def readable_path(name: str, tree: Any, path: DocumentPath) -> str:
    """Return the path with steps and actions by their names: "reserve_book.steps.check.on_deny"."""
    words, node = [name], tree
    for key in path:
        node = node[key] if _has_key(node, key) else None
        word = str(key)[:64]
        if isinstance(key, int) and isinstance(node, Mapping):
            # Entries of lists go by their own name: a step's, an action's or an option's.
            own_name = node.get("step") or node.get("id") or node.get("value")
            word = own_name if isinstance(own_name, str) else word
        words.append(word)
    return ".".join(words)


def _rule_of(detail: ErrorDetails, path: DocumentPath, tree: Any) -> str:
    if detail["type"] == "missing":
        return "human_without_expiry" if _is_expiry(path, tree) else "missing_key"
    return _RULES.get(detail["type"], detail["type"])


def _is_expiry(path: DocumentPath, tree: Any) -> bool:
    return path[-1] in _EXPIRY and _node_at(tree, (*path[:-1], "type")) == "human"


def _node_at(tree: Any, path: DocumentPath) -> Any:
    node = tree
    for key in path:
        if not _has_key(node, key):
            return None
        node = node[key]
    return node


def _explain_error(detail: ErrorDetails, path: DocumentPath, root: type[BaseModel], source: Source) -> Explanation:
    context, tree = detail.get("ctx", {}), source.tree
    # The error comes from a model of the language, which has explained it already.
    if "advice" in context:
        return str(context["text"]), str(context["advice"])
    match detail["type"]:
        case "extra_forbidden":
            return explain_cut_text(source, path) or (
                Phrase("unknown key `{path}`", path=str(path[-1])[:64]),
                did_you_mean(str(path[-1]), known_keys(root, tree, path[:-1])),
            )
        case "missing":
            return _missing_key(path, tree)
        case "union_tag_not_found" if isinstance(detail["input"], Mapping):
            return Phrase("`type` is missing"), Phrase("Write type: say, or another type of step")
        case "union_tag_invalid":
            step_type = str(context["tag"])
            expected = str(context["expected_tags"])
            return Phrase("there is no step type `{step_type}`", step_type=step_type[:64]), did_you_mean(
                step_type, _quoted_words(expected)
            )
        case "literal_error":
            value, choices = detail["input"], _quoted_words(str(context["expected"]))
            found = (
                Phrase("`{value}` is not allowed here", value=value[:64])
                if isinstance(value, str)
                else f"found {describe_value(value)}"
            )
            return found, did_you_mean(str(value), choices)
        case "string_pattern_mismatch":
            return Phrase("`{detail}` is not a valid value here", detail=str(detail["input"])[:64]), _pattern_advice(
                str(context["pattern"])
            )
        case _:
            return _explain_type(detail)


def _missing_key(path: DocumentPath, tree: Any) -> Explanation:
    if _is_expiry(path, tree):
        text = Phrase("this human step does not say what happens on expiry: `{path}` is missing", path=path[-1])
        return text, Phrase("Write timeout: 30m and on_timeout: <an action that refuses, or a step>")
    return Phrase("`{path}` is missing", path=path[-1]), Phrase("Write {path}: …", path=path[-1])


def _quoted_words(text: str) -> list[str]:
    return re.findall(r"'([^']*)'", text)


def _pattern_advice(pattern: str) -> str:
    if "A-Z" in pattern and "{3}" in pattern:
        return Phrase("Write a currency as three capital letters, such as EUR")
    return Phrase("Write an e-mail address") if "@" in pattern else _IDENTIFIER_ADVICE


def _explain_type(detail: ErrorDetails) -> Explanation:
    value, context = detail["input"], detail.get("ctx", {})
    for pattern, expected, advice_for in _TYPES:
        if re.fullmatch(pattern, detail["type"]):
            return Phrase(
                "found {value} where {expected} is expected", value=describe_value(value), expected=expected
            ), advice_for(value)
    bound = next((context[key] for key in ("ge", "gt", "le", "lt", "min_length", "max_length") if key in context), "")
    if detail["type"] == "too_short":
        return Phrase("this list is too short"), Phrase("Write at least {bound} entries", bound=bound)
    if detail["type"] == "string_too_short" and not value:
        return Phrase("this text is empty"), Phrase("Write a text, or delete it")
    if detail["type"].startswith(("greater", "string_too_short")):
        return Phrase("found {value}, which is below the limit", value=describe_value(value)), Phrase(
            "Write at least {bound}", bound=bound
        )
    if detail["type"].startswith(("less", "too_long", "string_too_long")):
        return Phrase("found {value}, which is above the limit", value=describe_value(value)), Phrase(
            "Write at most {bound}", bound=bound
        )
    return Phrase("found {value}: {detail}", value=describe_value(value), detail=detail["msg"][:120]), ""


def _boolean_advice(value: Any) -> str:
    meant = {"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}
    word = meant.get(value.lower()) if isinstance(value, str) else None
    return f"Write {word}" if word else Phrase("Write true or false")


_TYPES: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
    (r"string_type|string_sub_type", Phrase("a text"), text_advice),
    (r"bool_type|bool_parsing", Phrase("a boolean"), _boolean_advice),
    (
        r"int_type|int_parsing|int_from_float",
        Phrase("a whole number"),
        lambda value: Phrase("Write a whole number, without quotes, such as 3"),
    ),
    (r"float_type|float_parsing|decimal_.*", Phrase("a number"), lambda value: Phrase("Write a number, such as 1.5")),
    (
        r"tuple_type",
        Phrase("a list"),
        lambda value: Phrase("Write a list: [first, second], or lines that begin with -"),
    ),
    (
        r"dict_type|model_type|model_attributes_type",
        Phrase("a mapping"),
        lambda value: Phrase("Write keys with values: {key: value}"),
    ),
    (
        r"union_tag_not_found",
        Phrase("a step with a `type`"),
        lambda value: Phrase("Write type: say, or another type of step"),
    ),
)
_RULES: Mapping[str, str] = {
    "extra_forbidden": "unknown_key",
    "union_tag_invalid": "unknown_step_type",
    "union_tag_not_found": "missing_key",
    "string_pattern_mismatch": "name",
    "literal_error": "unknown_word",
}
