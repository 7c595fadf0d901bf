"""A picture of every page as a role sees it, in each width and theme: `make screenshots FOLDER=…`.

`PAGES` is the table: a page, who looks, its widths and its themes. The same file draws an older version: copy it into a
checkout of that version and run it there; pages that it does not have are skipped, and named.
"""

import argparse
import json
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Page, sync_playwright

try:
    from tests.support.browser.chromium import SWITCHES, chromium_here
    from tests.support.browser.house import House, token_of
    from tests.support.browser.windows import VISITOR, Windows
except ModuleNotFoundError:  # an older version, whose support modules stand elsewhere
    from tests.browser.conftest import SWITCHES, chromium_here  # type: ignore[attr-defined, no-redef]
    from tests.browser.house import House, token_of  # type: ignore[import-not-found, no-redef]
    from tests.browser.windows import VISITOR, Windows  # type: ignore[import-not-found, no-redef]

CHECKOUT = Path(__file__).parents[3]
FOLDER = CHECKOUT / "var" / "screenshots" / "pages"
WIDTHS = (1440, 1024, 390, 320)
THEMES = ("light", "dark")
STORE_WEBHOOK = """
import json
from django.utils.timezone import now
from dialogue.models import WebhookDelivery, WebhookEndpoint
endpoint = WebhookEndpoint.objects.create(
    url="https://orders.example/soni", decisions=True, incidents=True, made_at=now(), state="paused",
    paused_because="person", paused_at=now(), succeeded_at=now(),
)
delivery = WebhookDelivery.objects.create(
    endpoint=endpoint, type="decision.submitted", body='{"type": "decision.submitted"}', made_at=now(), due_at=now(),
    state="delivered", delivered_at=now(), status=200, answer="ok", attempts=2, milliseconds=84, tried_at=now(),
    attempt_log=[
        {"at": now().isoformat(), "status": 503, "milliseconds": 61, "error": "The address answered 503."},
        {"at": now().isoformat(), "status": 200, "milliseconds": 84, "error": ""},
    ],
)
print(json.dumps({"webhook": str(endpoint.pk), "delivery": str(delivery.pk)}))
"""
PLACEHOLDER = re.compile(r"\{(\w+)\}")
LANGUAGES = {"en": "en-GB", "es": "es-ES"}
SETTLING_MILLISECONDS = 1200
PEOPLE = {
    "visitor": VISITOR,
    "customer": "ursula",
    "operator": "olga",
    "supervisor": "sofia",
    "author": "arthur",
    "auditor": "audrey",
    "superuser": "ada",
}


@dataclass(frozen=True)
class PagePictures:
    """One page as one role sees it. `{gate}` and the like in the path are rows of the demo: see `rows_of`."""

    name: str
    role: str
    path: str
    widths: tuple[int, ...] = WIDTHS
    themes: tuple[str, ...] = THEMES


PAGES = (
    PagePictures("sign-in", "visitor", "/sign-in/"),
    PagePictures("customer-start", "customer", "/"),
    PagePictures("customer-chat", "customer", "/chat/bank/"),
    PagePictures("customer-new-chat", "customer", "/chat/library/"),
    PagePictures("first-steps", "operator", "/start/"),
    PagePictures("account", "operator", "/account/"),
    PagePictures("inbox", "operator", "/inbox/"),
    PagePictures("inbox-chat", "operator", "/inbox/{chat}/"),
    PagePictures("saved-replies", "operator", "/inbox/replies/"),
    PagePictures("gates", "operator", "/gates/"),
    PagePictures("gates-done", "operator", "/gates/?view=done"),
    PagePictures("gate", "operator", "/gates/{gate}/"),
    PagePictures("gate-decided", "operator", "/gates/{done}/"),
    PagePictures("misunderstood", "operator", "/conversations/{conversation}/misunderstood/"),
    PagePictures("figures", "supervisor", "/figures/"),
    PagePictures("conversations", "supervisor", "/conversations/"),
    PagePictures("conversation", "supervisor", "/conversations/{conversation}/"),
    PagePictures("conversation-masked", "auditor", "/conversations/{conversation}/"),
    PagePictures("status", "supervisor", "/status/"),
    PagePictures("flows", "author", "/flows/"),
    PagePictures("flow", "author", "/flows/bank/transfer_money/"),
    PagePictures("settings", "author", "/flows/bank/assistant/"),
    PagePictures("history", "author", "/flows/bank/transfer_money/history/"),
    PagePictures("new-assistant", "author", "/assistants/new/"),
    PagePictures("import", "author", "/flows/import.zip"),
    PagePictures("reference", "author", "/reference/"),
    PagePictures("documents", "author", "/documents/bank/"),
    PagePictures("releases", "author", "/releases/bank/"),
    PagePictures("publish", "author", "/releases/bank/publish/"),
    PagePictures("changes", "author", "/releases/bank/changes/"),
    PagePictures("move-conversations", "author", "/releases/bank/move/"),
    PagePictures("tests", "author", "/test/"),
    PagePictures("new-test", "author", "/test/bank/?new"),
    PagePictures("scenarios", "author", "/scenarios/bank/"),
    PagePictures("scenario-text", "author", "/scenarios/bank/new/"),
    PagePictures("understanding", "author", "/understanding/"),
    PagePictures("understanding-of-bank", "author", "/understanding/bank/"),
    PagePictures("integrate", "author", "/integrate/bank/"),
    PagePictures("audit", "auditor", "/audit/"),
    PagePictures("audit-entry", "auditor", "/audit/1/"),
    PagePictures("audit-verify", "auditor", "/audit/verify/"),
    PagePictures("users", "superuser", "/users/"),
    PagePictures("user", "superuser", "/users/1/"),
    PagePictures("new-user", "superuser", "/users/new/"),
    PagePictures("tokens", "superuser", "/tokens/"),
    PagePictures("new-token", "superuser", "/tokens/?new"),
    PagePictures("new-webhook", "supervisor", "/webhooks/?new"),
    PagePictures("new-channel", "supervisor", "/channels/?new"),
    PagePictures("new-reply", "operator", "/inbox/replies/?new"),
    PagePictures("channels", "supervisor", "/channels/"),
    PagePictures("webhooks", "supervisor", "/webhooks/"),
    PagePictures("webhook", "supervisor", "/webhooks/{webhook}/"),
    PagePictures("delivery", "supervisor", "/deliveries/{delivery}/"),
    PagePictures("admin", "superuser", "/admin/"),
    PagePictures("admin-list", "superuser", "/admin/dialogue/conversation/"),
    PagePictures("admin-users", "superuser", "/admin/auth/user/"),
    PagePictures("admin-user", "superuser", "/admin/auth/user/2/change/"),
    PagePictures("admin-new-user", "superuser", "/admin/auth/user/add/"),
    PagePictures("admin-audit", "superuser", "/admin/dialogue/auditentry/"),
    PagePictures("admin-entry", "superuser", "/admin/dialogue/auditentry/1/change/"),
    PagePictures("admin-tokens", "superuser", "/admin/dialogue/apitoken/"),
    PagePictures("admin-gates", "superuser", "/admin/dialogue/hitlsession/"),
    PagePictures("admin-gate", "superuser", "/admin/dialogue/hitlsession/2/change/"),
    PagePictures("admin-group", "superuser", "/admin/auth/group/1/change/"),
    PagePictures("api-documentation", "author", "/api/docs"),
    PagePictures("not-found", "operator", "/nowhere/"),
)


@dataclass
class Choice:
    """What to draw of the table: names of pages (all if empty), widths, themes and a language."""

    names: set[str] = field(default_factory=set)
    widths: set[int] = field(default_factory=set)
    themes: set[str] = field(default_factory=set)
    language: str = "en"

    def shots(self) -> Iterator[tuple[PagePictures, int, str]]:
        for page in PAGES:
            if not self.names or page.name in self.names:
                for width, theme in product(page.widths, page.themes):
                    if (not self.widths or width in self.widths) and (not self.themes or theme in self.themes):
                        yield page, width, theme


def rows_of(house: House) -> dict[str, str]:
    """Begin conversations of every kind in the demo; their names by the words of the paths."""
    done = house.transfer("Anna Berg")
    house.decide(done, "approve", who="olga")
    for name in ("Bergman Boats", "Nordwind GmbH"):
        house.transfer(name)
    case = house.transfer("Lindqvist Marine")
    chat = house.chat()
    talk, token = house.conversation(user_ref="Mia Torres")
    house.say(talk, token, "blorp flibber wot")
    house.server.post("/api/v1/conversations", {"assistant": "bank"}, token_of("ursula"))
    rows = {"gate": case.gate, "done": done.gate, "chat": chat.gate, "conversation": case.conversation}
    if not (CHECKOUT / "dialogue" / "web" / "integrate").exists():
        return rows  # an older version
    webhook: dict[str, str] = json.loads(house.server.shell(STORE_WEBHOOK))
    return rows | webhook


def draw(browser: Browser, house: House, folder: Path, choice: Choice) -> list[str]:
    """Write the pictures `NAME-ROLE-WIDTH-THEME.png`; return the pages that this version does not have."""
    folder.mkdir(parents=True, exist_ok=True)
    rows, missing = rows_of(house), []
    for shown, width, theme in choice.shots():
        who, absent = PEOPLE[shown.role], set(PLACEHOLDER.findall(shown.path)) - rows.keys()
        if absent or (who and who not in house.cookies):
            missing.append(f"{shown.name}: there is no {', '.join(absent) or who}")
            continue
        path = shown.path.format(**rows)
        windows = Windows(browser, house)
        options = {"viewport": {"width": width, "height": 900}, "color_scheme": theme}
        page = windows(who, path, locale=LANGUAGES[choice.language], **options)
        page.wait_for_timeout(SETTLING_MILLISECONDS)
        if _is_there(page, shown):
            page.screenshot(path=folder / f"{shown.name}-{shown.role}-{width}-{theme}.png")
        else:
            missing.append(f"{shown.name}: {path} is not there")
        windows.close()
    return sorted(set(missing))


def _is_there(page: Page, shown: PagePictures) -> bool:
    try:
        status = page.evaluate("performance.getEntriesByType('navigation')[0]?.responseStatus ?? 200")
    except Error:
        return False
    return bool(status < 400 or shown.name == "not-found")


def main(arguments: list[str] | None = None) -> None:
    """Start the product with its demo and draw what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--only", default="", help="names of pages with commas")
    parser.add_argument("--widths", default="", help="such as 1440,390")
    parser.add_argument("--themes", default="", help="light or dark")
    parser.add_argument("--language", default="en", choices=sorted(LANGUAGES))
    asked = parser.parse_args(arguments)
    widths = {int(width) for width in _words(asked.widths)}
    choice = Choice(_words(asked.only), widths, _words(asked.themes), asked.language)
    house = House(Path(tempfile.mkdtemp(prefix="soni-pictures-")))
    house.open()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium_here(), args=SWITCHES)
            for line in draw(browser, house, asked.folder, choice):
                print(line)
            browser.close()
    finally:
        house.server.kill()


def _words(text: str) -> set[str]:
    return {word for word in text.split(",") if word}


if __name__ == "__main__":
    pytest.MonkeyPatch().setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    main()
