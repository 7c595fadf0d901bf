"""The token of a link is masked wherever it may stand in a record; what strangers cause is one quiet line."""

import logging
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import DisallowedHost

from soni_admin.masking import LinkMask, StrangersMistakes

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


def failed(logger: str) -> logging.LogRecord:
    """A record of an exception, as Django writes it."""
    try:
        raise DisallowedHost("Invalid HTTP_HOST header: 'evil.example'.")
    except DisallowedHost as error:
        what = (type(error), error, error.__traceback__)
        return logging.LogRecord(logger, logging.ERROR, __file__, 1, str(error), (), what)


def test_a_foreign_host_is_one_line_of_the_log_without_a_traceback():
    record = failed("django.security.DisallowedHost")

    assert StrangersMistakes().filter(record)

    line = logging.Formatter("%(levelname)s %(message)s").format(record)
    assert line == "WARNING Invalid HTTP_HOST header: 'evil.example'."


def test_the_log_of_an_installation_is_filtered_so():
    """Both filters, by the settings as they are: this process's own handlers are those of the tests."""
    handlers: Any = settings.LOGGING["handlers"]

    assert {"links", "strangers"} <= set(handlers["console"]["filters"])


def test_an_error_of_our_own_keeps_its_traceback():
    record = failed("django.request")

    assert StrangersMistakes().filter(record)
    assert "Traceback" in logging.Formatter("%(levelname)s %(message)s").format(record)
