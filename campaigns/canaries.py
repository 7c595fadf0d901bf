"""Secrets that are used everywhere and must be seen nowhere: in no log, on no page, in no metric, on both databases."""

import re
import urllib.error
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar

from campaigns.support.busy_bank import BusyBank, busy_bank
from campaigns.support.campaign import Campaign, Tally
from tests.support.processes.raw_socket import RawSocket

ENVIRONMENT = {
    "SONI_SECRET_KEY": "canary-secret-key-that-signs-sessions-and-nothing-else-0123456789",
    "SONI_METRICS_TOKEN": "canary-metrics-token",
    "SONI_LOG_LEVEL": "INFO",
}
PASSWORD, WRONG_PASSWORD, TOKEN = "canary-password", "canary-mistyped-password", "canary-api-token"
PEOPLE = f"""
import hashlib
from django.contrib.auth.models import User
from dialogue.models import ApiToken
sofia = User.objects.get(username="sofia")
sofia.set_password("{PASSWORD}")
sofia.save()
ApiToken.objects.create(user=sofia, name="canary", sha256=hashlib.sha256(b"{TOKEN}").hexdigest())
"""
PAGES = ("/inbox/", "/gates/", "/conversations/", "/status/", "/figures/", "/flows/", "/health/ready", "/audit/",
         "/no/such/page/", "/api/v1/sessions", "/api/v1/conversations", "/api/v1/openapi.json")  # fmt: skip
CSRF = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')


class Visitor:
    """A browser that keeps its cookies, and whatever it was shown."""

    def __init__(self, url: str) -> None:
        self.url, self.seen = url, ""
        self.jar = CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))

    def look(self, path: str, form: dict[str, str] | None = None, bearer: str = "") -> str:
        """What stands there; a refusal is a page too."""
        request = urllib.request.Request(self.url + path, urllib.parse.urlencode(form).encode() if form else None)
        request.add_header("Referer", self.url)
        if bearer:
            request.add_header("Authorization", f"Bearer {bearer}")
        try:
            with self._opener.open(request, timeout=120) as answer:
                page: str = answer.read().decode()
        except urllib.error.HTTPError as refusal:
            page = refusal.read().decode()
        self.seen += page
        return page

    def sign_in(self, password: str) -> None:
        form = CSRF.search(self.look("/sign-in/"))
        assert form, "the page to sign in has no form"
        self.look("/sign-in/", {"username": "sofia", "password": password, "csrfmiddlewaretoken": form[1]})

    @property
    def session(self) -> str:
        return next((cookie.value or "" for cookie in self.jar if cookie.name == "soni_session"), "")


def _run(size: int, _chance: int, tally: Tally) -> None:
    for on_postgres in (False, True):
        with busy_bank(on_postgres=on_postgres, **ENVIRONMENT) as bank:
            bank.server.shell(PEOPLE)
            for _ in range(size):
                _use_everything(bank, tally)


def _use_everything(bank: BusyBank, tally: Tally) -> None:
    visitor = Visitor(bank.server.url)
    chat = _talk(bank)
    visitor.sign_in(WRONG_PASSWORD)
    visitor.sign_in(PASSWORD)
    assert visitor.session, "the sign-in failed"
    for page in (*PAGES, f"/conversations/{chat['id']}/", f"/api/v1/conversations/{chat['id']}"):
        visitor.look(page, bearer=TOKEN if page.startswith("/api/") else "")
        tally.count("pages looked at")
    visitor.look("/metrics", bearer=ENVIRONMENT["SONI_METRICS_TOKEN"])
    secrets = [*_canaries(), visitor.session, chat["token"]]
    log = (bank.server.data / "server.log").read_text()
    tally.outcomes["secrets looked for"] += len(secrets)
    tally.failures += [f"{secret} stands on a page" for secret in secrets if secret in visitor.seen]
    tally.failures += [f"{secret} stands in the log" for secret in secrets if secret in log]


def _canaries() -> list[str]:
    return [PASSWORD, WRONG_PASSWORD, TOKEN, *(text for text in ENVIRONMENT.values() if text.startswith("canary"))]


def _talk(bank: BusyBank) -> dict[str, str]:
    """A conversation and a socket with its token in the address, each with something that is refused."""
    chat: dict[str, str] = bank.server.post("/api/v1/conversations", {"assistant": "bank"}, TOKEN).body
    path = f"/api/v1/conversations/{chat['id']}/messages"
    bank.server.post(path, {"id": "m1", "text": "hello"}, chat["token"])
    bank.server.post(path, {"id": 1, "text": chat["token"] * 2000}, chat["token"])
    bank.server.post(f"/api/v1/conversations/{chat['id']}/nothing", {}, TOKEN)
    with RawSocket(bank.server.port, f"/ws/conversations/{chat['id']}/?token={chat['token']}", 120) as socket:
        socket.send(b"[")
        socket.hear("error")
    return chat


CAMPAIGN = Campaign(
    name="canaries",
    passes_when="passwords, tokens, keys and cookies that were used stand in no log, on no page and in no metric",
    ci=1,
    full=5,
    outcomes=("pages looked at", "secrets looked for"),
    run=_run,
)
