"""Explain the errors of a YAML scanner to authors: what was found, and what to write instead."""

import re
from collections.abc import Callable, Sequence

from dialogue.engine.source.phrases import Phrase

Explanation = tuple[str, str, str]
"""Rule for programs, what was found, what to write instead."""

_BRACKETS = Phrase("Close every bracket and brace, and separate the items with commas")
_COLON_IN_BRACES = re.compile(
    r"(?P<key>[a-z][a-z0-9_]*): +(?P<text>[^\s,{}\[\]\"'][^,{}\[\]\"']*?:(?: [^,{}\[\]]*)?)(?=[,}])"
)
"""A key, and after it an unquoted text that contains a colon."""
_MAX_LOOK_BACK_CHARACTERS = 300
_TAB: Explanation = ("tab", Phrase("found a tab"), Phrase("Use spaces to indent and to separate"))


def explain_yaml_error(problem: str, context: str, text: str, line: int, column: int) -> Explanation:
    """Return rule, finding and advice for an error of the scanner; `line` and `column` count from 0.

    `problem` and `context` are the scanner's own words, `text` is the whole document.
    """
    lines = text.splitlines() or [""]
    line_text = lines[min(line, len(lines) - 1)]
    for pattern, explanation in _EXPLANATIONS:
        if re.search(pattern, f"{context} {problem}", re.DOTALL):
            return explanation if isinstance(explanation, tuple) else explanation(line_text, column)
    return (
        "yaml",
        Phrase("the YAML cannot be read: {problem}", problem=problem),
        Phrase("Check quotes, brackets and indentation"),
    )


def _explain_odd_start(line_text: str, column: int) -> Explanation:
    character = line_text[column : column + 1] or " "
    if character == "\t":
        return _TAB
    word = re.split(r"[,\]}#]", line_text[column:])[0].strip()[:40]
    return (
        "odd_character",
        Phrase("found `{character}`, which cannot start an unquoted text", character=character),
        Phrase('Quote it: "{text}"', text=word),
    )


def _explain_colon(line_text: str, column: int) -> Explanation:
    key, _, rest = line_text.strip().removeprefix("- ").partition(":")
    # With only one colon on the line, the scanner stumbles over the line before it.
    if ":" not in rest:
        return (
            "colon",
            Phrase("the line before this key is not a key with a value"),
            Phrase("Write a colon after its key, or quote the text"),
        )
    advice = Phrase('Quote the text: {key}: "{text}"', key=key.strip(), text=rest.strip()[:60])
    return "colon", Phrase("found a colon inside an unquoted text, which starts a new key"), advice


def _explain_bracket(line_text: str, column: int) -> Explanation:
    # The scanner reports the bracket after a text with a colon; search a window, because a line may be huge.
    begin = max(0, column - _MAX_LOOK_BACK_CHARACTERS)
    near = line_text[begin : column + _MAX_LOOK_BACK_CHARACTERS]
    matches = (match for match in _COLON_IN_BRACES.finditer(near) if match.start() <= column - begin <= match.end())
    if match := next(matches, None):
        return (
            "colon",
            Phrase("found a colon inside an unquoted text"),
            Phrase('Quote the text: {key}: "{text}"', key=match["key"], text=match["text"].strip()[:60]),
        )
    if re.search(r"\{[^}]*\{", line_text) or "{{" in line_text:
        return (
            "bracket",
            Phrase("the braces do not match"),
            Phrase('Quote the text, and write one pair of braces: "{slot}"'),
        )
    return "bracket", Phrase("a bracket or a brace is not closed"), _BRACKETS


def _explain_no_colon(line_text: str, column: int) -> Explanation:
    word = line_text.strip()[:40]
    return (
        "no_colon",
        Phrase("this line is not a key with a value"),
        Phrase("Write a colon and a space after the key (found `{word}`)", word=word),
    )


def _explain_indentation(line_text: str, column: int) -> Explanation:
    if line_text.startswith("%"):
        return _explain_directive(line_text, column)
    excerpt = line_text[column : column + 20].strip()
    if column and line_text[:column].rstrip().endswith(('"', "'")):
        return (
            "after_quote",
            Phrase("found `{excerpt}` after the closing quote", excerpt=excerpt),
            Phrase("Put the whole text inside the quotes"),
        )
    return (
        "indentation",
        Phrase("the indentation of this line does not match the lines before it"),
        Phrase("Indent keys that belong together by the same number of spaces"),
    )


def _explain_directive(line_text: str, column: int) -> Explanation:
    return (
        "directive",
        Phrase("found a line that begins with %"),
        Phrase('Quote the text: "{text}"', text=line_text.strip()[:40]),
    )


# In this order: the first pattern that the scanner's words match wins, so narrow patterns stand before wide ones.
_EXPLANATIONS: Sequence[tuple[str, Explanation | Callable[[str, int], Explanation]]] = (
    (r"tab character|'\\t'", _TAB),
    (r"directive", _explain_directive),
    (r"cannot start any token|mapping keys are not allowed", _explain_odd_start),
    (
        r"sequence entries are not allowed",
        (
            "list_entry",
            Phrase("found a list that starts on the line of its key"),
            Phrase("Start each entry on its own line: - …"),
        ),
    ),
    (r"mapping values are not allowed", _explain_colon),
    (
        r"quoted scalar.*(unexpected end|document separator)|unexpected end of stream",
        ("open_quote", Phrase("the quotes are not closed"), Phrase("Close the quotes on the same line")),
    ),
    (
        r"escape",
        (
            "escape",
            Phrase("found a backslash that starts no known escape"),
            Phrase("Write the text in single quotes: '…'"),
        ),
    ),
    (r"could not find expected ':'|could not find expected \":\"", _explain_no_colon),
    (
        r"scanning an? (anchor|alias)",
        ("anchor", Phrase("found an anchor or an alias"), Phrase("Write out the value, or quote the text")),
    ),
    (
        r"(scanning|parsing) a tag|undefined tag|tag handle",
        ("tag", Phrase("found a tag"), Phrase("Delete it, or quote the text")),
    ),
    (r"flow (sequence|mapping)|expected ','", _explain_bracket),
    (r"block (end|mapping|sequence|collection)|<block|<document start>", _explain_indentation),
    (
        r"special characters|control characters",
        ("hidden_character", Phrase("found a character that cannot be displayed"), Phrase("Delete it")),
    ),
)
