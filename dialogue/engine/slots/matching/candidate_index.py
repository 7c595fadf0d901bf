"""An index of candidates: which of them a word, a number or a date fits. Sets of candidates are bit masks."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import cached_property
from itertools import islice, pairwise
from typing import TypeVar

from pydantic import JsonValue

from dialogue.engine.slots.candidates import Candidate, CandidateList
from dialogue.engine.slots.matching.vocabulary import COLOURS, FIELD_HINTS, SIZE_RANKS, TRANSLATED_WORDS
from dialogue.engine.slots.matching.word_forms import (
    allowed_typos,
    differs_by_typos,
    forms_of,
    indexed_words,
    split_words,
    word_forms,
    word_list,
)

Mask = int
Measure = float | str
Typed = TypeVar("Typed")
FieldReader = Callable[[JsonValue, str, Candidate], Typed | None]
MAX_FIELD_DEPTH, MAX_FIELD_TEXTS = 3, 60
# A part of a word says which word is meant: "therm" for a thermostat, "lamp" for a desklamp.
MIN_PART_LETTERS, MIN_CODE_PART_DIGITS = 4, 3
ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ].*)?")
CLOCK_TIME = re.compile(r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?")
PLAIN_NUMBER = re.compile(r"(?:[€$£] ?)?(?P<number>-?[0-9]{1,15}(?:[.,][0-9]{1,15})*)(?: ?(?:[^\W\d]{1,12}|[\"€$£%]))?")
MONEY_TEXT = re.compile(r"(?:[€$£] ?)?-?[0-9]{1,15}[.,][0-9]{2}(?: ?[€$£])?")
GROUP_DIGITS = 3
SAMPLE_SIZE = 5
# The index of a list is kept while it is in use: users' words must not fill the memory.
MAX_REMEMBERED_WORDS = 5_000
CODE_NAMES = frozenset(
    {"id", "code", "zip", "postcode", "phone", "isbn", "sku", "codigo", "telefono", "cp", "four", "ultimos", "last"}
)

_TRANSLATIONS: Mapping[str, frozenset[str]] = {
    form: frozenset(group) for group in TRANSLATED_WORDS for word in group for form in word_forms(word)
}


class CandidateIndex:
    """Candidates prepared for matching: every text is read once, the rest when it is asked for."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self.candidates = candidates if isinstance(candidates, tuple) else tuple(candidates)
        self.everything: Mask = (1 << len(self.candidates)) - 1
        self._masks_by_word: dict[str, Mask] = {}
        self.phrases: dict[tuple[str, ...], Mask] = {}
        for position, candidate in enumerate(self.candidates):
            self._add_candidate(candidate, 1 << position)
        self._masks_by_form = _by_form(self._masks_by_word)
        self._found: dict[str, Mask] = {}

    def _add_candidate(self, candidate: Candidate, bit: Mask) -> None:
        names = {candidate.label, candidate.key, *candidate.synonyms}
        if isinstance(candidate.value, str):
            names.add(candidate.value)
        for text in names:
            words = self._add_words(text, bit)
            self.phrases[words] = self.phrases.get(words, 0) | bit
        for text in candidate.texts:
            self._add_words(text, bit)
        self.phrases.pop((), None)

    def _add_words(self, text: str, bit: Mask) -> tuple[str, ...]:
        """Add the words of a text, codes such as "W23" and "T-shirt" also as one word, and return them."""
        masks = self._masks_by_word
        words, parts = indexed_words(text)
        for part in parts:
            masks[part] = masks.get(part, 0) | bit
        return words

    def members(self, mask: Mask) -> tuple[Candidate, ...]:
        """Return the candidates of the mask, in their order."""
        return tuple(self.candidates[position] for position in positions_of(mask))

    def mask_of(self, keys: Sequence[object]) -> Mask:
        """Return the candidates with these keys or values."""
        return sum(
            1 << position
            for position, candidate in enumerate(self.candidates)
            if any(key in (candidate.key, candidate.value) for key in keys)
        )

    @cached_property
    def withheld(self) -> "CandidateIndex | None":
        """The index of the candidates that cannot be chosen now, or None if none is known."""
        withheld = self.candidates.withheld if isinstance(self.candidates, CandidateList) else ()
        return CandidateIndex(withheld) if withheld else None

    @cached_property
    def phrase_words(self) -> int:
        """The number of words of the longest label, key or synonym."""
        return max(map(len, self.phrases), default=0)

    @cached_property
    def has_colours(self) -> bool:
        """Whether any candidate says its colour."""
        return any(_by_any_form(colour, self._masks_by_form) for colour in COLOURS)

    @cached_property
    def neighbours(self) -> frozenset[tuple[str, str]]:
        """Pairs of words that stand next to each other in labels and texts."""
        texts = (text for candidate in self.candidates for text in (candidate.label, *candidate.texts))
        forms = (word_list(text) for text in texts)
        return frozenset(pair for words in forms for pair in pairwise(words))

    def find_word(self, word: str) -> Mask:
        """Return the candidates that the word fits: as it is, in other number or gender, in part, with a typo."""
        if len(self._found) > MAX_REMEMBERED_WORDS:
            self._found.clear()
        if word not in self._found:
            self._found[word] = (
                _by_any_form(word, self._masks_by_form)
                or _by_any_form(word, self._field_masks)
                or self._find_translation(word)
                or self._find_compound(word)
                or self._find_part(word)
                or self._find_with_typos(word)
            )
        return self._found[word]

    def has_word(self, word: str) -> bool:
        """Return whether a label or a displayed text has this very word."""
        return word in self._masks_by_word

    def labels_with(self, word: str) -> Mask:
        """Return the candidates with this very word in their label."""
        mask = 0
        for position, candidate in enumerate(self.candidates):
            mask |= 1 << position if word in indexed_words(candidate.label)[1] else 0
        return mask

    def has_amount(self, number: str) -> bool:
        """Return whether a field has this number, written with a decimal comma or point."""
        amount = parse_number(number)
        return amount is not None and any(amount in column for column in self.numbers.values())

    def find_exactly(self, word: str) -> Mask:
        """Return the candidates that have the word in a label or a displayed text, in any number or gender."""
        return _by_any_form(word, self._masks_by_form)

    def find_code(self, code: str) -> Mask:
        """Return the candidates that have a code of letters and digits in a label, a text or a field."""
        return self._masks_by_word.get(code, 0) or self._field_masks.get(code, 0)

    def _find_translation(self, word: str) -> Mask:
        mask = 0
        for other in _translations(word):
            mask |= _by_any_form(other, self._masks_by_form) or _by_any_form(other, self._field_masks)
        return mask

    def _find_compound(self, word: str) -> Mask:
        """ "Bluecross" for "Blue Cross": two words of a label that the user writes as one."""
        pairs = (pair for pair in self.neighbours if word == "".join(pair)) if len(word) > MIN_PART_LETTERS else ()
        mask = 0
        for first, second in pairs:
            mask |= self._masks_by_word.get(first, 0) & self._masks_by_word.get(second, 0)
        return mask

    def _find_part(self, word: str) -> Mask:
        digits = word[0].isdecimal()
        if len(word) < (MIN_CODE_PART_DIGITS if digits else MIN_PART_LETTERS):
            return 0
        mask = 0
        for known_word, known_mask in self._masks_by_word.items():
            if len(known_word) > len(word) and known_word[0].isdecimal() == digits:
                fits = known_word.endswith(word) or (not digits and known_word.startswith(word))
                mask |= known_mask if fits else 0
            elif not digits and len(known_word) > MIN_PART_LETTERS and word.startswith(known_word):
                mask |= known_mask
        return mask

    def find_ending(self, digits: str) -> Mask:
        """Return the candidates with a number or code that ends so."""
        mask = 0
        for masks in (self._masks_by_word, self._field_masks):
            for word, known_mask in masks.items():
                mask |= known_mask if word[0].isdecimal() and word.endswith(digits) else 0
        return mask

    def _find_with_typos(self, word: str) -> Mask:
        for limit in range(1, allowed_typos(word) + 1):
            mask = 0
            for known_word, known_mask in self._masks_by_word.items():
                if limit <= allowed_typos(known_word) and differs_by_typos(word, known_word, limit):
                    mask |= known_mask
            if mask:
                return mask
        return 0

    @cached_property
    def _field_masks(self) -> Mapping[str, Mask]:
        """Masks by form of the words in fields that are not displayed."""
        masks: dict[str, Mask] = {}
        for position, candidate in enumerate(self.candidates):
            for text in _field_texts(candidate.fields):
                for word in indexed_words(text)[1]:
                    masks[word] = masks.get(word, 0) | 1 << position
        return _by_form(masks)

    @cached_property
    def field_names(self) -> tuple[str, ...]:
        """The names of the entries' fields."""
        return tuple(dict.fromkeys(name for candidate in self.candidates for name in candidate.fields))

    @cached_property
    def _fields_by_form(self) -> Mapping[str, frozenset[str]]:
        fields: dict[str, set[str]] = {}
        for name in self.field_names:
            for word in split_words(name.replace("_", " ")):
                for form in word_forms(word.form):
                    fields.setdefault(form, set()).add(name)
        return {form: frozenset(names) for form, names in fields.items()}

    def fields_named(self, word: str) -> frozenset[str]:
        """Return the fields with this word in their name."""
        words = (word, *_translations(word))
        forms = (form for known_word in words for form in word_forms(known_word))
        return frozenset().union(*(self._fields_by_form.get(form, frozenset()) for form in forms))

    def measures(self, word: str) -> bool:
        """Return whether the word names a field, and none of a yes or no."""
        names = self.fields_named(word)
        return bool(names) and not any(self.find_flag(name, state=True) for name in names)

    def find_in_field(self, field: str, word: str) -> Mask:
        """Return the candidates whose field has this word."""
        forms = set(word_forms(word))
        mask = 0
        for position, candidate in enumerate(self.candidates):
            words = (known for text in _texts_of(candidate.fields.get(field), 0) for known in split_words(text))
            if any(not forms.isdisjoint(word_forms(known.form)) for known in words):
                mask |= 1 << position
        return mask

    def find_flag(self, field: str, *, state: bool) -> Mask:
        """Return the candidates whose yes/no field has this state; 0 for another field."""
        return sum(
            1 << position
            for position, candidate in enumerate(self.candidates)
            if _flag_in(candidate.fields.get(field)) is state
        )

    @cached_property
    def numbers(self) -> Mapping[str, tuple[Decimal | None, ...]]:
        """The numbers and amounts of each field that has any, in the order of the candidates."""
        return dict(self._columns(_number_in))

    @cached_property
    def dates(self) -> Mapping[str, tuple[date | None, ...]]:
        """The days of each field that has any, in the order of the candidates."""
        return dict(self._columns(_date_in))

    @cached_property
    def moments(self) -> Mapping[str, tuple[str | None, ...]]:
        """Dates and times as texts that sort in time, by field."""
        return dict(self._columns(_moment_in))

    def _columns(self, read: "FieldReader[Typed]") -> "Iterator[tuple[str, tuple[Typed | None, ...]]]":
        for name in self.field_names:
            # The entries are alike: a field whose first values are of another type is not read to its end.
            filled = (candidate for candidate in self.candidates if candidate.fields.get(name) not in (None, ""))
            sample = list(islice(filled, SAMPLE_SIZE))
            if any(read(candidate.fields[name], name, candidate) is not None for candidate in sample):
                yield name, tuple(read(entry.fields.get(name), name, entry) for entry in self.candidates)

    def measured_field(self, dimension: str, words: Sequence[str]) -> Sequence[Measure | None] | None:
        """Return a column of values that can be compared by this dimension, or None. `words` may name its field."""
        named = {name for word in words for name in self.fields_named(word)}
        if dimension == "time" and self.moments and named.isdisjoint(self.moments):
            return self._whole_moments()
        for names in (named, self._hinted_fields(dimension)):
            columns = [column for name in self.field_names if name in names and (column := self._column(name))]
            if columns:
                return columns[0]
        return self._only_measure(dimension)

    def _column(self, name: str) -> Sequence[Measure | None] | None:
        if name in self.moments:
            return self.moments[name]
        if name in self.numbers:
            return [float(number) if number is not None else None for number in self.numbers[name]]
        return self._sizes(name)

    def _sizes(self, name: str) -> Sequence[Measure | None] | None:
        """Sizes in words: small, medium, large; None for a field with other words."""
        texts = [candidate.fields.get(name) for candidate in self.candidates]
        if not all(isinstance(text, str) and forms_of(split_words(text))[:1] for text in texts):
            return None
        ranks = [SIZE_RANKS.get(forms_of(split_words(str(text)))[0]) for text in texts]
        return None if None in ranks else [float(rank or 0) for rank in ranks]

    def _hinted_fields(self, dimension: str) -> frozenset[str]:
        hints = FIELD_HINTS[dimension]
        return frozenset(
            name for name in self.field_names if any(word.form in hints for word in split_words(name.replace("_", " ")))
        )

    def _only_measure(self, dimension: str) -> Sequence[Measure | None] | None:
        """The column that is the only one of its kind: one date for "newer", one amount for "cheaper"."""
        if dimension == "time":
            return self._whole_moments()
        amounts = [name for name in self.numbers if self.holds_money(name)]
        if dimension == "price" and amounts:
            return self._column(amounts[0])
        counts = [name for name in self.numbers if name not in amounts] or list(self.numbers)
        fits = dimension in ("price", "size", "any", "quantity")
        return self._column(counts[0]) if fits and len(counts) == 1 else None

    def _whole_moments(self) -> Sequence[Measure | None] | None:
        """The first date with the first time of day, as texts that sort in time."""
        dates = [column for name, column in self.moments.items() if name in self.dates][:1]
        times = [column for name, column in self.moments.items() if name not in self.dates][:1]
        columns = (*dates, *times)
        if not columns:
            return None
        return [" ".join(map(str, parts)) if None not in parts else None for parts in zip(*columns, strict=True)]

    def holds_money(self, name: str) -> bool:
        """Return whether the field is of type money, or looks like it."""
        types = {candidate.types[name].type for candidate in self.candidates if name in candidate.types}
        values = [candidate.fields.get(name) for candidate in self.candidates]
        return "money" in types or any(isinstance(value, str) and MONEY_TEXT.fullmatch(value) for value in values)


def positions_of(mask: Mask) -> Iterator[int]:
    """Yield the positions of the mask's candidates, from 0 on."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _by_form(masks: Mapping[str, Mask]) -> dict[str, Mask]:
    by_form: dict[str, Mask] = {}
    for word, mask in masks.items():
        for form in word_forms(word):
            by_form[form] = by_form.get(form, 0) | mask
    return by_form


def _by_any_form(word: str, masks: Mapping[str, Mask]) -> Mask:
    mask = 0
    for form in word_forms(word):
        mask |= masks.get(form, 0)
    return mask


def _translations(word: str) -> frozenset[str]:
    return frozenset().union(*(_TRANSLATIONS.get(form, frozenset()) for form in word_forms(word)))


def _field_texts(fields: Mapping[str, JsonValue]) -> list[str]:
    texts = (text for value in fields.values() for text in _texts_of(value, 0))
    return [text for _, text in zip(range(MAX_FIELD_TEXTS), texts, strict=False)]


def _texts_of(value: JsonValue, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, dict | list) and depth < MAX_FIELD_DEPTH:
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts_of(part, depth + 1)


def _flag_in(value: JsonValue) -> bool | None:
    if isinstance(value, bool):
        return value
    word = value.casefold() if isinstance(value, str) else ""
    return True if word in ("yes", "true", "si", "sí") else False if word in ("no", "false") else None


def _declared_type(name: str, candidate: Candidate) -> str:
    return candidate.types[name].type if name in candidate.types else ""


def _number_in(value: JsonValue, name: str, candidate: Candidate) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and not _is_number_text(value, name, candidate):
        return None
    return parse_number(str(value))


def _is_number_text(value: str, name: str, candidate: Candidate) -> bool:
    declared = _declared_type(name, candidate)
    if declared and declared != "text":
        return declared in ("money", "number", "integer") and bool(PLAIN_NUMBER.fullmatch(value))
    is_code = any(word.form in CODE_NAMES for word in split_words(name.replace("_", " ")))
    return bool(PLAIN_NUMBER.fullmatch(value)) and not is_code


def parse_number(text: str) -> Decimal | None:
    """Return the number that a text begins with: "8 GB", "78,40", "1,199.00"; None without one."""
    match = PLAIN_NUMBER.fullmatch(text.strip())
    if match is None:
        return None
    digits = match["number"]
    marks = [character for character in digits if character in ".,"]
    if not marks:
        return Decimal(digits)
    whole, _, fraction = digits.rpartition(marks[-1])
    is_group = len(fraction) == GROUP_DIGITS and len(set(marks)) == 1
    plain = re.sub("[.,]", "", digits) if is_group else f"{re.sub('[.,]', '', whole)}.{fraction}"
    return Decimal(plain)


def _date_in(value: JsonValue, name: str, candidate: Candidate) -> date | None:
    if not isinstance(value, str) or not ISO_DATE.fullmatch(value):
        return None
    try:
        return date.fromisoformat(value[:10])
    except ValueError:
        return None


def _moment_in(value: JsonValue, name: str, candidate: Candidate) -> str | None:
    if not isinstance(value, str):
        return None
    if CLOCK_TIME.fullmatch(value):
        return value.zfill(5) if len(value) <= len("00:00") else value.zfill(8)
    return value if _date_in(value, name, candidate) else None
