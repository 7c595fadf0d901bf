"""Parse the text of a condition into its tree by recursive descent, with limits on length and depth."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from dialogue.engine.expressions.model import (
    And,
    Arithmetic,
    Comparison,
    Constant,
    FieldAccess,
    FunctionCall,
    ListLiteral,
    Minus,
    Name,
    Node,
    Not,
    Or,
    tree_size,
)
from dialogue.engine.expressions.signatures import ENTRY_FUNCTIONS, EXTREMES, FUNCTIONS, Signature
from dialogue.engine.source.phrases import Phrase
from dialogue.engine.source.problems import did_you_mean

MAX_CONDITION_CHARACTERS = 500
MAX_NESTING_DEPTH = 20
MAX_LIST_FUNCTION_DEPTH = 2
MAX_DURATION = timedelta(days=3650)
_UNITS = {"w": "weeks", "d": "days", "h": "hours", "m": "minutes", "s": "seconds"}
_DURATION_PART = re.compile(r"([0-9]+)([wdhms])")
_KEYWORDS = frozenset({"and", "or", "not", "in", "true", "false"})
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r\n]+)
      | (?P<text>'[^']*'|"[^"]*")
      | (?P<number>[0-9]+(?:\.[0-9]+)?(?![0-9A-Za-z_.]))
      | (?P<duration>(?:[0-9]{1,7}[wdhms]){1,5}(?![0-9A-Za-z_.]))
      | (?P<name>[a-z][a-z0-9_]{0,63}(?:\.[a-z][a-z0-9_]{0,63}){0,20}(?![0-9A-Za-z_.]))
      | (?P<field>(?:\.[a-z][a-z0-9_]{0,63}){1,20}(?![0-9A-Za-z_.]))
      | (?P<sign>\*\*|==|!=|<=|>=|&&|\|\||//|[<>()\[\],+\-*/%=!])""",
    re.VERBOSE,
)
_OPERATOR_ADVICE = {
    "=": Phrase("Write `==` to compare"),
    "&&": Phrase("Write `and`"),
    "||": Phrase("Write `or`"),
    "!": Phrase("Write `not`"),
    "**": Phrase("Multiply instead: conditions have no power operator"),
    "//": Phrase("Write `/`"),
    "[": Phrase("An entry of a list is read with `first(list)`, `last(list)` or `first(filter(list, test))`"),
    "if": Phrase("Write `if(test, a, b)`"),
}


class ConditionRefused(ValueError):
    """The text is not a condition; `column` counts from 1 within it."""

    def __init__(self, text: str, column: int = 1) -> None:
        self.column = column
        super().__init__(text)


@dataclass(frozen=True)
class Token:
    """One name, literal or operator. `kind` is text, number, duration, name, field, sign or end."""

    kind: str
    text: str
    column: int

    def is_sign(self, *signs: str) -> bool:
        """Return whether the token is one of these operators or brackets."""
        return self.kind == "sign" and self.text in signs

    def is_word(self, word: str) -> bool:
        """Return whether the token is this keyword."""
        return self.kind == "name" and self.text == word


def parse_condition(text: str) -> Node:
    """Return the tree of a condition. Raises ConditionRefused with the column of the error."""
    if len(text) > MAX_CONDITION_CHARACTERS:
        raise ConditionRefused(
            Phrase(
                "The condition has {count} characters. Write at most {max_condition_characters}",
                count=f"{len(text):,}",
                max_condition_characters=MAX_CONDITION_CHARACTERS,
            )
        )
    if not text.strip():
        raise ConditionRefused(Phrase("The condition is empty. Write one such as `amount > 100`"))
    return _Parser(_tokenize(text)).parse_all()


def _tokenize(text: str) -> list[Token]:
    tokens, position = [], 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ConditionRefused(_explain_character(text, position), position + 1)
        if match.lastgroup != "blank":
            tokens.append(Token(str(match.lastgroup), match.group(), position + 1))
        position = match.end()
    return [*tokens, Token("end", "", len(text) + 1)]


def _explain_character(text: str, position: int) -> str:
    match = re.match(r"[A-Za-z0-9_.]+", text[position:])
    excerpt = match.group()[:40] if match else text[position]
    if excerpt.lower() in _KEYWORDS:
        return Phrase("`{excerpt}` is written in lowercase: `{word}`", excerpt=excerpt, word=excerpt.lower())
    if excerpt in ("'", '"'):
        return Phrase("A quoted text is not closed. Close the quotes")
    if "." in excerpt:
        return Phrase(
            "`{excerpt}` reads an attribute. Conditions can use slots, their fields and <human step>.<field> only",
            excerpt=excerpt,
        )
    if match:
        return Phrase("`{excerpt}` is not a name. Write lowercase letters, digits and underscores", excerpt=excerpt)
    return Phrase(
        "`{excerpt}` is not allowed in a condition. Write names, numbers, quoted texts and operators", excerpt=excerpt
    )


class _Parser:
    """One method for each rule of the grammar, from the weakest operator (`or`) to the operands."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._position = 0
        self._depth = 0
        self._entry_depth = 0

    def parse_all(self) -> Node:
        """Return the tree of all tokens. Raises ConditionRefused."""
        node = self._parse_or()
        if self._current.kind != "end":
            raise self._unexpected_token()
        return node

    @property
    def _current(self) -> Token:
        return self._tokens[self._position]

    def _advance(self) -> Token:
        self._position += 1
        return self._tokens[self._position - 1]

    def _unexpected_token(self) -> ConditionRefused:
        token = self._current
        if token.kind == "end":
            return ConditionRefused(Phrase("The condition ends too early. Write the missing value"), token.column)
        advice = _OPERATOR_ADVICE.get(
            token.text, Phrase("Write an operator such as `and`, `or`, `==` or `<` before it")
        )
        return ConditionRefused(Phrase("Found `{text}`. {advice}", text=token.text[:40], advice=advice), token.column)

    def _parse_nested(self, parse: Callable[[], Node]) -> Node:
        # Depth is limited here and not by Python's stack, whose overflow would look like an error of ours.
        self._depth += 1
        if self._depth > MAX_NESTING_DEPTH:
            message = Phrase(
                "The condition is nested more than {max_nesting_depth} levels deep. Split it into cases",
                max_nesting_depth=MAX_NESTING_DEPTH,
            )
            raise ConditionRefused(message, self._current.column)
        node = parse()
        self._depth -= 1
        return node

    def _parse_or(self) -> Node:
        return self._parse_chain("or", self._parse_and, Or)

    def _parse_and(self) -> Node:
        return self._parse_chain("and", self._parse_not, And)

    def _parse_chain(self, word: str, parse: Callable[[], Node], node_type: type[Or] | type[And]) -> Node:
        column, parts = self._current.column, [parse()]
        while self._current.is_word(word):
            self._advance()
            parts.append(parse())
        return node_type(tuple(parts), column) if len(parts) > 1 else parts[0]

    def _parse_not(self) -> Node:
        if not self._current.is_word("not"):
            return self._parse_comparison()
        column = self._advance().column
        return Not(self._parse_nested(self._parse_not), column)

    def _parse_comparison(self) -> Node:
        left = self._parse_sum()
        sign = self._comparison_sign()
        if sign is None:
            return left
        column, right = self._tokens[self._position - 1].column, self._parse_sum()
        if self._comparison_sign():
            column = self._tokens[self._position - 1].column
            raise ConditionRefused(Phrase("Compare two values at a time: write `1 < x and x < 5`"), column)
        return Comparison(sign, left, right, column)

    def _comparison_sign(self) -> str | None:
        if self._current.is_sign(*_COMPARISONS):
            return self._advance().text
        if self._current.is_word("in"):
            self._advance()
            return "in"
        if self._current.is_word("not") and self._tokens[self._position + 1].is_word("in"):
            self._position += 2  # `not in` is two tokens, but one operator
            return "not in"
        return None

    def _parse_sum(self) -> Node:
        return self._parse_arithmetic(("+", "-"), self._parse_product)

    def _parse_product(self) -> Node:
        return self._parse_arithmetic(("*", "/", "%"), self._parse_operand)

    def _parse_arithmetic(self, signs: tuple[str, ...], parse: Callable[[], Node]) -> Node:
        column, first, rest = self._current.column, parse(), []
        while self._current.is_sign(*signs):
            sign = self._advance().text
            rest.append((sign, parse()))
        return Arithmetic(first, tuple(rest), column) if rest else first

    def _parse_operand(self) -> Node:
        token = self._current
        if token.is_sign("-"):
            self._advance()
            return Minus(self._parse_nested(self._parse_operand), token.column)
        if token.is_sign("(", "["):
            return self._parse_field(self._parse_nested(self._parse_enclosed))
        if token.kind == "name":
            return self._parse_name()
        return self._parse_literal()

    def _parse_literal(self) -> Node:
        token = self._current
        if token.kind not in ("text", "number", "duration"):
            raise self._unexpected_token()
        self._advance()
        if token.kind == "duration":
            return Constant(_duration_of(token), token.column)
        return Constant(Decimal(token.text) if token.kind == "number" else token.text[1:-1], token.column)

    def _parse_field(self, operand: Node) -> Node:
        """Parse a field of what was computed, such as first(orders).status."""
        if self._current.kind != "field" or isinstance(operand, ListLiteral):
            return operand
        token = self._advance()
        return FieldAccess(operand, token.text.removeprefix("."), token.column)

    def _parse_enclosed(self) -> Node:
        opening = self._advance()
        closing = ")" if opening.text == "(" else "]"
        items = self._parse_items(closing)
        # (x) only groups, as in Python; [x] and (x, y) are lists.
        if opening.text == "(" and len(items) == 1:
            return items[0]
        return ListLiteral(items, opening.column)

    def _parse_items(self, closing: str, function: str = "") -> tuple[Node, ...]:
        items: list[Node] = []
        while not self._current.is_sign(closing):
            # The first argument of a list function is the list, the second is evaluated for each entry.
            items.append(self._parse_for_entry() if items and function in _NESTING else self._parse_or())
            if not self._current.is_sign(",", closing):
                raise self._missing_bracket(closing)
            if self._current.is_sign(","):
                self._advance()
        self._advance()
        return tuple(items)

    def _parse_for_entry(self) -> Node:
        self._entry_depth += 1
        if self._entry_depth > MAX_LIST_FUNCTION_DEPTH:
            levels = Phrase(
                "more than {max_list_function_depth} levels deep", max_list_function_depth=MAX_LIST_FUNCTION_DEPTH
            )
            message = Phrase(
                "List functions are nested {levels}. Compute a part with a `set` step first", levels=levels
            )
            raise ConditionRefused(message, self._current.column)
        node = self._parse_or()
        self._entry_depth -= 1
        return node

    def _missing_bracket(self, closing: str) -> ConditionRefused:
        if self._current.kind == "end":
            return ConditionRefused(
                Phrase("A `{closing}` is missing at the end. Add it", closing=closing), self._current.column
            )
        return self._unexpected_token()

    def _parse_name(self) -> Node:
        token = self._advance()
        if self._current.is_sign("("):
            return self._parse_field(self._parse_nested(lambda: self._parse_call(token)))
        if token.text in ("true", "false"):
            return Constant(token.text == "true", token.column)
        if token.text in ("null", "none"):
            raise ConditionRefused(
                Phrase("There is no empty value. To test for an empty slot, write `not filled(slot)`"), token.column
            )
        if token.text in _KEYWORDS:
            raise ConditionRefused(
                Phrase(
                    "Found `{text}` where a value is expected. Write a name, a number or a quoted text", text=token.text
                ),
                token.column,
            )
        return Name(token.text, token.column)

    def _parse_call(self, name: Token) -> Node:
        signature = FUNCTIONS.get(name.text)
        if signature is None:
            choices = Phrase(
                "Choose one of: {names}", names=", ".join(f"`{function}`" for function in sorted(FUNCTIONS))
            )
            advice = did_you_mean(name.text, FUNCTIONS) or choices
            raise ConditionRefused(
                Phrase("There is no function `{text}`. {advice}", text=name.text[:40], advice=advice), name.column
            )
        self._advance()
        arguments = self._parse_items(")", name.text)
        if not signature.least <= len(arguments) <= signature.most:
            raise ConditionRefused(_explain_count(name.text, signature), name.column)
        if name.text == "filled" and not isinstance(arguments[0], Name):
            raise ConditionRefused(Phrase("`filled` takes the name of a slot"), name.column)
        is_for_entries = name.text in ENTRY_FUNCTIONS and len(arguments) > 1
        return FunctionCall(name.text, arguments, name.column, tree_size(arguments[1]) if is_for_entries else 0)


# min(a, b) of two values is no loop over a list, and may be nested.
_NESTING = ENTRY_FUNCTIONS - EXTREMES


def _explain_count(name: str, signature: Signature) -> str:
    if signature.most == 0:
        return Phrase("`{name}` takes nothing in its parentheses", name=name)
    if signature.least == signature.most == 1:
        return Phrase("`{name}` takes one value in its parentheses", name=name)
    return Phrase("`{name}` is given too few or too many values. Write `{usage}`", name=name, usage=signature.usage)


def _duration_of(token: Token) -> timedelta:
    parts = _DURATION_PART.findall(token.text)
    duration = sum((timedelta(**{_UNITS[unit]: int(amount)}) for amount, unit in parts), timedelta())
    if duration > MAX_DURATION:
        raise ConditionRefused(
            Phrase("`{text}` is more than ten years. Write at most 3650d", text=token.text), token.column
        )
    return duration
