"""The token of a link is masked wherever it may stand in a record, and nothing else is."""

import logging

import pytest

from soni_admin.masking import LinkMask

TOKEN = "Zq3-x_" * 7


def record_of(message: object, *args: object) -> logging.LogRecord:
    return logging.LogRecord("django.request", logging.WARNING, __file__, 1, message, args, None)


@pytest.mark.parametrize(
    ("message", "args", "told"),
    [
        ("%s: %s", ("Gone", f"/answer/{TOKEN}/"), "Gone: /answer/…/"),
        (f"Conflict: /answer/{TOKEN}", (), "Conflict: /answer/…"),
        ("%(path)s", ({"path": f"/answer/{TOKEN}/?x=1"},), "/answer/…/?x=1"),
        ("%s took %d ms", ("/inbox/", 12), "/inbox/ took 12 ms"),
    ],
)
def test_a_record_is_kept_and_its_token_is_not(message, args, told):
    record = record_of(message, *args)

    assert LinkMask().filter(record)
    assert record.getMessage() == told
