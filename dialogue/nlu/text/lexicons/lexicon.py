"""What a language contributes: phrases for acts, cue words, and the words of numbers and calendars."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property

Phrase = tuple[str, ...]


@dataclass(frozen=True)
class ActPhrases:
    """Phrases that are a whole message, but for fillers. Folded: lower case, no accents."""

    yes: frozenset[Phrase]
    no: frozenset[Phrase]
    cancel: frozenset[Phrase]
    restart: frozenset[Phrase]
    repeat: frozenset[Phrase]
    person: frozenset[Phrase]
    chitchat: frozenset[Phrase]
    praise: frozenset[Phrase]  # "that sounds great": a yes where one is asked for, else chitchat
    courtesies: frozenset[Phrase]  # beside praise, thanks and farewells: "for your help"
    status: frozenset[Phrase]
    help: frozenset[Phrase]
    skip: frozenset[Phrase]
    skip_item: frozenset[Phrase]  # "leave this one out": the present entry of a list
    enough: frozenset[Phrase]  # "that's all": a no to "anything else?"
    explain: frozenset[Phrase]
    neither: frozenset[Phrase]
    hesitations: frozenset[Phrase]  # "wait a second", "go back": no answer yet
    fillers: frozenset[Phrase]
    openers: frozenset[Phrase]  # "I would like to": politeness before a request

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of all acts: a message with any other word is more than an act."""
        kinds = (getattr(self, field.name) for field in fields(self))
        return frozenset(word for phrases in kinds for phrase in phrases for word in phrase)


@dataclass(frozen=True)
class CueWords:
    """Words and phrases that show what the rest of a message does; folded like the acts."""

    function_words: frozenset[str]
    question_words: frozenset[str]  # "what", "how": a sentence that begins so is a question
    asking_words: frozenset[str]  # those that ask for more than a yes or a no: "which"
    linking_words: frozenset[str]  # between what a value is for and the value: "the book is *called* Dune"
    item_links: frozenset[Phrase]  # between an entry of a list and its value: "the mug *for* a cup"
    swapped_links: frozenset[Phrase]  # the same with the value first: "a cup *instead of* the mug"
    exchange_links: frozenset[Phrase]  # the surest of the first: also before the list is known
    item_joints: frozenset[str]  # "and": between the values of two entries
    both: frozenset[Phrase]  # "both of them": all flows that are offered
    explaining_words: frozenset[str]  # "mean": in a question about what a slot is
    negations: frozenset[Phrase]
    articles: frozenset[str]
    corrections: frozenset[Phrase]
    wishes: frozenset[Phrase]  # "I want": a correction only where nothing is asked
    closers: frozenset[Phrase]  # "instead": a correction ends so
    changes: frozenset[Phrase]  # "change": what a request for another value may say
    targets: frozenset[Phrase]  # "should be": what leads to the new value
    another: frozenset[Phrase]  # "a different": asks for a new value without giving it
    cancels: frozenset[Phrase]
    resumes: frozenset[Phrase]  # "back to" a paused flow
    sequences: tuple[Phrase, ...]  # "and then": between two requests
    leads: frozenset[Phrase]  # "it's called": what may stand before a value
    sentence_starters: frozenset[str]  # begin a sentence about a value rather than the value: "i", "we"
    place_words: frozenset[str]  # in the name or description of a slot that holds a place: "city"
    denials: frozenset[str]  # "dont": turns a wish or a consent into its contrary
    degrees: frozenset[str]  # "very": stand between a negation and what it turns down
    rate_words: frozenset[str]  # one "a" day
    denials_behind: frozenset[Phrase]  # turn down what stands before them: "blanco no"
    place_prepositions: frozenset[str]  # lead to a place: "in", "near"
    tails: frozenset[Phrase]  # "please": what may stand behind a value
    person_words: frozenset[str]  # "agent", "human": who a user may ask for
    requests: frozenset[Phrase]  # "can I talk to": a wish for a person
    talk_verbs: frozenset[Phrase]  # "talk to": a wish for the person named behind it
    joining_words: frozenset[str]  # "and": between the items of a list
    alternatives: frozenset[str]  # "or"
    forgets: frozenset[Phrase]  # "forget": empties the slot named behind it
    skips: frozenset[Phrase]  # "skip", "no": leaves out the slot named behind it
    prefaces: frozenset[Phrase]  # "but first": may come before anything
    second_thoughts: frozenset[Phrase]  # "or no": only what comes behind it counts
    vague_openings: frozenset[Phrase]  # "something about": what a message is about, and not what is wanted
    house_questions: frozenset[Phrase]  # "do you have": begins a question about what there is
    anything_else_words: frozenset[str]  # in questions whether there is more: "else"
    other_one_words: frozenset[str]  # "else", "another": asks for another result of the running flow
    link_verbs: frozenset[str]  # "is", "would be": between what a sentence is about and its value
    pointing_words: frozenset[str]  # "my", "the": begin a sentence with a link verb
    determiners: frozenset[str]
    kind_words: frozenset[str]  # may follow a name or a value: "city", "type"
    adding_words: frozenset[str]  # begin a further value: "with"
    contrasts: frozenset[str]  # "but": join a clause that limits what was said before
    clause_joints: frozenset[str]  # "and": join a clause to the one before, where no mark does
    bot_questions: frozenset[Phrase]  # questions whether a person answers begin so
    narrative_questions: frozenset[Phrase]  # questions that whole sentences answer begin so
    year_leads: frozenset[str]
    concluding_words: frozenset[str]  # before what follows from the rest: "so" no
    past_verbs: frozenset[str]  # begin what happened, without "I": no, "got" them abroad
    former_words: frozenset[str]  # before a number that another one replaces: it "was" 50
    size_letters: Mapping[str, str]  # "extra large" is "xl"
    same_options: tuple[frozenset[Phrase], ...]  # each a set of phrases for one thing: "weekly", "every week"
    short_agreements: frozenset[Phrase]  # "we do"
    short_denials: frozenset[Phrase]
    person_question_words: frozenset[str]  # in questions for a person: "who"
    code_words: frozenset[str]  # in what a slot for a number or a reference as text is called and asked
    reason_starters: frozenset[str]  # begin the answer to "why": "because"
    asked_reasons: frozenset[str]  # in what a slot for a reason is called and asked: "why"
    narrative_words: frozenset[str]  # name slots that hold whole sentences: "reason"
    clause_starters: frozenset[str]  # begin a sentence and no name: "i", "dont"
    type_words: Mapping[str, frozenset[str]]  # by slot type, words that speak of such a slot: "mail"
    exclusions: frozenset[Phrase]  # "everything but": what follows is not among the values
    counted_nouns: frozenset[str]  # are counted where no slot asks for the number: three "times"
    partitives: frozenset[str]  # follow a number that counts nothing: one "of"
    contact_verbs: frozenset[str]  # verbs of a wish for a person: "speak", "get"
    visiting_words: frozenset[str]  # behind a person who comes to do something: somebody "round"
    governing_words: frozenset[str]  # between such a verb and the person: "to", "with"
    possessives: frozenset[str]  # "your" before a member of staff
    accompanying: frozenset[str]  # "with" before a member of staff
    missing_words: frozenset[str]  # "missing": in a question about what is still open
    recall_phrases: frozenset[Phrase]  # "did I say": in a question about what was noted
    progress_words: frozenset[str]  # "news": in a question about the decision of staff
    matter_words: frozenset[str]  # "details": what such questions may also name
    naming_words: frozenset[str]  # stand before a name: "called"
    persons_named: frozenset[str]  # in the name or description of a slot that holds a person: "beneficiary"
    companions: frozenset[str]  # stand before the name of a person: "with", "for"
    option_leads: frozenset[str]  # lead to what describes one of several things: the order "with" the lamp
    doubts: frozenset[str]  # "not sure about the mug": no value is changed
    reason_words: frozenset[str]  # begin a reason behind a request: "because"
    people_nouns: frozenset[str]  # what is counted where people are: 8 "guests", also in what a slot is called
    places_for_people: frozenset[str]  # in what a slot is called that has one of them for each person: "seats"
    children: frozenset[str]  # are counted beside adults: 2 adults and a "child"
    relatives: frozenset[str]  # stand for one person: me and my "wife"
    speakers: frozenset[str]  # stand for who writes: "me" and my wife
    people_joints: frozenset[str]  # between people that are counted together: "plus"
    people_ends: frozenset[Phrase]  # stand behind a number of people: four "of us"
    lone_words: frozenset[str]  # say that no one else comes: "just" me
    people_leads: frozenset[Phrase]  # stand before a number of people: "we are" 6
    introductions: frozenset[Phrase]  # stand before the speaker's own name: "I'm"
    introduction_ends: frozenset[Phrase]  # stand behind it: Ann "here"
    origin_leads: frozenset[str]  # "from" one place
    destination_leads: frozenset[str]  # "to" another
    origin_words: frozenset[str]  # in the name of the slot for where something begins: "from_address"
    destination_words: frozenset[str]  # in the name of the slot for where it goes: "to_address"
    goal_leads: frozenset[str]  # before what something is moved to: "to" Friday
    new_words: frozenset[str]  # in the name of the slot for what something is moved to: "new"
    bound_words: frozenset[str]  # "after", "until": what follows limits a value and is none, but in a slot for limits
    range_words: frozenset[str]  # "between": begin two values that are none
    conditions: frozenset[Phrase]  # "as long as": limit a yes before them
    directions: Mapping[str, frozenset[str]]  # by word, what it says of one of several places: "from" → "departure"
    limits: Mapping[str, frozenset[str]]  # by word, what it says of one of several times: "until" → end words

    @cached_property
    def plain_corrections(self) -> frozenset[Phrase]:
        """Corrections also where a value is asked for."""
        return self.corrections - self.wishes

    @cached_property
    def plain_negations(self) -> frozenset[Phrase]:
        """Negations also where a value is asked for."""
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
    collectives: Mapping[str, int]  # "a couple", "two dozen"
    halves: frozenset[str]
    ordinals: Mapping[str, int]
    last_words: frozenset[str]
    currencies: frozenset[str]


@dataclass(frozen=True)
class Calendar:
    """Patterns are regular expressions over folded text; `{n}`, `{unit}`, `{month}` … stand for the tables."""

    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    days: Mapping[str, int]
    units: Mapping[str, str]
    time_words: frozenset[str]  # say when, and no day or hour: "weekend"
    feasts: Mapping[str, int]  # the month and the day as one number: 1224
    movable_feasts: Mapping[str, int]  # in days from Easter Sunday on
    clock_units: Mapping[str, int]  # in minutes
    day_lookalikes: frozenset[Phrase]  # "sat down": begin as a day does
    shifted_times: tuple[tuple[str, str], ...]  # times from now on: "ahead", "back", "now"
    past_words: frozenset[str]  # what a slot's text says of days that are over
    wish_words: frozenset[str]  # …and what it says of days to come
    dates: tuple[tuple[str, str], ...]
    times: tuple[tuple[str, str], ...]
    afternoon: frozenset[str]
    morning: frozenset[str]
    hour_leads: frozenset[Phrase]  # between a day and a lone hour: Friday "at" 8


@dataclass(frozen=True)
class Lexicon:
    """All that one language contributes; `code` is its BCP 47 tag."""

    code: str
    acts: ActPhrases
    cues: CueWords
    numerals: Numerals
    calendar: Calendar

    @cached_property
    def closers(self) -> frozenset[Phrase]:
        """Phrases that end a correction and are not only polite."""
        return self.cues.closers - self.acts.fillers

    @cached_property
    def filler_words(self) -> frozenset[str]:
        """The words of polite phrases, and those for days and months: beside a number, none of them is counted."""
        polite = frozenset(word for phrase in self.acts.fillers for word in phrase)
        return polite.union(self.calendar.days, self.calendar.weekdays, self.calendar.months)


def parse_phrases(*lines: str) -> frozenset[Phrase]:
    """Return the phrases of the lines: `"go ahead, sure"` is two. Write the words folded."""
    return frozenset(tuple(part.split()) for line in lines for part in line.split(",") if part.strip())


def parse_words(*lines: str) -> frozenset[str]:
    """Return the words of the lines."""
    return frozenset(word for line in lines for word in line.split())


def combine_phrases(first_line: str, second_line: str) -> frozenset[Phrase]:
    """Return every phrase of the first line followed by every phrase of the second."""
    return frozenset(first + second for first in parse_phrases(first_line) for second in parse_phrases(second_line))


def number_words(line: str, start: int = 0, step: int = 1) -> dict[str, int]:
    """Number the words of a line from `start` on; words with a slash between them share a number."""
    entries = enumerate(line.split())
    return {word: start + index * step for index, entry in entries for word in entry.split("/")}
