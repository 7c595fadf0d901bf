"""From the text of a condition to its tree: a parser by recursive descent, with limits on length and depth."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from dialogue.engine.expressions.model import (
    And,
    Arithmetic,
    Comparison,
    Constant,
    FunctionCall,
    ListLiteral,
    Minus,
    Name,
    Node,
    Not,
    Or,
)
from dialogue.engine.source.problems import did_you_mean

MAX_CONDITION_CHARACTERS = 500
MAX_NESTING_DEPTH = 20
ARGUMENT_COUNTS = {"len": 1, "lower": 1, "filled": 1, "today": 0, "now": 0}
_WORDS = frozenset({"and", "or", "not", "in", "true", "false"})
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r\n]+)
      | (?P<text>'[^']*'|"[^"]*")
      | (?P<number>[0-9]+(?:\.[0-9]+)?(?![0-9A-Za-z_.]))
      | (?P<name>[a-z][a-z0-9_]{0,63}(?:\.[a-z][a-z0-9_]{0,63})?(?![0-9A-Za-z_.]))
      | (?P<sign>\*\*|==|!=|<=|>=|&&|\|\||//|[<>()\[\],+\-*/%=!])""",
    re.VERBOSE,
)
_ADVICE = {
    "=": "Write `==` to compare",
    "&&": "Write `and`",
    "||": "Write `or`",
    "!": "Write `not`",
    "**": "There is no power",
    "//": "Write `/`",
}


class ConditionRefused(ValueError):
    """The text is no condition; `.column` counts from 1 within it."""

    def __init__(self, text: str, column: int = 1) -> None:
        self.column = column
        super().__init__(text)


@dataclass(frozen=True)
class Token:
    """One word, literal or sign. `kind` is text, number, name, sign or end."""

    kind: str
    text: str
    column: int

    def is_sign(self, *signs: str) -> bool:
        return self.kind == "sign" and self.text in signs

    def is_word(self, word: str) -> bool:
        return self.kind == "name" and self.text == word


def parse_condition(text: str) -> Node:
    """The tree of the text; raises ConditionRefused."""
    if len(text) > MAX_CONDITION_CHARACTERS:
        raise ConditionRefused(f"The condition has {len(text):,} characters. Write at most {MAX_CONDITION_CHARACTERS}")
    if not text.strip():
        raise ConditionRefused("The condition is empty. Write one such as `amount > 100`")
    return _Parser(_tokens(text)).whole()


def _tokens(text: str) -> list[Token]:
    found, place = [], 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise ConditionRefused(_odd_character(text, place), place + 1)
        if match.lastgroup != "blank":
            found.append(Token(str(match.lastgroup), match.group(), place + 1))
        place = match.end()
    return [*found, Token("end", "", len(text) + 1)]


def _odd_character(text: str, place: int) -> str:
    word = re.match(r"[A-Za-z0-9_.]+", text[place:])
    found = word.group()[:40] if word else text[place]
    if found.lower() in _WORDS:
        return f"`{found}` is written in small letters: `{found.lower()}`"
    if found in ("'", '"'):
        return "A quoted text has no end. Close the quotes"
    if "." in found:
        return f"`{found}` reaches into something. Conditions know slot names and <human step>.<field> only"
    if word:
        return f"`{found}` is no name. Names have small letters, digits and underscores"
    return f"`{found}` does not belong into a condition"


class _Parser:
    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._place = 0
        self._depth = 0

    def whole(self) -> Node:
        node = self._either()
        if self._now.kind != "end":
            raise self._unexpected()
        return node

    @property
    def _now(self) -> Token:
        return self._tokens[self._place]

    def _take(self) -> Token:
        self._place += 1
        return self._tokens[self._place - 1]

    def _unexpected(self) -> ConditionRefused:
        token = self._now
        if token.kind == "end":
            return ConditionRefused("The condition ends too early. Write what is compared", token.column)
        advice = _ADVICE.get(token.text, "Write an operator such as `and`, `or`, `==` or `<` before it")
        return ConditionRefused(f"Found `{token.text[:40]}`. {advice}", token.column)

    def _deeper(self, read: Callable[[], Node]) -> Node:
        self._depth += 1
        if self._depth > MAX_NESTING_DEPTH:
            said = f"The condition is nested over {MAX_NESTING_DEPTH} deep. Split it into cases"
            raise ConditionRefused(said, self._now.column)
        node = read()
        self._depth -= 1
        return node

    def _either(self) -> Node:
        return self._joined("or", self._every, Or)

    def _every(self) -> Node:
        return self._joined("and", self._negation, And)

    def _joined(self, word: str, read: Callable[[], Node], make: type[Or] | type[And]) -> Node:
        column, parts = self._now.column, [read()]
        while self._now.is_word(word):
            self._take()
            parts.append(read())
        return make(tuple(parts), column) if len(parts) > 1 else parts[0]

    def _negation(self) -> Node:
        if not self._now.is_word("not"):
            return self._comparison()
        column = self._take().column
        return Not(self._deeper(self._negation), column)

    def _comparison(self) -> Node:
        left = self._sum()
        sign = self._comparison_sign()
        if sign is None:
            return left
        column, right = self._tokens[self._place - 1].column, self._sum()
        if self._comparison_sign():
            column = self._tokens[self._place - 1].column
            raise ConditionRefused("Compare two values at a time: write `1 < x and x < 5`", column)
        return Comparison(sign, left, right, column)

    def _comparison_sign(self) -> str | None:
        if self._now.is_sign(*_COMPARISONS):
            return self._take().text
        if self._now.is_word("in"):
            self._take()
            return "in"
        if self._now.is_word("not") and self._tokens[self._place + 1].is_word("in"):
            self._place += 2
            return "not in"
        return None

    def _sum(self) -> Node:
        return self._signed(("+", "-"), self._product)

    def _product(self) -> Node:
        return self._signed(("*", "/", "%"), self._operand)

    def _signed(self, signs: tuple[str, ...], read: Callable[[], Node]) -> Node:
        column, first, rest = self._now.column, read(), []
        while self._now.is_sign(*signs):
            sign = self._take().text
            rest.append((sign, read()))
        return Arithmetic(first, tuple(rest), column) if rest else first

    def _operand(self) -> Node:
        token = self._now
        if token.is_sign("-"):
            self._take()
            return Minus(self._deeper(self._operand), token.column)
        if token.is_sign("(", "["):
            return self._deeper(self._enclosed)
        if token.kind == "name":
            return self._named()
        if token.kind not in ("text", "number"):
            raise self._unexpected()
        self._take()
        return Constant(Decimal(token.text) if token.kind == "number" else token.text[1:-1], token.column)

    def _enclosed(self) -> Node:
        opening = self._take()
        closing = ")" if opening.text == "(" else "]"
        items = self._list_until(closing)
        if opening.text == "(" and len(items) == 1:
            return items[0]
        return ListLiteral(items, opening.column)

    def _list_until(self, closing: str) -> tuple[Node, ...]:
        items: list[Node] = []
        while not self._now.is_sign(closing):
            items.append(self._either())
            if not self._now.is_sign(",", closing):
                raise self._unclosed(closing)
            if self._now.is_sign(","):
                self._take()
        self._take()
        return tuple(items)

    def _unclosed(self, closing: str) -> ConditionRefused:
        if self._now.kind == "end":
            return ConditionRefused(f"A `{closing}` is missing at the end", self._now.column)
        return self._unexpected()

    def _named(self) -> Node:
        token = self._take()
        if self._now.is_sign("("):
            return self._deeper(lambda: self._function(token))
        if token.text in ("true", "false"):
            return Constant(token.text == "true", token.column)
        if token.text in ("null", "none"):
            raise ConditionRefused("An empty slot is asked for with `not filled(slot)`", token.column)
        if token.text in _WORDS:
            raise ConditionRefused(f"Found `{token.text}` where a value is meant", token.column)
        return Name(token.text, token.column)

    def _function(self, name: Token) -> Node:
        if name.text not in ARGUMENT_COUNTS:
            advice = did_you_mean(name.text, ARGUMENT_COUNTS)
            raise ConditionRefused(f"There is no function `{name.text[:40]}`. {advice}".strip(), name.column)
        self._take()
        arguments = self._list_until(")")
        if len(arguments) != ARGUMENT_COUNTS[name.text]:
            wanted = "one value" if ARGUMENT_COUNTS[name.text] else "nothing"
            raise ConditionRefused(f"`{name.text}` takes {wanted} in its parentheses", name.column)
        if name.text == "filled" and not isinstance(arguments[0], Name):
            raise ConditionRefused("`filled` takes the name of a slot", name.column)
        return FunctionCall(name.text, arguments, name.column)
