"""What a language contributes: phrases for the acts that need no model, and the words of numbers and calendars."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property

Phrase = tuple[str, ...]


@dataclass(frozen=True)
class Acts:
    """Phrases that are a whole message, but for fillers. Folded: lower case, no accents.

    `praise` ("that sounds great") is a yes where one is asked for; `courtesies` go with it, with thanks and farewells
    ("for your help"). `hesitations` ("wait a second", "go back") answer nothing yet.
    """

    yes: frozenset[Phrase]
    no: frozenset[Phrase]
    cancel: frozenset[Phrase]
    restart: frozenset[Phrase]
    repeat: frozenset[Phrase]
    person: frozenset[Phrase]
    chitchat: frozenset[Phrase]
    praise: frozenset[Phrase]
    courtesies: frozenset[Phrase]
    status: frozenset[Phrase]
    help: frozenset[Phrase]
    skip: frozenset[Phrase]
    enough: frozenset[Phrase]
    explain: frozenset[Phrase]
    neither: frozenset[Phrase]
    hesitations: frozenset[Phrase]
    fillers: frozenset[Phrase]
    openers: frozenset[Phrase]

    @cached_property
    def words(self) -> frozenset[str]:
        """A message with any other word is more than an act."""
        kinds = (getattr(self, field.name) for field in fields(self))
        return frozenset(word for phrases in kinds for phrase in phrases for word in phrase)


@dataclass(frozen=True)
class Cues:
    """Words and phrases that point at what the rest of a message does.

    `sentences` begin sentences about a value rather than values; `places` name slots that hold places, which
    `whereabouts` lead to ("in", "near"); `kinds` may follow a name or a value. `links` stand between what a sentence is
    about and its value, `pointing` words begin such sentences, `adding` words begin a further value ("with"); `whos`
    ask for a person. `naming` words stand before a name, `companions` before that of a person (`persons_named` in what
    slots are about), `directions` before one of several places, `limits`
    before one of several times. `prefaces` may come before anything; behind `rethinks`
    ("or no") only the rest counts; `wishes` are corrections only where nothing is asked; `vague` words say what a
    message is about, and not what is wanted; `house` begins questions about what there is; `furthers` are in questions
    whether there is more; `others` ask for another of what the running flow has found.

    `narratives` name slots that hold whole sentences ("reason"), `clauses` begin a sentence and no name ("I", "don't").
    `about` are words by type that speak of a slot of that type ("mail"). `counted` are nouns that a number counts and
    no slot asks for ("three times"), `exclusions` name what is not among all ("everything but"), `partitives` follow a
    number that counts nothing ("one of"). `contacts` are verbs of a wish for a person, `governing` words stand between
    such a verb and the person, `yours` and `beside` before one of the house ("with your …").

    A question about the state of things holds a word of `lacking` ("missing"), `recalling` ("written") or, while staff
    decide, `progress` ("news"), and beside it only words of these kinds and `matters` ("details").
    """

    function_words: frozenset[str]
    question_words: frozenset[str]
    linking: frozenset[str]
    both: frozenset[Phrase]
    explaining: frozenset[str]
    negations: frozenset[Phrase]
    articles: frozenset[str]
    corrections: frozenset[Phrase]
    wishes: frozenset[Phrase]
    closers: frozenset[Phrase]
    changes: frozenset[Phrase]
    targets: frozenset[Phrase]
    another: frozenset[Phrase]
    cancels: frozenset[Phrase]
    resumes: frozenset[Phrase]
    sequences: tuple[Phrase, ...]
    leads: frozenset[Phrase]
    sentences: frozenset[str]
    places: frozenset[str]
    denials: frozenset[str]
    whereabouts: frozenset[str]
    tails: frozenset[Phrase]
    persons: frozenset[str]
    requests: frozenset[Phrase]
    talks: frozenset[Phrase]
    joining: frozenset[str]
    alternatives: frozenset[str]
    forgets: frozenset[Phrase]
    skips: frozenset[Phrase]
    prefaces: frozenset[Phrase]
    rethinks: frozenset[Phrase]
    vague: frozenset[Phrase]
    house: frozenset[Phrase]
    furthers: frozenset[str]
    others: frozenset[str]
    links: frozenset[str]
    pointing: frozenset[str]
    determiners: frozenset[str]
    kinds: frozenset[str]
    adding: frozenset[str]
    whos: frozenset[str]
    narratives: frozenset[str]
    clauses: frozenset[str]
    about: Mapping[str, frozenset[str]]
    exclusions: frozenset[Phrase]
    counted: frozenset[str]
    partitives: frozenset[str]
    contacts: frozenset[str]
    governing: frozenset[str]
    yours: frozenset[str]
    beside: frozenset[str]
    lacking: frozenset[str]
    recalling: frozenset[Phrase]
    progress: frozenset[str]
    matters: frozenset[str]
    naming: frozenset[str]
    persons_named: frozenset[str]
    companions: frozenset[str]
    directions: Mapping[str, frozenset[str]]
    limits: Mapping[str, frozenset[str]]

    @cached_property
    def plain_corrections(self) -> frozenset[Phrase]:
        """What corrects also where something is asked."""
        return self.corrections - self.wishes

    @cached_property
    def plain_negations(self) -> frozenset[Phrase]:
        return self.negations - self.wishes


@dataclass(frozen=True)
class Numerals:
    """`decimal` is the mark before the fraction; `joiners` may stand between the words of one number.

    `articles` begin a number ("a hundred"); `single` counts as one before a unit ("in a week").
    """

    decimal: str
    units: Mapping[str, int]
    scales: Mapping[str, int]
    multipliers: Mapping[str, int]
    joiners: frozenset[str]
    articles: frozenset[str]
    single: Mapping[str, int]
    ordinals: Mapping[str, int]
    last: frozenset[str]
    currencies: frozenset[str]


@dataclass(frozen=True)
class Calendar:
    """Patterns are regular expressions over folded text in which `{n}`, `{unit}`, `{month}` … stand for the tables."""

    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    days: Mapping[str, int]
    units: Mapping[str, str]
    dates: tuple[tuple[str, str], ...]
    times: tuple[tuple[str, str], ...]
    afternoon: frozenset[str]
    morning: frozenset[str]


@dataclass(frozen=True)
class Lexicon:
    code: str
    acts: Acts
    cues: Cues
    numerals: Numerals
    calendar: Calendar

    @cached_property
    def closers(self) -> frozenset[Phrase]:
        """What ends a correction, and is not only polite."""
        return self.cues.closers - self.acts.fillers


def phrases(*lines: str) -> frozenset[Phrase]:
    """`"go ahead, sure"` is two phrases; the words are written folded."""
    return frozenset(tuple(part.split()) for line in lines for part in line.split(",") if part.strip())


def vocabulary(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


def crossed(left: str, right: str) -> frozenset[Phrase]:
    """Every phrase of the one line before every phrase of the other."""
    return frozenset(first + second for first in phrases(left) for second in phrases(right))


def numbered(line: str, start: int = 0, step: int = 1) -> dict[str, int]:
    """`"one two three"` from 1 on; words with a slash between them share a number."""
    entries = enumerate(line.split())
    return {word: start + index * step for index, entry in entries for word in entry.split("/")}
