"""Which options words mean: by label, number, attribute and comparison, one or several, in English and Spanish."""

import sys
from collections import Counter
from collections.abc import Callable

import pytest
from pydantic import JsonValue

from dialogue.engine.slots.candidates import Candidate, CandidateList
from dialogue.engine.slots.option_matching import Match, Selection, match_options, match_several


def candidate(key: str, label: str, **fields: JsonValue) -> Candidate:
    texts = tuple(str(value) for value in fields.values() if not isinstance(value, list | bool))
    return Candidate(key=key, value=key, label=label, texts=texts, fields=fields)


ORDERS = (
    candidate("W41", "W41, keyboard", status="delivered", total="89.90", placed="2026-03-14", gift=False),
    candidate("W52", "W52, coffee machine", status="pending", total="120.00", placed="2026-05-02", gift=True),
    candidate("W63", "W63, desk lamp and bottle", status="pending", total="42.50", placed="2026-05-20", gift=False),
)
ITEMS = (
    candidate("i1", "Boots", colour="brown", price="129.00"),
    candidate("i2", "Jacket", colour="red", price="80.00"),
    candidate("i3", "Shirt", colour="blue", price="25.00"),
    candidate("i4", "Cap", colour="blue", price="12.50"),
    candidate("i5", "Salt and pepper mill", colour="white", price="22.00"),
)
ARTICULOS = (
    candidate("a1", "Teclado mecánico", color="negro", precio="71.00"),
    candidate("a2", "Lámpara de mesa", color="azul", precio="38.40"),
    candidate("a3", "Taza", color="azul", precio="12.50"),
)


def keys(match: Match) -> list[str]:
    return [option.key for option in match.candidates]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("W52", ["W52"]),
        ("w 52 please", ["W52"]),
        ("the second one", ["W52"]),
        ("number 3", ["W63"]),
        ("3", ["W63"]),
        ("the last one", ["W63"]),
        ("the last but one", ["W52"]),
        ("the lamp", ["W63"]),
        ("the one with the desk lamps", ["W63"]),
        ("the coffe machien", ["W52"]),
        ("the delivered one", ["W41"]),
        ("the one from March", ["W41"]),
        ("from 2 May", ["W52"]),
        ("the one before April", ["W41"]),
        ("the one for 42.50", ["W63"]),
        ("a hundred and twenty euros", ["W52"]),
        ("anything under 50 euros", ["W63"]),
        ("the cheapest", ["W63"]),
        ("the second most expensive", ["W41"]),
        ("the newest", ["W63"]),
        ("the older pending order", ["W52"]),
        ("the first pending one", ["W52"]),
        ("the gift", ["W52"]),
        ("the one that is not pending", ["W41"]),
        ("the fourth, no sorry, the second", ["W52"]),
        ("the pending ones", ["W52", "W63"]),
        ("not the lamp", ["W41", "W52"]),
        ("the lamp or the keyboard", ["W41", "W63"]),
        ("could I have the keyboard?", ["W41"]),
    ],
)
def test_words_find_the_options_that_they_fit(words: str, expected: list[str]) -> None:
    assert keys(match_options(words, ORDERS, "en")) == expected


@pytest.mark.parametrize("words", ["yes", "the one please", "order", "that one", "ok thanks", "", "..."])
def test_words_that_say_nothing_find_nothing(words: str) -> None:
    assert match_options(words, ORDERS, "en") == Match()


@pytest.mark.parametrize(
    ("words", "how"),
    [
        ("none of these", "none"),
        ("the headphones", "no match"),
        ("W99", "no match"),
        ("number 7", "no match"),
        ("the one from January", "no match"),
        ("when was the keyboard delivered?", "question"),
    ],
)
def test_why_nothing_was_found_is_said(words: str, how: str) -> None:
    match = match_options(words, ORDERS, "en")

    assert (match.candidates, match.how) == ((), how)


def test_a_match_says_by_what_and_by_which_words() -> None:
    match = match_options("I think it was the blue lamp", (*ORDERS[1:], ORDERS[0]), "en")

    assert (keys(match), match.how, match.words, match.remainder) == (["W63"], "text", "lamp", "blue")


def test_a_colour_that_no_option_has_fits_none() -> None:
    assert match_options("the green shirt", ITEMS, "en").how == "no match"


def test_a_word_that_fits_every_option_does_not_decide() -> None:
    lamps = (candidate("1", "Lamp, red"), candidate("2", "Lamp, blue"))

    assert keys(match_options("the lamp", lamps, "en")) == ["1", "2"]
    assert keys(match_options("the blue lamp", lamps, "en")) == ["2"]


def test_the_other_one_counts_from_what_is_chosen() -> None:
    assert keys(match_options("the other one", ORDERS[:2], "en", current=["W41"])) == ["W52"]
    assert keys(match_options("the other one", ORDERS[:2], "en")) == ["W41", "W52"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("la azul", ["a2", "a3"]),
        ("la azul más barata", ["a3"]),
        ("el más caro", ["a1"]),
        ("la de 12,50", ["a3"]),
        ("la última", ["a3"]),
        ("el segundo", ["a2"]),
        ("el tecaldo", ["a1"]),
        ("la azul no", ["a1"]),
        ("la de mesa", ["a2"]),
        ("the blue cup", ["a2", "a3"]),
    ],
)
def test_spanish_words_find_the_options_that_they_fit(words: str, expected: list[str]) -> None:
    assert keys(match_options(words, ARTICULOS, "es")) == expected


def after(selection: Selection, current: list[str]) -> list[str]:
    return sorted(selection.apply(current))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("the boots and the jacket", ["i1", "i2"]),
        ("boots, jacket", ["i1", "i2"]),
        ("boots + cap", ["i1", "i4"]),
        ("the salt and pepper mill and the cap", ["i4", "i5"]),
        ("the first two", ["i1", "i2"]),
        ("1, 3 and 5", ["i1", "i3", "i5"]),
        ("2-4", ["i2", "i3", "i4"]),
        ("all of them", ["i1", "i2", "i3", "i4", "i5"]),
        ("everything but the boots", ["i2", "i3", "i4", "i5"]),
        ("all but the boots and the cap", ["i2", "i3", "i5"]),
        ("the blue ones", ["i3", "i4"]),
        ("the two cheapest", ["i4", "i5"]),
        ("anything over 50 euros", ["i1", "i2"]),
        ("the boots but not the jacket", ["i1"]),
    ],
)
def test_words_set_a_list(words: str, expected: list[str]) -> None:
    selection = match_several(words, ITEMS, "en")

    assert (selection.operation, after(selection, [])) == ("set", expected)


@pytest.mark.parametrize(
    ("words", "operation", "expected"),
    [
        ("also the cap", "add", ["i1", "i2", "i4"]),
        ("and the cap", "add", ["i1", "i2", "i4"]),
        ("the rest too", "add", ["i1", "i2", "i3", "i4", "i5"]),
        ("not the jacket after all", "remove", ["i1"]),
        ("leave out the boots", "remove", ["i2"]),
        ("take the boots off", "remove", ["i2"]),
        ("keep the jacket", "remove", ["i1"]),
        ("the cap instead of the boots", "change", ["i2", "i4"]),
        ("swap the boots for the cap", "change", ["i2", "i4"]),
        ("drop the boots and add the cap", "change", ["i2", "i4"]),
        ("actually just the cap", "set", ["i4"]),
        ("no, the cap", "set", ["i4"]),
        ("none of them", "clear", []),
        ("drop both", "clear", []),
        ("that's all", "", ["i1", "i2"]),
    ],
)
def test_words_change_a_list(words: str, operation: str, expected: list[str]) -> None:
    selection = match_several(words, ITEMS[:5], "en", current=["i1", "i2"])

    assert after(selection, ["i1", "i2"]) == expected
    assert selection.operation == operation or (operation == "clear" and not expected)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("el teclado y la taza", ["a1", "a3"]),
        ("todo menos la lámpara", ["a1", "a3"]),
        ("las dos primeras", ["a1", "a2"]),
        ("las azules", ["a2", "a3"]),
        ("ambas azules", ["a2", "a3"]),
    ],
)
def test_spanish_words_set_a_list(words: str, expected: list[str]) -> None:
    assert after(match_several(words, ARTICULOS, "es"), []) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("también la taza", ["a1", "a2", "a3"]),
        ("la lámpara al final no", ["a1"]),
        ("quita la lámpara y pon la taza", ["a1", "a3"]),
        ("en vez de la lámpara la taza", ["a1", "a3"]),
        ("ninguno, déjalo", []),
    ],
)
def test_spanish_words_change_a_list(words: str, expected: list[str]) -> None:
    assert after(match_several(words, ARTICULOS, "es", current=["a1", "a2"]), ["a1", "a2"]) == expected


def test_a_singular_that_fits_several_leaves_a_list_open() -> None:
    selection = match_several("the boots and the blue one", ITEMS, "en")

    assert [option.key for option in selection.chosen] == ["i1"]
    assert [option.key for option in selection.unclear] == ["i3", "i4"]


@pytest.mark.parametrize("words", ["W53", "#W1052", "gift_card_9"])
def test_a_part_of_an_identifier_that_is_on_no_option_does_not_decide(words):
    options = (*ORDERS, candidate("credit_card_9", "Visa"))

    assert match_options(words, options, "en") == Match(how="no match", remainder=words)
    assert match_several(words, options, "en") == Selection(how="no match", remainder=words)


def test_a_number_in_words_that_an_option_has_is_a_word_of_it() -> None:
    orders = (candidate("W1", "W1, three mugs"), candidate("W2", "W2, a lamp"), candidate("W3", "W3, a chair"))

    assert keys(match_options("the one with three mugs", orders, "en")) == ["W1"]
    assert keys(match_options("the three mugs", orders, "en")) == ["W1"]
    assert keys(match_options("number three", orders, "en")) == ["W3"]


VISITS = (
    candidate("v1", "Tuesday 3 November, 09:30, Dr Osei", date="2026-11-03", time="09:30"),
    candidate("v2", "Thursday 5 November, 16:00, Dr Lindqvist", date="2026-11-05", time="16:00"),
    candidate("v3", "Tuesday 17 November, 11:15, Dr Lindqvist", date="2026-11-17", time="11:15"),
)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("the one at 4pm", ["v2"]),
        ("half past nine", ["v1"]),
        ("at quarter past eleven", ["v3"]),
        ("before noon", ["v1", "v3"]),
        ("the afternoon one", ["v2"]),
        ("tuesday the 17th", ["v3"]),
        ("tuesday", ["v1", "v3"]),
        ("the second Lindqvist one", ["v3"]),
        ("the one after 4 November", ["v2", "v3"]),
        ("the earliest", ["v1"]),
        ("Lindqvist on the 3rd", []),
    ],
)
def test_days_and_times_find_the_options_that_they_fit(words: str, expected: list[str]) -> None:
    assert keys(match_options(words, VISITS, "en")) == expected


def test_the_same_options_are_indexed_once() -> None:
    many = tuple(candidate(f"K{number}", f"K{number}, kettle", total=f"{number}.00") for number in range(1_000))

    assert keys(match_options("the kettle for 512", many, "en")) == ["K512"]
    assert keys(match_options("the cheapest", many, "en")) == ["K0"]


@pytest.mark.parametrize(
    "words", ["the blue kettle for 512", "the cheapest", "the ketle from march", "all but the first"]
)
def test_the_work_of_a_choice_grows_as_the_options_do(words: str) -> None:
    def calls(count: int) -> int:
        many = tuple(
            candidate(
                f"K{number}", f"K{number}, kettle {number}", colour="blue", total=f"{number}.00", placed="2026-03-14"
            )
            for number in range(count)
        )
        return count_calls(lambda: match_options(words, many, "en"))

    calls(100)  # what is loaded with the first choice does not count
    assert calls(1_000) < 15 * calls(100)


def count_calls(work: Callable[[], object]) -> int:
    """The functions that `work` calls, in Python and in C; unlike its time, they are the same on every machine."""
    events: Counter[str] = Counter()
    sys.setprofile(lambda _frame, event, _argument: events.update((event,)))
    try:
        work()
    finally:
        sys.setprofile(None)
    return events["call"] + events["c_call"]


CREDIT_CARD = candidate("c1", "credit card (visa ending in 1234)", source="credit_card")
GIFT_CARD = candidate("g1", "gift card", source="gift_card", balance="12.50")
ONLY_CREDIT_CARD = CandidateList([CREDIT_CARD], lambda: (GIFT_CARD,))


@pytest.mark.parametrize("words", ["gift card", "my gift card please", "put it on the gift card", "not the gift card"])
def test_words_that_mean_an_option_that_is_withheld_choose_no_other_one(words: str) -> None:
    assert match_options(words, ONLY_CREDIT_CARD, "en") == Match(how="no match", remainder="gift")
    assert match_several(words, ONLY_CREDIT_CARD, "en") == Selection(how="no match", remainder="gift")


@pytest.mark.parametrize("words", ["credit card", "the card", "the visa", "a nice card", "the first one", "my card"])
def test_options_that_are_withheld_do_not_disturb_other_words(words: str) -> None:
    assert keys(match_options(words, ONLY_CREDIT_CARD, "en")) == ["c1"]


def test_beside_what_is_withheld_the_rest_of_a_list_is_chosen() -> None:
    options = CandidateList([candidate("t", "desk lamp"), candidate("k", "rain boots")], lambda: (GIFT_CARD,))

    selection = match_several("the desk lamp and the gift card", options, "en")

    assert [option.key for option in selection.chosen] == ["t"]


def test_what_is_wanted_and_not_there_is_not_replaced_by_the_rest() -> None:
    assert match_options("the purple one, not the keyboard", ORDERS, "en").candidates == ()


@pytest.mark.parametrize(
    "words", ["²", "the ² one", "½ and ٣", "\u0000", "#", "99/99/9999", "25:61", "İ ß", "--", "a" * 5_000]
)
def test_strange_characters_find_nothing(words: str) -> None:
    for options in (ORDERS, ITEMS, ()):
        assert match_options(words, options, "en").candidates == ()
        assert match_several(words, options, "en").operation == ""
