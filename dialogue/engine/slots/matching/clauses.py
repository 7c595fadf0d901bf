"""The clauses of a message about options: what is wanted, what is not, and whether it adds to what is chosen."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from dialogue.engine.slots.matching.candidate_index import CandidateIndex, Mask
from dialogue.engine.slots.matching.description import Constraint, Description, find_phrases, phrase_length
from dialogue.engine.slots.matching.phrases import describe, rank, take_position
from dialogue.engine.slots.matching.spoken_numbers import with_digits
from dialogue.engine.slots.matching.vocabulary import COLOURS, Phrase, Vocabulary
from dialogue.engine.slots.matching.word_forms import Word, forms_of, split_words, word_forms

CLAUSE_MARK = re.compile(r"[,;.!?\n…&+]| [-–—] |^/$")
MAX_CLAUSES = 12
MAX_MESSAGE_WORDS = 120
PAIR = 2


@dataclass(frozen=True)
class Clause:
    """One description and the candidates that it fits. `parts` are those of its single words.

    `contradicts`: it says something that no candidate has, such as another colour.
    """

    mask: Mask
    wanted: bool
    plural: bool
    how: tuple[str, ...]
    parts: tuple[Mask, ...]
    places: tuple[int, ...]
    contradicts: bool = False
    unexplained: tuple[int, ...] = ()


@dataclass(frozen=True)
class Reading:
    """What a message says about the options. `how` is "none" or "question" where no option is described at all."""

    clauses: tuple[Clause, ...] = ()
    how: str = ""
    remainder: str = ""
    words: str = ""
    adds: bool = False
    is_exception: bool = False
    is_replacement: bool = False
    describes: bool = False

    @property
    def how_found(self) -> str:
        """By what the candidates were found."""
        kinds = (kind for clause in self.clauses if clause.mask for kind in clause.how)
        return " + ".join(dict.fromkeys((*kinds, *(("not",) if any(not c.wanted for c in self.clauses) else ()))))


@dataclass(frozen=True)
class _Segment:
    """Words of the message between two marks, and whether what they describe is wanted."""

    words: tuple[Word, ...]
    wanted: bool = True
    every: bool = False
    rest: bool = False


def read_clauses(
    text: str, index: CandidateIndex, lexicon: Vocabulary, current: Mask, today: date | None, *, several: bool = False
) -> Reading:
    """Read the message. With `several` it may add to the options that are chosen, or take some away."""
    words = _without_asides(with_digits(text, split_words(text)[:MAX_MESSAGE_WORDS], index, lexicon), lexicon)
    whole = index.phrases.get(forms_of(words), 0)
    if whole.bit_count() == 1:
        return Reading(
            (Clause(whole, True, False, ("label",), (whole,), tuple(range(len(words)))),), words=text.strip()
        )
    message = _Message(text, index, lexicon, current, today, several)
    if message.is_question(words):
        return Reading(how="question")
    return message.read(message.behind_correction(words))


def _without_asides(words: tuple[Word, ...], lexicon: Vocabulary) -> tuple[Word, ...]:
    """Leave out "after all" and the like, whose words would mean something else."""
    asides = {place for start, end in find_phrases(forms_of(words), lexicon.asides) for place in range(start, end)}
    return tuple(word for place, word in enumerate(words) if place not in asides) if asides else words


def _excludes_each_other(described: Description, constraints: Sequence[Constraint]) -> bool:
    """Return whether words that fit no option together describe one: "the flight on the 6th", "the red mug"."""
    if any(constraint.how in ("date", "amount") for constraint in constraints):
        return True
    for constraint in constraints:
        beside = {place + step for place in constraint.words for step in (-1, 1)}
        is_colour = any(not COLOURS.isdisjoint(word_forms(described.forms[place])) for place in constraint.words)
        if is_colour and any(other is not constraint and other.words & beside for other in constraints):
            return True
    return False


@dataclass(frozen=True)
class _Message:
    text: str
    index: CandidateIndex
    lexicon: Vocabulary
    current: Mask
    today: date | None
    several: bool

    def is_question(self, words: Sequence[Word]) -> bool:
        """Return whether the message asks something, and not politely for an option."""
        forms = self._without_greeting(forms_of(words))
        if not forms:
            return False
        if phrase_length(forms, 0, self.lexicon.polite_questions):
            return False
        return (
            self.text.rstrip().endswith("?")
            or "¿" in self.text
            or bool(phrase_length(forms, 0, self.lexicon.questions))
        )

    def _says_only(self, forms: Sequence[str], phrases: frozenset[Phrase]) -> bool:
        said = {place for start, end in find_phrases(forms, phrases) for place in range(start, end)}
        return bool(said) and all(place in said or form in self.lexicon.ignored for place, form in enumerate(forms))

    def _asks_politely(self, forms: Sequence[str]) -> bool:
        is_polite = phrase_length(self._without_greeting(forms), 0, self.lexicon.polite_questions)
        return bool(is_polite) and self.text.rstrip().endswith("?")

    def _without_greeting(self, forms: Sequence[str]) -> Sequence[str]:
        start = 0
        while start < len(forms) and forms[start] in self.lexicon.greetings:
            start += 1
        return forms[start:]

    def behind_correction(self, words: tuple[Word, ...]) -> tuple[Word, ...]:
        """Return the words behind "no sorry" and the like, where options stand before and behind it."""
        forms = forms_of(words)
        for start, end in reversed(list(find_phrases(forms, self.lexicon.self_corrections))):
            if start > 0 and end < len(words) and self._clause(_Segment(words[end:])).mask:
                return words[end:] if self._clause(_Segment(words[:start])).mask else words
        return words

    def read(self, words: tuple[Word, ...]) -> Reading:
        forms = forms_of(words)
        segments = list(self._segments(words))[:MAX_CLAUSES]
        swap = self._swapped(words) if self.several else None
        if swap:
            segments = list(swap)
        clauses = tuple(self._clause(segment) for segment in segments)
        described = [clause for clause in clauses if clause.mask]
        if self._says_only(forms, self.lexicon.nothing):
            return Reading(how="none")
        if self._asks_politely(forms) and not described:
            return Reading(how="question")
        if any(find_phrases(forms, self.lexicon.wishes)) and all(clause.how == ("number",) for clause in described):
            return Reading()
        if not described and any(find_phrases(forms, self.lexicon.nothing)):
            return Reading(how="none")
        if not described and any(find_phrases(forms, self.lexicon.either)):
            everything = Clause(self.index.everything, True, False, ("any",), (), tuple(range(len(words))))
            return Reading((everything,), words=self.text.strip())
        return Reading(
            clauses,
            remainder=" ".join(words[0].form for words in self._unexplained(segments, clauses)),
            words=self._part_said(segments, clauses),
            adds=self._adds(forms),
            is_exception=any(s.every and s.wanted for s in segments) and any(not s.wanted for s in segments),
            is_replacement=bool(swap),
            describes=self._describes(forms, clauses),
        )

    def _unexplained(self, segments: Sequence[_Segment], clauses: Sequence[Clause]) -> Iterator[tuple[Word]]:
        for segment, clause in zip(segments, clauses, strict=True):
            yield from ((segment.words[place],) for place in clause.unexplained)

    def _part_said(self, segments: Sequence[_Segment], clauses: Sequence[Clause]) -> str:
        words = [
            segment.words[place]
            for segment, clause in zip(segments, clauses, strict=True)
            if clause.mask
            for place in clause.places
        ]
        return self.text[min(word.start for word in words) : max(word.end for word in words)] if words else ""

    def _adds(self, forms: Sequence[str]) -> bool:
        if not forms or not self.several:
            return False
        adds = any(not self._is_degree(forms, start) for start, _ in find_phrases(forms, self.lexicon.additions))
        return adds or bool(self.current and forms[0] in self.lexicon.joining)

    def _describes(self, forms: Sequence[str], clauses: Sequence[Clause]) -> bool:
        """Return whether the words describe an option, though none fits: not courtesy, not another wish."""
        if any(clause.contradicts for clause in clauses):
            return True
        is_wish = any(find_phrases(forms, self.lexicon.wishes))
        return not is_wish and any(clause.unexplained for clause in clauses)

    # Segments

    def _swapped(self, words: tuple[Word, ...]) -> tuple[_Segment, _Segment] | None:
        """ "Swap the lamp for the mug", "instead of the mug the bottle": what goes, and what comes in its place."""
        forms = forms_of(words)
        for start, end in find_phrases(forms, self.lexicon.swaps):
            for place in range(end + 1, len(words) - 1):
                if forms[place] in self.lexicon.swap_joints:
                    return self._pair(words[end:place], words[place + 1 :], forms[:start])
        for start, end in find_phrases(forms, self.lexicon.replacements):
            before = words[:start]
            if any(self._clause(_Segment(before)).parts):
                return self._pair(words[end:], before, ())
            for place in range(end + 2, len(words)):
                if (
                    forms[place] in self.lexicon.determiners
                    or "," in self.text[words[place - 1].end : words[place].start]
                ):
                    return self._pair(words[end:place], words[place:], ())
        return None

    def _pair(
        self, gone: tuple[Word, ...], new: tuple[Word, ...], before: Sequence[str]
    ) -> tuple[_Segment, _Segment] | None:
        if any(form not in self.lexicon.ignored for form in before):
            return None
        pair = _Segment(gone, wanted=False), _Segment(new)
        return pair if all(self._clause(segment).mask for segment in pair) else None

    def _segments(self, words: tuple[Word, ...]) -> Iterator[_Segment]:
        """Cut the words at marks, at "and", and where something wanted or not wanted begins."""
        forms, start, wanted, stays, every = forms_of(words), 0, True, False, False
        place = 0
        while place < len(words):
            is_mark = place > 0 and self._is_mark(words, place)
            if is_mark or self._joins(forms, place):
                yield from self._segment(words[start:place], wanted=wanted)
                start = place + (0 if is_mark and not self._joins(forms, place) else 1)
                wanted = wanted if stays or not is_mark else True
            length, polarity = self._contrast(forms, place, every) if not wanted else (0, True)
            if not length:
                length, polarity = self._turn(words, place)
            if length:
                yield from self._segment(words[start:place], wanted=wanted)
                every = every or self._has_every(forms[:place])
                wanted, stays = polarity, every and not polarity
                start = place = place + length
                continue
            place += 1
        yield from self._segment(words[start:], wanted=wanted)

    def _has_every(self, forms: Sequence[str]) -> bool:
        return any(find_phrases(forms, self.lexicon.every))

    def _is_mark(self, words: Sequence[Word], place: int) -> bool:
        between = self.text[words[place - 1].end : words[place].start]
        return bool(CLAUSE_MARK.search(between)) and not self._is_abbreviation(words[place - 1], between)

    def _is_abbreviation(self, word: Word, between: str) -> bool:
        return between.strip() == "." and word.form in self.lexicon.abbreviations

    def _joins(self, forms: Sequence[str], place: int) -> bool:
        """Return whether the word joins two descriptions: an "and" that is not part of a label."""
        if not place:
            return False
        if forms[place] in self.lexicon.plus and place + 1 < len(forms):
            return forms[place + 1] in self.lexicon.determiners
        if forms[place] not in self.lexicon.joining:
            return False
        if place >= 2 and forms[place - 2] in self.lexicon.between:
            return False
        if self._is_hour(forms[place - 1]) and phrase_length(forms, place, frozenset(self.lexicon.minutes_behind)):
            return False
        inside = {(forms[place - 1], forms[place]), (forms[place], forms[min(place + 1, len(forms) - 1)])}
        return not inside <= self.index.neighbours and not phrase_length(
            forms, place, self.lexicon.removals - self.lexicon.exceptions
        )

    def _is_hour(self, form: str) -> bool:
        return form in self.lexicon.numbers or form.isdecimal()

    def _contrast(self, forms: Sequence[str], place: int, every: bool) -> tuple[int, bool]:
        """ "Not the boots but the cap": what comes behind is wanted again."""
        following = forms[place + 1] if place + 1 < len(forms) else ""
        is_contrast = not every and forms[place] in self.lexicon.contrast and following in self.lexicon.determiners
        return (1, True) if is_contrast else (0, True)

    def _turn(self, words: Sequence[Word], place: int) -> tuple[int, bool]:
        """Return the length of a phrase at this place behind which things are not wanted, or wanted again."""
        lexicon, forms = self.lexicon, forms_of(words)
        if self._is_label_word(forms, place) or self._is_degree(forms, place):
            return 0, True
        removals = lexicon.removals if self.several else lexicon.negations
        is_all = self._has_every(forms[:place]) or any(find_phrases(forms[:place], lexicon.either))
        if is_all and (length := phrase_length(forms, place, lexicon.exceptions)):
            return length, False
        if self._negates_next(words, place):
            return 1, False
        if self.several and not place and self.current and (length := phrase_length(forms, place, lexicon.keeps)):
            return length, False
        for phrases in (removals, lexicon.negations):
            length = phrase_length(forms, place, phrases)
            if length and self._describes_behind(words, place + length) and not self._answers_no(words, place):
                return length, False
        length = phrase_length(forms, place, lexicon.additions) if self.several else 0
        return (length, True) if length else (0, True)

    def _describes_behind(self, words: Sequence[Word], start: int) -> bool:
        """Return whether a word about an option follows before the next mark."""
        if phrase_length(forms_of(words), start, self.lexicon.every):
            return True
        for place in range(start, len(words)):
            if place > start and self._is_mark(words, place):
                return False
            if words[place].form not in self.lexicon.ignored:
                return True
        return False

    def _is_degree(self, forms: Sequence[str], place: int) -> bool:
        """ "Menos de 20 euros", "el menos caro", "too big": no word that takes away or adds."""
        following = forms[place + 1] if place + 1 < len(forms) else ""
        limits = self.lexicon.at_most | self.lexicon.at_least
        if phrase_length(forms, place, limits):
            return True
        amount = forms[place] in self.lexicon.less and (
            following in self.lexicon.adjectives or bool(self.index.fields_named(following))
        )
        return amount or (forms[place] == "too" and bool(following) and following not in self.lexicon.joining)

    def _negates_next(self, words: Sequence[Word], place: int) -> bool:
        """ "No boots", "neither blue nor red"; not the "no" of "no, the boots"."""
        forms = forms_of(words)
        if place + 1 >= len(forms) or self._answers_no(words, place):
            return False
        is_no = forms[place] == "no" and forms[place + 1] not in self.lexicon.ignored
        return forms[place] in self.lexicon.bare_negations or is_no

    def _answers_no(self, words: Sequence[Word], place: int) -> bool:
        """ "No, the red one": a "no" with a mark behind it answers, and takes nothing away."""
        if words[place].form != "no" or place + 1 >= len(words):
            return False
        return bool(CLAUSE_MARK.search(self.text[words[place].end : words[place + 1].start]))

    def _is_label_word(self, forms: Sequence[str], place: int) -> bool:
        """ "Except" inside of a label is no exception."""
        around = {(forms[place - 1], forms[place])} if place else set()
        behind = {(forms[place], forms[place + 1])} if place + 1 < len(forms) else set()
        return bool(around & self.index.neighbours or behind & self.index.neighbours) and forms[place] not in (
            "no",
            "not",
        )

    def _segment(self, words: tuple[Word, ...], *, wanted: bool) -> Iterator[_Segment]:
        if not words:
            return
        forms = forms_of(words)
        # "The green one not", "la verde no".
        if (
            len(words) > 1
            and forms[-1] in self.lexicon.trailing_negations
            and (self.several or forms[-1] in ("no", "not"))
        ):
            yield from self._segment(words[:-1], wanted=False)
            return
        end = self._end_before_refusal(forms)
        if end:
            yield from self._segment(words[:end], wanted=False)
            return
        rest = any(find_phrases(forms, self.lexicon.rest))
        yield _Segment(words, wanted, self._has_every(forms), rest)

    def _end_before_refusal(self, forms: Sequence[str]) -> int:
        """ "The boots I don't want", "el teclado no lo quiero": where the refused description ends, or 0."""
        for start, end in find_phrases(forms, self.lexicon.refusals):
            says_something = any(form not in self.lexicon.ignored for form in forms[:start])
            if says_something and all(form in self.lexicon.ignored for form in forms[end:]):
                return start
        return 0

    # Clauses

    def _clause(self, segment: _Segment) -> Clause:
        """Find the candidates of one description."""
        described = describe(Description(self.text, segment.words, self.lexicon, self.index, self.today))
        forms = forms_of(segment.words)
        base, contradicts = self._base(described)
        contradicts = contradicts or self._means_withheld(segment, described)
        mask, how = base, [c.how for c in described.constraints if c.mask]
        if described.ranking is not None:
            mask, how = rank(described.ranking, base or self.index.everything, self.current), [*how, "comparison"]
        if described.position is not None:
            count = len(self.index.candidates)
            mask, how = take_position(described.position, base or self.index.everything, count), [*how, "number"]
            contradicts = contradicts or not mask
        if not how and segment.rest:
            mask, how = self.index.everything & ~self.current, ["other"]
        elif not how and self._counts_all(described):
            mask, how = self.index.everything, ["all"]
        elif not how and segment.every and not described.unexplained:
            mask, how = self._everything(forms), ["all"]
        elif any(form in self.lexicon.other for form in forms) and (mask or not described.unexplained):
            mask, how = self._other(mask, how)
        enumerated = self._enumerated(described.constraints) if self.several else 0
        return Clause(
            0 if contradicts else enumerated or mask,
            segment.wanted,
            bool(enumerated) or self._is_plural(segment, described),
            tuple(how),
            tuple(c.mask for c in described.constraints if c.mask),
            tuple(described.explained) or tuple(range(len(segment.words))),
            contradicts or bool(described.position and not mask),
            tuple(described.unexplained),
        )

    def _means_withheld(self, segment: _Segment, described: Description) -> bool:
        """Return whether words that mean nothing here describe, with all the others, what cannot be chosen now.

        A "gift card" that is not offered is not the credit card, although "card" fits it.
        """
        others = self.index.withheld if described.unexplained else None
        if others is None:
            return False
        elsewhere = describe(Description(self.text, segment.words, self.lexicon, others, self.today))
        fitting = others.everything if elsewhere.constraints else 0
        for constraint in elsewhere.constraints:
            fitting &= constraint.mask
        return bool(fitting) and len(elsewhere.unexplained) < len(described.unexplained)

    def _counts_all(self, described: Description) -> bool:
        """ "The four", of four options."""
        count = str(len(self.index.candidates))
        return any(described.forms[place] == count for place in described.cardinal) and not described.unexplained

    def _everything(self, forms: Sequence[str]) -> Mask:
        """All of them; "both" are two: the options, or those chosen already."""
        if not any(find_phrases(forms, self.lexicon.dual)) or len(self.index.candidates) == PAIR:
            return self.index.everything
        return self.current if self.current.bit_count() == PAIR else 0

    def _enumerated(self, constraints: Sequence[Constraint]) -> Mask:
        """ "Boots cap": several labels without a word between them."""
        labels = [constraint.mask for constraint in constraints if constraint.how == "label"]
        together = 0
        for label in labels:
            if label.bit_count() != 1 or together & label:
                return 0
            together |= label
        return together if len(labels) > 1 else 0

    def _other(self, mask: Mask, how: list[str]) -> tuple[Mask, list[str]]:
        """ "The other one": what is not chosen; where nothing is chosen yet, it stays open."""
        base = mask or self.index.everything
        return (base & ~self.current if self.current else base), [*how, "other"]

    def _base(self, described: Description) -> tuple[Mask, bool]:
        """Return the candidates that fit all constraints, or else most of them; and whether that is a contradiction."""
        constraints = described.constraints
        if any(constraint.strict and not constraint.mask for constraint in constraints):
            return 0, True
        fitting = [constraint for constraint in constraints if constraint.mask]
        common = self.index.everything
        for constraint in fitting:
            common &= constraint.mask
        if not fitting:
            return 0, False
        if not common and _excludes_each_other(described, fitting):
            return 0, True
        return (common or self._best(fitting)), False

    def _best(self, constraints: Sequence[Constraint]) -> Mask:
        """The candidates that fit the most words."""
        scores = [
            sum(len(c.words) for c in constraints if c.mask >> place & 1) for place in range(len(self.index.candidates))
        ]
        best = max(scores)
        return sum(1 << place for place, score in enumerate(scores) if score == best)

    def _is_plural(self, segment: _Segment, described: Description) -> bool:
        forms = forms_of(segment.words)
        content = [place for place in range(len(forms)) if not described.is_ignored(place)]
        has_plural_word = any(
            form.endswith("s") and len(form) > 3 and not self.index.has_word(form) and place in described.used
            for place, form in enumerate(forms)
            if place in content
        )
        has_plural_word = has_plural_word or any(
            form == "s" and place in described.used for place, form in enumerate(forms)
        )
        is_few = described.position is not None and len(described.position.places) > 1
        is_ranked = described.ranking is not None and len(described.ranking.places) > 1
        timed = {
            place for constraint in described.constraints if constraint.how == "date" for place in constraint.words
        }
        articles = self.lexicon.determiners | self.lexicon.plurals
        first = next((form for place, form in enumerate(forms) if form in articles and place not in timed), "")
        says_plural = first in self.lexicon.plurals or any(form in self.lexicon.plural_pronouns for form in forms)
        amount = any(constraint.how == "amount" for constraint in described.constraints) and "anything" in forms
        if described.cardinal:
            return True
        return segment.every or segment.rest or has_plural_word or is_few or is_ranked or says_plural or amount
