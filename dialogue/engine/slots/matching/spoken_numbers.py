"""Numbers in words become digits: "a hundred and twenty" is 120, "treinta y cinco" is 35."""

from collections.abc import Sequence

from dialogue.engine.slots.matching.candidate_index import CandidateIndex
from dialogue.engine.slots.matching.vocabulary import Vocabulary
from dialogue.engine.slots.matching.word_forms import Word, split_words

MAX_LISTED_NUMBER_DIGITS = 2
HUNDRED = 100


def with_digits(text: str, words: Sequence[Word], index: CandidateIndex, lexicon: Vocabulary) -> tuple[Word, ...]:
    """Return the words with numbers in digits, each as one word, but for those that the options write in letters.

    "One" stays as it is: it rarely counts. "1,3" becomes two words where no option has such a number.
    """
    converted: list[Word] = []
    place = 0
    while place < len(words):
        length = _number_length(words, place, lexicon)
        if length and not all(index.has_word(word.form) for word in words[place : place + length]):
            value = _value([word.form for word in words[place : place + length]], lexicon)
            converted.append(Word(str(value), words[place].start, words[place + length - 1].end))
        else:
            length = 1
            converted += _listed_numbers(words[place], index)
        place += length
    return tuple(converted)


def _listed_numbers(word: Word, index: CandidateIndex) -> list[Word]:
    parts = word.form.split(",")
    is_list = len(parts) > 1 and all(
        part.isdecimal() and len(part) <= MAX_LISTED_NUMBER_DIGITS and 0 < int(part) <= len(index.candidates)
        for part in parts
    )
    if not is_list or index.has_word(word.form) or index.has_amount(word.form):
        return [word]
    return [Word(part.form, word.start + part.start, word.start + part.end) for part in split_words(" ".join(parts))]


def _number_length(words: Sequence[Word], start: int, lexicon: Vocabulary) -> int:
    """Return how many words from `start` on say one number of at least two, or 0."""
    forms = [word.form for word in words[start : start + 8]]
    length = 0
    while length < len(forms):
        form = forms[length]
        if (
            form in lexicon.scales
            or (form in lexicon.units and _continues(forms[:length], form, lexicon))
            or _joins(forms, length, lexicon)
        ):
            length += 1
        else:
            break
    if length and forms[length - 1] in lexicon.number_joiners | lexicon.number_articles:
        length -= 1
    is_one = length == 1 and lexicon.units.get(forms[0]) == 1
    return 0 if is_one else length


def _continues(before: Sequence[str], form: str, lexicon: Vocabulary) -> bool:
    """ "Twenty five" goes on, "five six" does not."""
    if not before or before[-1] in lexicon.scales.keys() | lexicon.number_joiners | lexicon.number_articles:
        return before[-1:] != ["a"]
    last = lexicon.units.get(before[-1], 0)
    return (20 <= last < HUNDRED and last % 10 == 0 and lexicon.units[form] < 10) or (
        last >= HUNDRED > lexicon.units[form]
    )


def _joins(forms: Sequence[str], place: int, lexicon: Vocabulary) -> bool:
    following = forms[place + 1] if place + 1 < len(forms) else ""
    if not place:
        return forms[0] in lexicon.number_articles and following in lexicon.scales
    if forms[place] not in lexicon.number_joiners or following not in lexicon.units:
        return False
    before = forms[place - 1]
    tens = lexicon.units.get(before, 0)
    if lexicon.joins_tens:
        return 30 <= tens < HUNDRED and lexicon.units[following] < 10
    return before in lexicon.scales and lexicon.scales[before] >= HUNDRED


def _value(forms: Sequence[str], lexicon: Vocabulary) -> int:
    total = current = 0
    for form in forms:
        if form in lexicon.scales:
            scale = lexicon.scales[form]
            current = max(current, 1) * scale
            if scale > HUNDRED:
                total, current = total + current, 0
        else:
            current += lexicon.units.get(form, 0)
    return total + current
