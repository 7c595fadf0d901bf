"""The calendar phrases of a lexicon as regular expressions, and the numbers behind their parts."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from dialogue.nlu.text.lexicons import LEXICONS
from dialogue.nlu.text.lexicons.lexicon import Lexicon

CalendarParts = dict[str, int | str]
HOLE = re.compile(r"\{([a-z]+)([0-9]?)\}")


@dataclass(frozen=True)
class CalendarPatterns:
    """Patterns by kind. `any_pattern` matches where one of them does: most texts hold none, and one search tells."""

    patterns: tuple[tuple[str, re.Pattern[str]], ...]
    any_pattern: re.Pattern[str]

    def find_matches(self, text: str) -> Iterator[tuple[str, re.Match[str]]]:
        """Yield (kind, match) for every calendar phrase in folded text."""
        for kind, pattern in self.patterns if self.any_pattern.search(text) else ():
            yield from ((kind, match) for match in pattern.finditer(text))


@lru_cache(maxsize=8)
def date_patterns(code: str) -> CalendarPatterns:
    """Return the compiled date phrases of a language."""
    return _compile_patterns(LEXICONS[code].calendar.dates, LEXICONS[code])


@lru_cache(maxsize=8)
def time_patterns(code: str) -> CalendarPatterns:
    """Return the compiled time phrases of a language."""
    return _compile_patterns(LEXICONS[code].calendar.times, LEXICONS[code])


@lru_cache(maxsize=8)
def shifted_time_patterns(code: str) -> CalendarPatterns:
    """Return the compiled phrases for times from now on of a language."""
    return _compile_patterns(LEXICONS[code].calendar.shifted_times, LEXICONS[code])


@lru_cache(maxsize=8)
def hour_words(code: str) -> re.Pattern[str]:
    """Return the pattern of an hour from one to twelve in words, with the minutes if they follow: "seven thirty"."""
    numbers = LEXICONS[code].numerals.units
    hours = _alternatives(word for word, number in numbers.items() if 1 <= number <= 12)
    tens = _alternatives(word for word, number in numbers.items() if number in (20, 30, 40, 50))
    minutes = _alternatives(word for word, number in numbers.items() if number in (10, 15))
    return _whole_words(rf"(?P<hour>{hours})(?:ish)?(?: (?P<minute>{minutes}|(?:{tens})(?: five)?))?")


def _compile_patterns(table: Iterable[tuple[str, str]], lexicon: Lexicon) -> CalendarPatterns:
    patterns = tuple((kind, _whole_words(_with_named_groups(pattern, lexicon))) for kind, pattern in table)
    return CalendarPatterns(patterns, _whole_words("|".join(_without_names(pattern, lexicon) for _, pattern in table)))


def _whole_words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{pattern})(?!\w|[:.][0-9])")


def _with_named_groups(pattern: str, lexicon: Lexicon) -> str:
    holes = _hole_patterns(lexicon)
    return HOLE.sub(lambda hole: f"(?P<{hole[1]}{hole[2]}>{holes[hole[1]]})", pattern)


def _without_names(pattern: str, lexicon: Lexicon) -> str:
    holes = _hole_patterns(lexicon)
    return HOLE.sub(lambda hole: f"(?:{holes[hole[1]]})", pattern)


def _hole_patterns(lexicon: Lexicon) -> dict[str, str]:
    table, units = lexicon.calendar, _alternatives(lexicon.numerals.units)
    return {
        "n": rf"[0-9]+|{units}|{_alternatives(lexicon.numerals.single)}",
        "unit": _alternatives(table.units),
        "day": _alternatives(table.days),
        "weekday": _alternatives(table.weekdays),
        "month": _alternatives(table.months),
        "d": rf"3[01]|[12][0-9]|0?[1-9]|{_alternatives(_spelled_ordinals(lexicon))}",
        "dw": units,
        "half": _alternatives(lexicon.numerals.halves),
        "clock": _alternatives(table.clock_units),
        "feast": _alternatives(table.feasts),
        "movable": _alternatives(table.movable_feasts),
        "year": r"[0-9]{4}",
        "hour": rf"2[0-3]|[01]?[0-9]|{units}",
        "minute": rf"[0-5]?[0-9]|{units}",
    }


def _spelled_ordinals(lexicon: Lexicon) -> dict[str, int]:
    return {word: number for word, number in lexicon.numerals.ordinals.items() if word.isalpha()}


def _alternatives(table: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, table), key=len, reverse=True))


def read_parts(match: re.Match[str], lexicon: Lexicon) -> CalendarParts:
    """Return the numbers behind a match's words: {"d": 5, "month": 12}; a unit stays a word ("days")."""
    groups = ((name.rstrip("0123456789"), text) for name, text in match.groupdict().items() if text is not None)
    return {name: int(text) if text.isdigit() else _table_for(name, lexicon)[text] for name, text in groups}


def read_number(text: str, lexicon: Lexicon) -> int:
    """Return the number of digits, a number word or "a"."""
    return int(text) if text.isdigit() else int(_table_for("n", lexicon)[text])


def _table_for(name: str, lexicon: Lexicon) -> Mapping[str, int | str]:
    calendar, numerals = lexicon.calendar, lexicon.numerals
    tables: dict[str, Mapping[str, int | str]] = {
        "unit": calendar.units,
        "day": calendar.days,
        "weekday": calendar.weekdays,
        "month": calendar.months,
        "feast": calendar.feasts,
        "movable": calendar.movable_feasts,
        "clock": calendar.clock_units,
    }
    return tables.get(name) or {**numerals.units, **numerals.single, **_spelled_ordinals(lexicon)}
