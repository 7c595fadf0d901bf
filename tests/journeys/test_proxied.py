"""The console behind the proxy that we give away: what is limited by address is limited for that address alone."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.support.processes.cluster import Member, proxy_words
from tests.support.processes.server import Server, free_port, wait_for

pytestmark = pytest.mark.journey

MALLORY, OLGA = "127.0.0.2", "127.0.0.3"
"""Two of this machine's own addresses: the proxy sees each as a client of its own."""
PEOPLE = """
from django.contrib.auth.models import User
User.objects.create_user("marta", password="correct horse battery")
"""


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    text: str


@dataclass(frozen=True)
class Visitor:
    """A client at this address, before the proxy on this port."""

    address: str
    port: int

    def ask(self, method: str, path: str, body: str = "", **headers: str) -> Answer:
        words = {name.replace("_", "-"): text for name, text in headers.items()}
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=30, source_address=(self.address, 0))) as line:
            line.request(method, path, body or None, words)
            answer = line.getresponse()
            return Answer(answer.status, dict(answer.headers), answer.read().decode())

    def sign_in(self, name: str, password: str, **headers: str) -> Answer:
        page = self.ask("GET", "/sign-in/")
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
        cookie = re.search(r"soni_csrf=[^;]+", str(page.headers["Set-Cookie"]))
        assert token and cookie
        form = urlencode({"username": name, "password": password, "csrfmiddlewaretoken": token[1]})
        words = {"Cookie": cookie[0], "Content_Type": "application/x-www-form-urlencoded", **headers}
        return self.ask("POST", "/sign-in/", form, **words)

    def open_chat(self, **headers: str) -> Answer:
        body = json.dumps({"assistant": "bank"})
        return self.ask("POST", "/api/v1/conversations", body, Content_Type="application/json", **headers)


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a proxy before one server that trusts it."""
    folder: Path = tmp_path_factory.mktemp("proxied")
    server = Server(folder / "data", SONI_TRUSTED_PROXIES="127.0.0.1", SONI_OPENINGS_PER_ADDRESS="3")
    port = free_port()
    proxy = Member("proxy", proxy_words(folder, port, [server.port]), dict(os.environ), folder / "proxy.log")
    try:
        server.start()
        server.shell(PEOPLE)
        proxy.start()
        wait_for(lambda: _listens(port))
        yield port
    finally:
        proxy.kill()
        server.kill()


def _listens(port: int) -> bool:
    try:
        return Visitor(OLGA, port).ask("GET", "/health/ready").status == 200
    except OSError:
        return False


def test_who_guesses_a_password_keeps_only_themselves_from_trying(port: int) -> None:
    mallory, marta = Visitor(MALLORY, port), Visitor(OLGA, port)

    guesses = [mallory.sign_in("marta", f"guess {number}", X_Forwarded_For=f"192.0.2.{number}") for number in range(6)]
    signed_in = marta.sign_in("marta", "correct horse battery")

    assert [answer.status for answer in guesses] == [200, 200, 200, 200, 200, 429]
    assert 0 < int(guesses[5].headers["Retry-After"]) <= 900
    assert signed_in.status == 302


def test_who_opens_chats_without_end_is_refused_and_somebody_elsewhere_is_not(port: int) -> None:
    mallory, ursula = Visitor(MALLORY, port), Visitor(OLGA, port)

    opened = [mallory.open_chat(X_Forwarded_For=f"192.0.2.{number}") for number in range(5)]

    assert [answer.status for answer in opened] == [201, 201, 201, 429, 429]
    assert json.loads(opened[3].text)["code"] == "rate_limited"
    assert int(opened[3].headers["Retry-After"]) > 2
    assert ursula.open_chat().status == 201
