"""Static files are answered in front of Django, with the headers that its pages have."""

from typing import Any

import pytest
from channels.testing import HttpCommunicator

from soni_admin.static_files import StaticFiles

CSS = "/static/admin/css/base.css"


async def django(scope: Any, receive: Any, send: Any) -> None:
    """Stands behind the files, and says that it was asked."""
    await send({"type": "http.response.start", "status": 418, "headers": []})
    await send({"type": "http.response.body", "body": b"django"})


async def answer(path: str, method: str = "GET", *headers: tuple[bytes, bytes]) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of one request."""
    got = await HttpCommunicator(StaticFiles(django), method, path, headers=list(headers)).get_response()
    return got["status"], {name.decode(): value.decode() for name, value in got["headers"]}, got["body"]


async def test_static_files_are_served_without_being_collected_first():
    status, headers, body = await answer(CSS)

    assert status == 200
    assert headers["content-type"].startswith("text/css")
    assert int(headers["content-length"]) == len(body) > 0
    assert "access-control-allow-origin" not in headers


async def test_a_static_file_has_the_headers_of_the_security_middleware():
    _status, headers, _body = await answer(CSS)

    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cross-origin-opener-policy"] == "same-origin"


async def test_a_file_that_has_not_changed_is_not_sent_again():
    _status, headers, _body = await answer(CSS)

    status, _headers, body = await answer(CSS, "GET", (b"if-none-match", headers["etag"].encode()))

    assert (status, body) == (304, b"")


async def test_a_part_of_a_file_is_sent_where_a_part_is_asked_for():
    status, headers, body = await answer(CSS, "GET", (b"range", b"bytes=0-9"))

    assert (status, len(body)) == (206, 10)
    assert headers["content-range"].startswith("bytes 0-9/")


async def test_the_head_of_a_file_comes_without_its_body():
    status, headers, body = await answer(CSS, "HEAD")

    assert (status, body) == (200, b"")
    assert int(headers["content-length"]) > 0


async def test_a_file_cannot_be_written_to():
    status, _headers, _body = await answer(CSS, "POST")

    assert status == 405


@pytest.mark.parametrize("path", ["/", "/static/", "/static/missing.css", "/static/../manage.py", "/gates/"])
async def test_what_is_no_static_file_is_left_to_django(path: str):
    assert (await answer(path))[2] == b"django"


async def test_where_pages_come_by_tls_only_a_file_asked_for_without_it_is_left_to_django(settings):
    settings.SECURE_SSL_REDIRECT, settings.SECURE_HSTS_SECONDS = True, 60
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

    assert (await answer(CSS))[2] == b"django"
    status, headers, _body = await answer(CSS, "GET", (b"x-forwarded-proto", b"https"))
    assert status == 200
    assert headers["strict-transport-security"] == "max-age=60; includeSubDomains; preload"
