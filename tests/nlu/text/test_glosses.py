"""Spanish texts word by word in English."""

import pytest

from dialogue.nlu.text.glosses import gloss, glossed_words, is_spanish


@pytest.mark.parametrize(
    ("spanish", "english"),
    [
        ("quiero alquilar una bici", "I want rent a bike"),
        ("¿a qué hora cierran?", "¿at what time do you close?"),
        ("no vaciaron el cubo", "not they emptied the bin"),
        ("se rompió la lámpara", "broke the lamp"),
        ("busqué mis llaves", "I looked for my key"),
        ("apúntame al curso", "sign up to the course"),
        ("anulad la reserva", "cancel the booking"),
        ("anúlalo", "cancel"),
        ("mandame dos", "send two"),
        ("reservadme una mesa", "book a table"),
        ("mándamelo mañana", "send tomorrow"),
        ("la mitad de la ciudad", "the half of the city"),
        ("un vale para mi hermana Lucía", "a voucher for my sister Lucía"),
        ("el 0number a las 0time", "the 0number to the 0time"),
    ],
)
def test_words_forms_and_phrases_have_their_english(spanish: str, english: str) -> None:
    assert gloss(spanish) == english


def test_unknown_words_and_names_inside_a_sentence_stay() -> None:
    assert gloss("vendo mi Orbea en la Calle Sol") == "I sell my Orbea in the Calle Sol"


def test_each_word_keeps_its_place_in_the_text() -> None:
    text = "por favor, una mesa"
    places = [(word.gloss, text[word.start : word.end]) for word in glossed_words(text)]
    assert places == [("please", "por favor"), ("a", "una"), ("table", "mesa")]


@pytest.mark.parametrize(
    ("text", "spanish"),
    [("quiero una mesa", True), ("pedir piezas", True), ("I want a table", False), ("order parts", False)],
)
def test_the_language_of_an_authors_text_shows_in_its_words(text: str, *, spanish: bool) -> None:
    assert is_spanish(text) is spanish
