from datetime import timedelta

import pytest

from dialogue.engine.slots.durations import DurationRefused, format_duration, parse_duration


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("30d", timedelta(days=30)),
        ("1h30m", timedelta(minutes=90)),
        ("24h1m", timedelta(days=1, minutes=1)),
        ("10s", timedelta(seconds=10)),
        ("2w", timedelta(weeks=2)),
    ],
)
def test_a_duration_is_a_sum_of_amounts_with_units(text, duration):
    assert parse_duration(text) == duration


@pytest.mark.parametrize("text", ["", "30", "1.5h", "-1h", "h", "1 h", "1h 30m", "0s", "9999999w", "１h", "1h" * 9])
def test_anything_else_is_refused_with_an_example(text):
    with pytest.raises(DurationRefused, match="duration"):
        parse_duration(text)


@pytest.mark.parametrize("text", ["30d", "1h30m", "1d1m", "45s"])
def test_a_duration_is_written_the_way_it_is_read(text):
    assert format_duration(parse_duration(text)) == text


def test_no_time_at_all_is_written_as_zero_seconds():
    assert format_duration(timedelta()) == "0s"
