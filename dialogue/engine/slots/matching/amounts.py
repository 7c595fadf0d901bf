"""Amounts in a description: "for 12.50", "under 20 euros", "between 10 and 20", "around 1400"."""

from collections.abc import Callable, Sequence
from decimal import Decimal

from dialogue.engine.slots.matching.candidate_index import Mask, parse_number
from dialogue.engine.slots.matching.description import Description, phrase_length_before

CURRENCY_SIGNS = "€$£¥"
FIRST_YEAR, LAST_YEAR = 1900, 2199


def find_amounts(description: Description) -> None:
    """Find amounts, where the candidates have any numbers."""
    if not description.index.numbers:
        return
    for place, form in enumerate(description.forms):
        if description.free(place, place + 1) and form[0].isdecimal():
            _read_amount(description, place, parse_number(form))


def _read_amount(description: Description, place: int, amount: Decimal | None) -> None:
    if amount is None:
        return
    words, is_money = _amount_words(description, place)
    if len(description.forms) > place + 2 and _is_between(description, place):
        return _read_range(description, place, amount)
    first = min(words)
    if _read_limit(description, amount, words, is_money=is_money):
        return
    if length := phrase_length_before(description.forms, first, description.lexicon.around):
        mask = _nearest_number(description, amount, money=True)
        return description.add(mask, words | set(range(first - length, first)), "amount")
    led = first > 0 and description.forms[first - 1] in description.lexicon.amount_leads
    if not (is_money or led or "." in description.forms[place] or "," in description.forms[place]):
        return
    mask = numbers_with(description, lambda number: number == amount, money=is_money)
    if not mask and is_money:
        mask = numbers_with(description, lambda number: int(number) == amount, money=True)
    if mask or (is_money and not description.index.find_exactly(description.forms[place])):
        description.add(mask, words, "amount", strict=is_money)


def _read_limit(description: Description, amount: Decimal, words: set[int], *, is_money: bool) -> bool:
    """ "Under 20", "at least 5": return whether a limit was said."""
    first = min(words)
    for phrases, test in (
        (description.lexicon.at_most, lambda number: number <= amount),
        (description.lexicon.at_least, lambda number: number >= amount),
    ):
        length = phrase_length_before(description.forms, first, phrases)
        if length:
            mask = _years_with(description, amount, test) or numbers_with(description, test, money=True)
            description.add(mask, words | set(range(first - length, first)), "amount", strict=True)
            return True
    return False


def _amount_words(description: Description, place: int) -> tuple[set[int], bool]:
    """Return the places of an amount with its currency, and whether it has one."""
    text, word = description.text, description.words[place]
    signed = text[: word.start].rstrip()[-1:] in tuple(CURRENCY_SIGNS) or text[word.end :].lstrip()[:1] in tuple(
        CURRENCY_SIGNS
    )
    named = place + 1 < len(description.forms) and description.forms[place + 1] in description.lexicon.currencies
    return {place, place + 1} if named else {place}, signed or named


def _is_between(description: Description, place: int) -> bool:
    return (
        place > 0
        and description.forms[place - 1] in description.lexicon.between
        and any(form[0].isdecimal() for form in description.forms[place + 1 :])
    )


def _read_range(description: Description, place: int, least: Decimal) -> None:
    other = next(place for place in range(place + 1, len(description.forms)) if description.forms[place][0].isdecimal())
    most = parse_number(description.forms[other])
    if most is not None:
        mask = numbers_with(description, lambda number: least <= number <= most, money=True)
        description.add(mask, set(range(place - 1, other + 1)), "amount", strict=True)


def _years_with(description: Description, amount: Decimal, test: Callable[[Decimal], bool]) -> Mask:
    """ "Older than 1970": the candidates whose year the test accepts; 0 where they have no year."""
    index = description.index
    names = index.fields_named("year") | index.fields_named("ano")
    mask = 0
    for name in names & index.numbers.keys() if FIRST_YEAR <= amount <= LAST_YEAR else ():
        for place, number in enumerate(index.numbers[name]):
            mask |= 1 << place if number is not None and test(number) else 0
    return mask


def _nearest_number(description: Description, amount: Decimal, *, money: bool) -> Mask:
    """The candidates nearest to an amount that is said to be about right, at most a tenth away."""
    numbers = [
        number for column in _amount_columns(description, money=money) for number in column if number is not None
    ]
    least = min((abs(number - amount) for number in numbers), default=amount)
    if least > abs(amount) / 10:
        return 0
    return numbers_with(description, lambda number: abs(number - amount) == least, money=money)


def _amount_columns(description: Description, *, money: bool) -> list[Sequence[Decimal | None]]:
    index = description.index
    fields = [name for name in index.numbers if index.holds_money(name)] if money else []
    return [index.numbers[name] for name in fields or index.numbers]


def numbers_with(description: Description, test: Callable[[Decimal], bool], *, money: bool) -> Mask:
    """Return the candidates with a number that the test accepts; with `money` only fields of amounts, if any."""
    mask = 0
    for column in _amount_columns(description, money=money):
        for place, number in enumerate(column):
            mask |= 1 << place if number is not None and test(number) else 0
    return mask
