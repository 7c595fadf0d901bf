"""Every page of the permission matrix, as a role sees it: axe finds nothing, nothing is cut off or too wide."""

import json
import re
from collections.abc import Iterator, Sequence

import pytest
from playwright.sync_api import Page

from tests.browser.pages.test_accessibility import violations
from tests.support.browser.house import Case, House
from tests.support.browser.windows import VISITOR, Windows
from tests.support.web.permissions import ROLES, table

pytestmark = pytest.mark.browser

PEOPLE = {"visitor": VISITOR, "operator": "olga", "supervisor": "sofia", "flow author": "arthur", "auditor": "audrey"}
PEOPLE["superuser"] = "ada"
"""The administrator of the demo, who sees every list of Django's admin."""
WIDTHS = (1440, 1024, 320)
NARROWEST = (320,)
"""For pages that the superuser sees too, with more in them, and for the admin's records, which share a template."""
RECORDS = re.compile(r"/admin/dialogue/(?!hitlsession/|auditentry/)\w+/[^/]+/(change|history)/")
NOT_PAGES = re.compile(r"\.zip|csv/|export|download|schema|metrics|jsi18n|autocomplete|/lines/|logout|/panel/|gress/")
# Controls that reach over the side of the screen, where nothing around them scrolls sideways.
CUT_OFF = """() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary")].filter(each => {
    const box = each.getBoundingClientRect();
    if (box.width < 2 || !each.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    if (box.left > -1 && box.right < innerWidth + 1) return false;
    for (let around = each.parentElement; around; around = around.parentElement) {
        if (["auto", "scroll"].includes(getComputedStyle(around).overflowX)) return false;
    }
    return true;
}).map(each => each.textContent.trim() || each.name || each.className)"""
# A page hears of a new width when the next frame is drawn; a graph becomes a list only then.
DRAWN = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
KNOWN_PARTS = {
    "<slug:assistant>": "bank",
    "<slug:name>": "transfer_money",
    "<slug:flow>": "transfer_money",
    "<int:number>": "1",
    "<path:object_id>": "1",
}


REQUEST = {
    "id": "every-page",
    "dialect": "langchain",
    "ask": {
        "action_requests": [
            {"name": "issue_refund", "args": {"amount": 420.0, "order": "W4120331"}, "description": "May I refund it?"}
        ]
    },
    "source": {"name": "refunds", "thread": "th_7d21c9", "link": "https://agents.example/th_7d21c9"},
    "context": ["customer: The cover of my Tern 14 came torn."],
    "timeout": "30m",
    "on_timeout": "reject",
}
ROWS = """
import hashlib, json
from django.contrib.auth.models import Permission, User
from dialogue.desk.access.signing_secrets import create_secret
from dialogue.models import ApiToken, Assistant, ChannelConnection, ChannelThread, Conversation
from dialogue.models import WebhookDelivery, WebhookEndpoint
from dialogue.turns import clock
from dialogue.turns.accept import open_conversation
now, bank = clock.now(), Assistant.objects.get(name="bank")
create_secret(bank, User.objects.get(username="arthur"))
agent, _new = User.objects.get_or_create(username="every-page-agent")
agent.user_permissions.add(Permission.objects.get(codename="ask_agentrequest"))
ApiToken.objects.get_or_create(user=agent, name="agent", sha256=hashlib.sha256(b"token-of-agent").hexdigest())
paused = {"assistant": bank, "salt": "x", "made_at": now, "state": "paused", "paused_at": now}
channel, is_new = ChannelConnection.objects.get_or_create(paused, channel="email", address="help@bank.example")
if is_new:
    ChannelThread.objects.create(
        connection=channel, conversation=open_conversation("bank", channel="email")[0], key="1", state="failed",
        recipient="ursula@example.org", opened_at=now, due_at=now, latest=1, error="550 no such mailbox",
    )
hook = WebhookEndpoint.objects.create(url="https://hooks.example/", incidents=True, made_at=now, state="paused")
sent = WebhookDelivery.objects.create(
    endpoint=hook, type="webhook.test", body="{}", made_at=now, due_at=now, state="failed", error="no answer"
)
print(json.dumps({"channels": channel.pk, "webhooks": hook.pk, "deliveries": sent.pk}))
"""
"""A channel, a webhook and a delivery that failed, and an account for an agent; prints their numbers by folder."""
FURTHER = ("integrate/<slug:assistant>/?part=api", "integrate/<slug:assistant>/?part=agents")
"""Addresses of parts of a page, which the matrix lists once."""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A product of its own, because what this walk leaves behind would be in the lists of other files' tests."""
    house = House(tmp_path_factory.mktemp("every-page"))
    house.open()
    yield house
    house.server.kill()


def routes_of(role: str) -> list[str]:
    """The addresses that the matrix lets this role read."""
    column = ROLES.index(role)
    return sorted({route for (method, route), words in table().items() if method == "GET" and words[column] == "yes"})


def addresses_of(role: str, case: Case, chat: Case, request: str, rows: dict[str, int]) -> Iterator[str]:
    """The role's addresses with names of the demo in them; an address of a part that is not here is left out.

    `request` is the gate of an agent's request, `rows` are the numbers of further rows by their folder.
    """
    parts = {f"{folder}/<int:number>": f"{folder}/{number}" for folder, number in rows.items()}
    parts |= {**KNOWN_PARTS, "g<gate:number>": case.gate, "<uuid:conversation>": case.conversation}
    routes = routes_of(role)
    if "gates/g<gate:number>/" in routes:
        routes.append(f"gates/{request}/")
    routes += [route for route in FURTHER if route.partition("?")[0] in routes]
    for route in routes:
        path = route.replace("inbox/g<gate:number>", f"inbox/{chat.gate}")
        for part, value in parts.items():
            path = path.replace(part, value)
        if not re.search(r"[<($]|\?(?!part=)", path) and not NOT_PAGES.search(path) and not path.startswith("api/v1"):
            yield f"/{path}"


def is_page(page: Page, address: str) -> bool:
    response = page.request.get(address, max_redirects=0)
    is_html = "text/html" in response.headers.get("content-type", "")
    return response.status == 200 and is_html and "<html" in response.text()


def faults_of(page: Page, widths: Sequence[int]) -> list[str]:
    """What is cut off at each width, and what axe finds at these `widths` in both themes, each as a line."""
    faults = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        page.evaluate(DRAWN)
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            faults.append(f"{width}: wider than the screen")
        faults += [f"{width}: {words} is cut off" for words in page.evaluate(CUT_OFF)]
        faults += [f"{width}: {fault}" for fault in violations(page)] if width in widths else []
    return faults


@pytest.mark.parametrize("role", PEOPLE)
def test_no_page_has_a_fault(window: Windows, house: House, role: str):
    case, chat = house.transfer("Every Page Ltd"), house.chat()
    rows = json.loads(house.server.shell(ROWS))
    ask = {**REQUEST, "id": f"every-page-{PEOPLE[role]}"}
    asked = house.server.post("/api/v1/requests", ask, "token-of-agent").body
    request = asked["sessions"][0]["session"]
    page = window(PEOPLE[role], "/sign-in/" if role == "visitor" else "/")
    faults, visited = {}, 0
    seen_by_superuser = set(addresses_of("superuser", case, chat, request, rows)) if role != "superuser" else set()
    for address in addresses_of(role, case, chat, request, rows):
        if not is_page(page, house.url + address):
            continue
        page.goto(house.url + address)
        visited += 1
        is_like_others = address in seen_by_superuser or RECORDS.match(address)
        if found := faults_of(page, NARROWEST if is_like_others else WIDTHS):
            faults[address] = found

    assert [f"{address} {fault}" for address, found in faults.items() for fault in found] == []
    assert visited >= (3 if role == "visitor" else 10), "the walk finds the pages of the matrix"
    house.decide(case, "approve", who="olga")
    house.clear()
