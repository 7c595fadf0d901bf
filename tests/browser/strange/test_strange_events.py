"""The same 120 texts where no page is loaded for them: what a socket tells, a script writes, or the browser shows.

Places: toasts and the browser's notifications, the rows and the title of a gate that comes in, who looks at it, the
command bar, saved replies, the box in which an operator writes and the customer's, who types and who has the chat, the
editor's problems, mends, refusals, drawing and dialog.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from playwright.sync_api import Page, Route, WebSocketRoute, expect

from tests.support.browser.house import Case, House, token_of
from tests.support.browser.strange_rows import colleagues_who_look, database_of, forget, gates_titled
from tests.support.browser.strange_texts import ONE_LINE, TEXTS, nothing_ran, texts_of
from tests.support.browser.windows import VISITOR, Windows

pytestmark = pytest.mark.browser

EVERY = " ~ ".join(ONE_LINE)

AWAY = """
window.shown = [];
window.Notification = class extends EventTarget {
  static permission = "granted";
  constructor(title, { body }) { super(); shown.push([title, body]); }
};
Object.defineProperty(document, "hidden", { get: () => true });
localStorage.setItem("soni_notify", "on");
"""
"""Somebody who looks elsewhere and wants to be told by the browser; what it is asked to show is kept."""

LISTEN = """selector => {
  const place = document.querySelector(selector);
  window.heard ??= {};
  const said = heard[selector] = [];
  const take = node => { const text = %s; if (text) said.push(text); };
  const see = changes => changes.forEach(change => change.addedNodes.forEach(take));
  new MutationObserver(see).observe(place, { childList: true });
}"""


def listen(page: Page, selector: str, text: str = "node.textContent") -> None:
    """Keep the text of every node that comes to this place, however short it stays."""
    page.evaluate(LISTEN % text, selector)


def heard(page: Page, selector: str) -> list[str]:
    said: list[str] = page.evaluate("selector => heard[selector]", selector)
    return said


def missing(texts: Sequence[str], shown: Sequence[str]) -> list[str]:
    """The texts that stand in none of these."""
    return [text for text in texts if not any(text in each for each in shown)]


class Wire:
    """The socket of a page, whose other end is the test."""

    def __init__(self) -> None:
        self._ends: list[WebSocketRoute] = []

    def __call__(self, page: Page) -> None:
        page.route_web_socket(re.compile(r"/ws/conversations/"), self._opened)

    def _opened(self, end: WebSocketRoute) -> None:
        self._ends.append(end)

    def send(self, *frames: dict[str, Any]) -> None:
        for frame in frames:
            self._ends[-1].send(json.dumps(frame))


@pytest.fixture
def gate(house: House) -> Iterator[Case]:
    yield house.transfer()


def answered(page: Page, address: str, body: Any, status: int = 200) -> None:
    """Whatever asks this address gets this."""

    def answer(route: Route) -> None:
        route.fulfill(status=status, content_type="application/json", body=json.dumps(body))

    page.route(re.compile(address), answer)


def test_a_gate_that_comes_in_is_text_in_toasts_in_notifications_and_in_its_row(
    window: Windows, house: House, gate: Case
):
    page = window("sofia", gate.page, ready=lambda page: page.add_init_script(AWAY))
    expect(page.locator("[data-inbox-state]")).to_have_attribute("data-state", "live")
    listen(page, "#toast")
    number = int(gate.gate.removeprefix("g"))
    with database_of(house) as database:
        made = gates_titled(database, number, [*ONE_LINE, EVERY])
        colleagues_who_look(database, number, ONE_LINE)
    try:
        note = house.server.post(f"/api/v1/sessions/{gate.gate}/note", {"text": "Look"}, token_of("oscar"))
        assert note.status == 200, note.body

        page.wait_for_function("count => heard['#toast'].length >= count", arg=len(made))
        notified = page.evaluate("shown")
        assert missing(ONE_LINE, heard(page, "#toast")) == []
        assert missing(ONE_LINE, [body for _title, body in notified]) == []
        assert {title for title, _body in notified} == {"Soni"}
        expect(page.locator("[data-eyes]")).to_contain_text("are looking at this")
        assert missing(ONE_LINE, texts_of(page, "[data-eyes]")) == []
        looking = page.locator(f"#row-{gate.gate} .viewers").get_attribute("title") or ""
        assert missing(ONE_LINE, [looking]) == []
        assert nothing_ran(page)
        page.locator("[data-new]").click()
        expect(page.locator("#queue-list [data-row]")).to_have_count(50)
        assert len(set(texts_of(page, "#queue-list b.clip")) & set(ONE_LINE)) > 40
        page.goto(f"{house.url}/gates/g{made[-1]}/")
        shown = " ".join(EVERY.split())
        assert shown in page.title()
        assert [shown in " ".join(text.split()) for text in texts_of(page, "#card h2")] == [True]
        assert nothing_ran(page)
    finally:
        with database_of(house) as database:
            forget(database, made)


def test_notices_and_what_is_about_to_expire_are_text(window: Windows):
    page = window("sofia", "/gates/", ready=lambda page: page.add_init_script(AWAY))
    listen(page, "#toast")
    page.evaluate(
        """texts => {
          const tell = (name, detail) => document.dispatchEvent(new CustomEvent(name, { detail }));
          for (const text of texts) tell("soni:notice", { text });
          const urgent = texts.map((title, at) => ({ number: 100000 + at, title, breaks_at: "2020-01-01T00:00:00Z" }));
          tell("soni:counts", { badges: {}, views: {}, quiet: { until: null, urgent } });
        }""",
        TEXTS,
    )

    page.wait_for_function("count => heard['#toast'].length === count", arg=2 * len(TEXTS))
    said = heard(page, "#toast")
    assert said[: len(TEXTS)] == TEXTS
    assert missing(TEXTS, said[len(TEXTS) :]) == []
    assert [body for _title, body in page.evaluate("shown")] == said
    assert nothing_ran(page)


def test_the_command_bar_says_texts_completes_them_and_has_them_again(window: Windows):
    page = window("sofia", "/gates/")
    bar, output = page.locator("#cmd"), page.locator("#read")
    answered(page, "/command/preview/", {"said": EVERY, "more": EVERY, "good": True})
    answered(page, "/command/complete/", {"lines": TEXTS})
    bar.fill("@g12.0 yes")
    expect(output.locator(".chip")).to_have_text(EVERY)
    expect(output.locator("small")).to_have_text(EVERY)
    bar.press("Tab")
    expect(output).to_contain_text(TEXTS[0])
    assert missing([text.strip() for text in TEXTS], texts_of(page, "#read small")) == []

    answered(page, "/command/$", {"said": "Done", "good": True, "href": "", "changed": False, "keep": True})
    kept = page.evaluate(
        """async texts => {
          const form = document.getElementById("command"), line = form.elements.line;
          for (const text of texts) {
            line.value = text;
            form.requestSubmit();
            while (line.value) await new Promise(done => setTimeout(done));
          }
          return texts.map(() => {
            line.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowUp", bubbles: true, cancelable: true }));
            return line.value;
          });
        }""",
        ONE_LINE,
    )
    assert kept == ONE_LINE[::-1]
    assert nothing_ran(page)


def test_an_operators_box_its_replies_and_its_refusals_are_text(window: Windows, house: House):
    wire, case = Wire(), house.chat()
    page = window("sofia", case.desk, ready=wire)
    answered(page, "/inbox/replies/", {"replies": [{"title": text, "text": text, "shared": True} for text in TEXTS]})
    page.get_by_role("button", name="Saved replies").click()
    expect(page.locator("#pick-list li")).to_have_count(len(TEXTS))
    assert texts_of(page, "#pick-list li p") == TEXTS
    assert missing(TEXTS, texts_of(page, "#pick-list li b")) == []
    page.keyboard.press("Escape")

    answered(page, f"/inbox/{case.gate}/say/", {"detail": EVERY}, status=409)
    box = page.get_by_label("Reply to")
    box.fill(EVERY)
    page.locator("[data-send]").click()
    expect(page.locator("#composer-says")).to_have_text(EVERY)
    assert box.input_value() == EVERY
    after = int(page.locator("[data-chat]").get_attribute("data-after") or 0)
    wire.send(*(line(after + at, text, text) for at, text in enumerate(TEXTS, start=1)))
    expect(page.locator("[data-log] .person > p")).to_have_count(len(TEXTS))
    assert texts_of(page, "[data-log] .person > p") == TEXTS
    assert missing(TEXTS, texts_of(page, "[data-log] .person > small")) == []
    assert nothing_ran(page)


def line(seq: int, text: str, author: str, **facts: Any) -> dict[str, Any]:
    """A line of a colleague's as the socket tells it."""
    at = "2026-01-01T12:00:00Z"
    return {"type": "message", "seq": seq, "role": "operator", "author": author, "text": text, "at": at, **facts}


def test_a_customer_reads_who_types_who_is_there_and_what_went_wrong_as_text(window: Windows):
    wire = Wire()
    chat = window(VISITOR, "/chat/bank/", ready=wire)
    chat.get_by_label("Message", exact=True).fill("Hello")
    chat.get_by_label("Message", exact=True).press("Enter")
    expect(chat.locator(".waiting .draft")).to_have_text("Hello")
    expect(chat.locator("#connection")).to_have_attribute("data-state", "live")
    listen(chat, "[data-status] [data-words]")
    listen(chat, "[data-log]", "node.querySelector?.('.typing')?.ariaLabel")

    buttons = [{"value": text, "label": text} for text in TEXTS]
    wire.send(*(line(at, text, text, buttons=buttons) for at, text in enumerate(TEXTS, start=1)))
    wire.send(*({"type": "typing", "role": "operator", "by": text} for text in TEXTS))
    wire.send(*({"type": "error", "code": "no", "detail": text, "ref": ""} for text in TEXTS))
    wire.send(*({"type": "person", "session": "g1", "state": "here", "by": text} for text in TEXTS))

    expect(chat.locator("[data-status] [data-words]")).to_contain_text(TEXTS[-1])
    assert texts_of(chat, ".person > p") == TEXTS
    assert missing(TEXTS, texts_of(chat, ".person > small")) == []
    assert texts_of(chat, ".buttons button") == TEXTS
    assert missing(TEXTS, heard(chat, "[data-log]")) == []
    status = heard(chat, "[data-status] [data-words]")
    assert missing(TEXTS, status[: len(TEXTS)]) == missing(TEXTS, status[len(TEXTS) :]) == []
    assert nothing_ran(chat)


def test_the_editor_shows_problems_mends_steps_and_refusals_as_text(window: Windows):
    page = window("arthur", "/flows/bank/transfer_money/")
    here = {"file": "transfer_money.yaml", "line": 1, "column": 1, "severity": "error", "code": "x"}
    problems = [{**here, "text": text, "advice": text, "meant": text} for text in TEXTS]
    node = {"type": "human", "kind": "human", "icon": "gate", "line": 1, "waits": 0}
    nodes = [{**node, "id": text, "sub": text} for text in TEXTS]
    edges = [{"from": TEXTS[0], "to": text, "label": text, "way": text, "kind": ""} for text in TEXTS]
    answered(page, "/check$", {"problems": problems, "graph": {"nodes": nodes, "edges": edges}})
    answered(page, "/draft$", {})  # no other test finds what is typed here
    page.locator(".cm-content").press("Control+End")
    page.keyboard.type("#")

    expect(page.locator("[data-problems] li")).to_have_count(len(TEXTS))
    assert missing(TEXTS, texts_of(page, "[data-problems] .problem")) == []
    assert missing(TEXTS, texts_of(page, "[data-problems] .tiny")) == []
    assert texts_of(page, "[data-graph] .node b") == TEXTS
    assert missing(TEXTS, texts_of(page, ".exits")) == missing(TEXTS, texts_of(page, ".case-label")) == []
    assert nothing_ran(page)
    page.locator("[data-graph] [data-step]").first.dispatch_event("click")  # far outside of what fits the window
    page.locator("[data-act=connect]").click()
    assert set(TEXTS) <= set(texts_of(page, "[data-dialog] [name=way] option"))
    assert set(TEXTS) <= set(texts_of(page, "[data-dialog] [name=target] option"))
    answered(page, "/edit$", {"detail": EVERY}, status=422)
    page.locator("[data-dialog] button.main").click()
    expect(page.locator("[data-refusal]")).to_have_text(EVERY)
    assert nothing_ran(page)
