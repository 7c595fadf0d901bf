"""What a description of an option says: labels, dates, amounts, degrees, positions, and words of its texts."""

from collections.abc import Callable, Sequence

from dialogue.engine.slots.matching.amounts import find_amounts, numbers_with
from dialogue.engine.slots.matching.candidate_index import Mask, Measure, parse_number, positions_of
from dialogue.engine.slots.matching.clock import find_times
from dialogue.engine.slots.matching.days import find_days
from dialogue.engine.slots.matching.description import (
    Description,
    Position,
    Ranking,
    find_phrases,
)
from dialogue.engine.slots.matching.vocabulary import ASCENDING, COLOURS, Adjective, Vocabulary
from dialogue.engine.slots.matching.word_forms import word_forms

MAX_POSITION_DIGITS = 3
# A larger number before a noun is a size or a code.
MAX_CARDINAL = 20
MIN_CODE_DIGITS = 3
PositionFinder = Callable[[Description], Position | None]


def describe(description: Description) -> Description:
    """Find what the words say about the candidates, the most certain first."""
    _find_labels(description)
    _find_codes(description)
    find_days(description)
    find_times(description)
    _find_endings(description)
    find_amounts(description)
    _find_cardinal(description)
    _find_ranking(description)
    _find_position(description, (_first_or_last_few,))
    description.used |= description.cardinal
    _find_position(description, (_numbered_position, _ordinal_position, _range_position, _bare_number))
    _find_fields(description)
    _find_words(description)
    return description


def _find_labels(description: Description) -> None:
    index, forms = description.index, description.forms
    for length in range(min(index.phrase_words, len(forms)), 0, -1):
        for start in range(len(forms) - length + 1):
            window, end = forms[start : start + length], start + length
            if window not in index.phrases or not description.free(start, end):
                continue
            says_something = any(not description.is_ignored(place) for place in range(start, end))
            is_bare_number = length == 1 and window[0].isdecimal() and not _is_whole(description, start)
            if (says_something and not is_bare_number) or length == len(forms):
                description.add(index.phrases[window], set(range(start, end)), "label")


def _find_codes(description: Description) -> None:
    """ "W23", "i7", "64GB": letters and digits that are written together. The s of "the 42s" is a plural."""
    for place in range(len(description.forms) - 1):
        if not description.free(place, place + 2) or description.between(place, place + 1):
            continue
        joined = description.forms[place] + description.forms[place + 1]
        mask = description.index.find_code(joined)
        if mask:
            description.add(mask, {place, place + 1}, "text")
        elif description.forms[place + 1] == "s":
            description.used.add(place + 1)


def _is_whole(description: Description, place: int) -> bool:
    return all(other == place or description.is_ignored(other) for other in range(len(description.words)))


def _find_endings(description: Description) -> None:
    """ "Ending in 42": the end of a code."""
    for start, end in find_phrases(description.forms, description.lexicon.ending_leads):
        if end < len(description.forms) and description.forms[end].isdecimal() and description.free(start, end + 1):
            mask = description.index.find_ending(description.forms[end])
            description.add(mask, set(range(start, end + 1)), "label", strict=True)


# Degrees and positions


def _find_cardinal(description: Description) -> None:
    """ "The two lamps", "las dos cosas": how many there are, and no position."""
    forms, lexicon = description.forms, description.lexicon
    for place in range(len(forms)):
        count = _count(forms[place], lexicon)
        behind = forms[place + 1] if place + 1 < len(forms) else ""
        before = forms[place - 1] if place else ""
        is_plural = before in lexicon.plurals | lexicon.other or (
            before in lexicon.definite and ((behind.endswith("s") and len(behind) > 1) or behind in ("of", "de"))
        )
        is_all = count == len(description.index.candidates) and before in lexicon.plurals | lexicon.definite
        is_part = behind in ("of", "de") and before not in lexicon.number_leads
        if 1 < count <= MAX_CARDINAL and (is_plural or is_all or is_part) and description.free(place, place + 1):
            description.cardinal = frozenset({place})


def _find_ranking(description: Description) -> None:
    for place in range(len(description.forms)):
        if description.free(place, place + 1) and (found := _ranking_at(description, place)):
            adjective, words = found
            names = [form for other, form in enumerate(description.forms) if other not in words]
            column = description.index.measured_field(adjective.dimension, names)
            if column is not None:
                fields = {
                    other
                    for other, form in enumerate(description.forms)
                    if description.index.measures(form) and not description.index.find_exactly(form)
                }
                description.ranking = _with_places(description, Ranking(column, adjective.direction, words | fields))
                description.used |= description.ranking.words
                return


def _ranking_at(description: Description, place: int) -> tuple[Adjective, frozenset[int]] | None:
    """Return what a degree compares: "cheaper", "most expensive", "the cheap one", "the most pages"; or None."""
    forms, lexicon = description.forms, description.lexicon
    form, following = forms[place], forms[place + 1] if place + 1 < len(forms) else ""
    amount = lexicon.more | lexicon.less
    if form in amount and following in lexicon.adjectives:
        adjective = lexicon.adjectives[following]
        sign = -1 if form in lexicon.less and form not in lexicon.degrees else 1
        return Adjective(adjective.dimension, sign * adjective.direction), frozenset({place, place + 1})
    if form in amount and description.index.fields_named(following):
        direction = ASCENDING if form in lexicon.less else -ASCENDING
        return Adjective("any", direction), frozenset({place})
    if form in lexicon.last and place and forms[place - 1] in lexicon.possessives and description.index.moments:
        # "My last order" is the latest one, wherever it is listed.
        return Adjective("time", -ASCENDING), frozenset({place})
    if form in lexicon.degrees and not description.index.find_exactly(form):
        return lexicon.degrees[form], frozenset({place})
    is_attribute = place > 0 and forms[place - 1] in lexicon.determiners
    if form in lexicon.adjectives and (is_attribute or len(forms) == 1) and not description.index.find_word(form):
        return lexicon.adjectives[form], frozenset({place})
    return None


def _with_places(description: Description, ranking: Ranking) -> Ranking:
    """Add what stands before or behind the degree: "the *second* cheapest", "the *two* cheapest", "*a* cheaper one"."""
    forms, lexicon = description.forms, description.lexicon
    first, last = min(ranking.words), max(ranking.words)
    before, behind = forms[first - 1] if first else "", forms[last + 1] if last + 1 < len(forms) else ""
    if before in lexicon.ordinals and description.free(first - 1, first):
        nth = lexicon.ordinals[before] - 1
        return Ranking(ranking.column, ranking.direction, ranking.words | {first - 1}, range(nth, nth + 1))
    cardinals = [(place, forms[place]) for place in description.cardinal]
    for place, form in (*cardinals, (first - 1, before), (last + 1, behind)):
        count = _count(form, lexicon)
        if count > 1 and (place not in description.cardinal or count < len(description.index.candidates)):
            return Ranking(ranking.column, ranking.direction, ranking.words | {place}, range(count))
    return Ranking(ranking.column, ranking.direction, ranking.words, indefinite=before in lexicon.indefinite)


def _count(form: str, lexicon: Vocabulary) -> int:
    if form.isdecimal() and len(form) <= MAX_POSITION_DIGITS:
        return int(form)
    return lexicon.numbers.get(form, 0)


def rank(ranking: Ranking, mask: Mask, compared_with: Mask = 0) -> Mask:
    """Return the candidates of the mask at the ranking's places; those with an equal value share a place.

    An indefinite one ("a cheaper one") means all that are beyond the candidate `compared_with`.
    """
    values = {place: ranking.column[place] for place in positions_of(mask)}
    known = {place: value for place, value in values.items() if value is not None}
    ordered = sorted(set(known.values()), reverse=ranking.direction != ASCENDING)
    current = next((ranking.column[place] for place in positions_of(compared_with)), None)
    if current is not None and ranking.indefinite and current in ordered:
        wanted = set(ordered[: ordered.index(current)])
    elif len(ranking.places) > 1:
        return _first_by_rank(known, ordered, len(ranking.places))
    else:
        wanted = set(ordered[ranking.places.start : ranking.places.stop])
    return sum(1 << place for place, value in known.items() if value in wanted)


def _first_by_rank(known: dict[int, Measure], ordered: Sequence[Measure], count: int) -> Mask:
    by_rank = sorted(known, key=lambda place: (ordered.index(known[place]), place))
    return sum(1 << place for place in by_rank[:count])


def _find_position(description: Description, finders: Sequence[PositionFinder]) -> None:
    for find in finders:
        position = find(description) if description.position is None else None
        if position is not None:
            description.position = position
            description.used |= position.words
            return


def _first_or_last_few(description: Description) -> Position | None:
    """ "The first two", "las dos primeras", "the last 3"."""
    lexicon, forms = description.lexicon, description.forms
    for place, form in enumerate(forms):
        is_last = form in lexicon.last
        if not (is_last or lexicon.ordinals.get(form) == 1):
            continue
        for other in (place + 1, place - 1):
            count = _count(forms[other], lexicon) if 0 <= other < len(forms) else 0
            if count > 1 and description.free(other, other + 1):
                places = tuple(range(-count, 0)) if is_last else tuple(range(count))
                return Position(places, frozenset({place, other}))
    return None


def _numbered_position(description: Description) -> Position | None:
    """ "Number 3", "#3", "option two", "the 3rd"."""
    lexicon, forms = description.lexicon, description.forms
    for place, form in enumerate(forms):
        count = _count(form, lexicon)
        if not 0 < count <= len(description.index.candidates) or not description.free(place, place + 1):
            continue
        ending = place + 1 < len(forms) and forms[place + 1] in lexicon.ordinal_endings
        if form.isdecimal() and ending and not description.between(place, place + 1):
            return Position((count - 1,), frozenset({place, place + 1}))
        marked = description.text[: description.words[place].start].rstrip()[-1:] in ("#", "º", "°")
        if marked or (place and forms[place - 1] in lexicon.number_leads):
            return Position((count - 1,), frozenset({place}))
    return None


def _ordinal_position(description: Description) -> Position | None:
    lexicon, forms = description.lexicon, description.forms
    for start, end in find_phrases(forms, lexicon.last_but_one):
        return Position((-2,), frozenset(range(start, end)))
    ordinals = [
        place for place, form in enumerate(forms) if form in lexicon.ordinals and _is_position(description, place)
    ]
    if ordinals:
        return Position(tuple(lexicon.ordinals[forms[place]] - 1 for place in ordinals), frozenset(ordinals))
    for place, form in enumerate(forms):
        if not description.free(place, place + 1):
            continue
        if form in lexicon.last:
            return Position((-1,), frozenset({place}))
        count = len(description.index.candidates)
        if form in lexicon.middle and count % 2 and not description.index.find_exactly(form):
            return Position((count // 2,), frozenset({place}))
    return None


def _is_position(description: Description, place: int) -> bool:
    return description.free(place, place + 1) and not description.index.find_exactly(description.forms[place])


def _range_position(description: Description) -> Position | None:
    """ "1 to 3", "2-4", "del 1 al 3"."""
    lexicon, forms = description.lexicon, description.forms
    for place in range(len(forms) - 1):
        other = place + 2 if forms[place + 1] in lexicon.range_words and place + 2 < len(forms) else place + 1
        # "De la 1 a la 3".
        other += other == place + 2 and forms[other] in lexicon.determiners and other + 1 < len(forms)
        joined = other >= place + 2 or description.between(place, other).strip() in ("-", "–")
        first, last = _count(forms[place], lexicon), _count(forms[other], lexicon)
        if joined and 0 < first < last <= len(description.index.candidates):
            return Position(tuple(range(first - 1, last)), frozenset(range(place, other + 1)))
    return None


def _bare_number(description: Description) -> Position | None:
    """ "2", "the 2", "two": nothing else is said, and not exactly one label has this number."""
    lexicon = description.lexicon
    numbers = [
        place for place, form in enumerate(description.forms) if _count(form, lexicon) and place not in description.used
    ]
    if len(numbers) != 1 or not _is_whole(description, numbers[0]) or description.constraints:
        return None
    form = description.forms[numbers[0]]
    count = _count(form, lexicon)
    is_text = form.isdecimal() and description.index.labels_with(form).bit_count() == 1
    if is_text or not 0 < count <= len(description.index.candidates) or (form in lexicon.ignored):
        return None
    return Position((count - 1,), frozenset(numbers))


def take_position(position: Position, mask: Mask, count: int) -> Mask:
    """Return the candidates of the mask at these places; of all `count` candidates where the mask has fewer."""
    places = list(positions_of(mask))
    fits = all(-len(places) <= place < len(places) for place in position.places)
    if not fits or len(places) < 2:
        listed = sum(1 << place % count for place in position.places if -count <= place < count)
        return listed & mask
    return sum(1 << place for place in {places[place] for place in position.places})


# Words


def _find_fields(description: Description) -> None:
    """ "Size 10", "the waterproof one": a word that names a field is about its value, or about its yes or no."""
    index = description.index
    for place, form in enumerate(description.forms):
        if not description.free(place, place + 1) or description.is_ignored(place) or index.find_exactly(form):
            continue
        for name in sorted(index.fields_named(form)):
            flagged = index.find_flag(name, state=True)
            if flagged or index.find_flag(name, state=False):
                description.add(flagged, {place}, "attribute", strict=True)
                break
            following = _value_of_field(description, name, place)
            if following is not None:
                description.add(following[1], {place, following[0]}, "attribute")
                break
            description.used.add(place)


def _value_of_field(description: Description, name: str, place: int) -> tuple[int, Mask] | None:
    for other in (place + 1, place - 1, place + 2):
        if 0 <= other < len(description.forms) and description.free(other, other + 1):
            mask = description.index.find_in_field(name, description.forms[other])
            if mask and not description.is_ignored(other):
                return other, mask
    return None


def _find_words(description: Description) -> None:
    for place, form in enumerate(description.forms):
        if place in description.used or description.is_ignored(place):
            continue
        joined = _joined_word(description, place)
        mask = joined or _word_mask(description, place, form) or _whole_amount(description, form)
        is_colour = description.index.has_colours and not COLOURS.isdisjoint(word_forms(form))
        is_code = form.isdecimal() and (len(form) >= MIN_CODE_DIGITS or _is_glued(description, place))
        description.add(mask, {place, place + 1} if joined else {place}, "text", strict=is_colour or is_code)


def _is_glued(description: Description, place: int) -> bool:
    """Return whether the number stands right behind letters: a code such as "W99"."""
    return place > 0 and not description.between(place - 1, place)


def _whole_amount(description: Description, form: str) -> Mask:
    """ "54" for a total of 54.04."""
    number = parse_number(form) if form.isdecimal() else None
    return numbers_with(description, lambda amount: int(amount) == number, money=True) if number is not None else 0


def _word_mask(description: Description, place: int, form: str) -> Mask:
    # A letter beside digits is part of a code: "W 23".
    return (
        description.index.find_word(form) if len(form) > 1 or form.isdecimal() else description.index.find_exactly(form)
    )


def _joined_word(description: Description, place: int) -> Mask:
    """ "Key board": two words that the catalogue writes as one."""
    forms = description.forms
    if place + 1 >= len(forms) or not description.free(place + 1, place + 2) or not forms[place + 1].isalpha():
        return 0
    if description.index.find_exactly(forms[place]) or len(forms[place]) < 2:
        return 0
    return description.index.find_exactly(forms[place] + forms[place + 1])
