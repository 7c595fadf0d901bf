"""Numbers and amounts in running text: digits with either decimal mark, and words."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from dialogue.nlu.slots.spans import Span, without_overlaps
from dialogue.nlu.text.lexicons.lexicon import Numerals
from dialogue.nlu.text.tokens import Token, fold, tokenize

SIGNS = "€$£¥"
DIGITS = re.compile(
    rf"(?<![\w.,:/@#+-])(?P<sign>[{SIGNS}]\s?)?(?P<minus>-)?"
    rf"(?P<number>[0-9]{{1,3}}(?:[., '\u00a0][0-9]{{3}})+(?:[.,][0-9]{{1,2}})?|[0-9]+(?:[.,][0-9]+)?)(?![0-9])"
    rf"(?P<after>\s?[{SIGNS}])?(?![\w@]*[@:/]|-[0-9]|[.,][0-9])(?P<word>\s?[a-z]+)?"
)
# "0171" begins a telephone number or a code.
LEADING_ZERO = re.compile("0[0-9]+")
# What is written right behind a number: "20kg". Other letters make a code of it.
UNITS = frozenset(
    {"kg", "g", "km", "cm", "mm", "l", "ml", "lb", "lbs", "oz", "kwh", "gb", "mb", "tb", "ft", "h", "hr", "hrs"}
    | {"min", "mins", "pcs", "ppl", "pax"}
)
# "8,450": a mark before three digits separates thousands, unless it is the language's decimal mark.
GROUP_DIGITS = 3


def find_numbers(text: str, numerals: Numerals) -> tuple[Span, ...]:
    """Return a span for every number, its value as decimal text ("8450", "14.5"); a bare "one" is weak."""
    tokens = tokenize(text)
    spans = (*_from_digits(text, numerals), *_from_words(tokens, numerals), *_collectives(tokens, numerals))
    return without_overlaps(spans)


def _from_digits(text: str, numerals: Numerals) -> Iterator[Span]:
    for match in DIGITS.finditer(fold(text)):
        word = (match["word"] or "").strip()
        factor = numerals.multipliers.get(word, 1)
        is_amount = factor > 1 or word in numerals.currencies
        is_joined = bool(word) and not match["word"][0].isspace()
        if (is_joined and not is_amount and word not in UNITS) or LEADING_ZERO.fullmatch(match["number"]):
            continue
        amount = parse_number(match["number"], numerals.decimal) * factor
        end = match.end() if is_amount else match.end() - len(match["word"] or "")
        yield Span(match.start(), end, plain_decimal(-amount if match["minus"] else amount))


def parse_number(digits: str, decimal: str) -> Decimal:
    """Read "8,450.00", "8.450,00" and "8450" alike; a lone mark before three digits follows the language."""
    marks = [character for character in digits if character in ".,"]
    digits = re.sub(r"[ '\u00a0]", "", digits)
    if marks and _is_fraction(digits, marks, decimal):
        whole, _, fraction = digits.rpartition(marks[-1])
        return Decimal(f"{_only_digits(whole)}.{fraction}")
    return Decimal(_only_digits(digits))


def _is_fraction(digits: str, marks: Sequence[str], decimal: str) -> bool:
    if len(set(marks)) > 1:
        return True
    if len(marks) > 1:
        return False
    return marks[0] == decimal or len(digits.rpartition(marks[0])[2]) != GROUP_DIGITS


def _only_digits(text: str) -> str:
    return re.sub(r"[^0-9]", "", text)


def plain_decimal(amount: Decimal) -> str:
    """Write an amount as "8450", never as "8450.0" or "8.45E+3"."""
    return f"{amount.normalize():f}"


def _from_words(tokens: Sequence[Token], numerals: Numerals) -> Iterator[Span]:
    index = 0
    while index < len(tokens):
        length = _number_length(tokens[index:], numerals)
        if length:
            yield _word_span(tokens[index : index + length], tokens[index + length : index + length + 1], numerals)
        index += max(length, 1)


def _collectives(tokens: Sequence[Token], numerals: Numerals) -> Iterator[Span]:
    """ "Two dozen", "half a dozen"; "a couple" is weak, because it is mostly some and not two."""
    for index, token in enumerate(tokens):
        amount = numerals.collectives.get(token.folded, 0)
        before = [each.folded for each in tokens[max(index - 2, 0) : index]]
        counted = numerals.units.get(before[-1], 0) if amount and before else 0
        length = 1 if counted or (amount and before and before[-1] in numerals.single) else 0
        halved = amount and len(before) > length and before[-1 - length] in numerals.halves
        if length or halved:
            value = amount // 2 if halved else amount * max(counted, 1)
            start = tokens[index - length - bool(halved)].start
            yield Span(start, token.end, str(value), weak=amount == 2 and not counted)


def _number_length(tokens: Sequence[Token], numerals: Numerals) -> int:
    """How many tokens from the first on belong to one number in words."""
    length = 0
    for index, token in enumerate(tokens):
        if token.folded in numerals.units or token.folded in numerals.scales:
            if index and not _continues_number(tokens[index - 1].folded, token.folded, numerals):
                break
            length = index + 1
        elif not _may_join([token.folded for token in tokens[max(index - 1, 0) : index + 2]], index, numerals):
            break
    return length


def _may_join(around: Sequence[str], index: int, numerals: Numerals) -> bool:
    """Is the middle word of "hundred and five", or the first of "a hundred", part of the number?"""
    if index == 0:
        return around[0] in numerals.articles and bool(numerals.scales.keys() & set(around[1:]))
    if len(around) < 3 or around[1] not in numerals.joiners:
        return False
    return around[2] in numerals.units and (
        around[0] in numerals.scales or _is_tens_and_unit(around[0], around[2], numerals)
    )


def _is_tens_and_unit(before: str, word: str, numerals: Numerals) -> bool:
    return numerals.units.get(before, 0) >= 20 and numerals.units[word] < 10


def _continues_number(before: str, word: str, numerals: Numerals) -> bool:
    """ "twenty five" goes on, "five twenty" does not: after a smaller word only a scale may follow."""
    if word in numerals.scales or before in numerals.scales or before in numerals.joiners:
        return True
    return numerals.units.get(before, 0) >= 20 > numerals.units[word] or (
        numerals.units.get(before, 0) >= 100 > numerals.units[word]
    )


def _word_span(tokens: Sequence[Token], following: Sequence[Token], numerals: Numerals) -> Span:
    """What follows may belong to the number: "five k", "five euros"."""
    after = following[0].folded if following else ""
    amount = _amount_in_words([token.folded for token in tokens], numerals) * numerals.multipliers.get(after, 1)
    is_amount = after in numerals.multipliers or after in numerals.currencies
    weak = len(tokens) == 1 and amount <= 1 and not is_amount
    return Span(tokens[0].start, following[0].end if is_amount else tokens[-1].end, str(amount), weak)


def _amount_in_words(words: Sequence[str], numerals: Numerals) -> int:
    total = current = 0
    for word in words:
        if word in numerals.units:
            current += numerals.units[word]
        elif word in numerals.scales:
            current = max(current, 1) * numerals.scales[word]
            if numerals.scales[word] >= 1_000:
                total, current = total + current, 0
    return total + current
