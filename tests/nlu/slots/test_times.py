import pytest

from dialogue.nlu.slots.times import find_times
from dialogue.nlu.text.lexicons import lexicon_of


@pytest.mark.parametrize(
    ("language", "text", "time"),
    [
        ("en", "9:30", "09:30"),
        ("en", "7 pm", "19:00"),
        ("en", "12 am", "00:00"),
        ("en", "half past nine", "09:30"),
        ("en", "quarter to ten", "09:45"),
        ("en", "ten past five pm", "17:10"),
        ("en", "noon", "12:00"),
        ("en", "at seven in the evening", "19:00"),
        ("en", "half past 2 in the afternoon", "14:30"),
        ("es", "a las 9 y media", "09:30"),
        ("es", "a las cinco de la tarde", "17:00"),
        ("es", "las 8 menos cuarto", "07:45"),
        ("es", "a las 20:15", "20:15"),
    ],
)
def test_a_time_is_found(language: str, text: str, time: str) -> None:
    found = find_times(text, lexicon_of(language))

    assert [(span.value, span.weak) for span in found] == [(time, False)]


def test_a_lone_hour_needs_its_question() -> None:
    (hour,) = find_times("at 9", lexicon_of("en"))

    assert (hour.value, hour.weak) == ("09:00", True)
