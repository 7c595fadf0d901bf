"""Texts that look like markup, script or templates, typed wherever somebody may type, are shown as text everywhere.

Every text is typed in the chat, as a value and as a reply; other places get some of them.
Here: the chat and its transcript, values, forms, drafts, notes, reasons, customers and colleagues, lists, the admin and
its audit, the command bar and the search, saved replies. What authors write and what sorts a queue has its places in
`test_strange_names.py`. Whatever a browser took for markup, the policy would refuse, and the browser's complaint fails
the test (`window`).
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Response, expect

from tests.support.browser.chats import hand_over, write
from tests.support.browser.house import Case, House, token_of
from tests.support.browser.strange_texts import ONE_LINE, TEXTS, nothing_ran, texts_of
from tests.support.browser.windows import VISITOR, Windows, to_next_page
from tests.support.processes.server import wait_for

pytestmark = pytest.mark.browser

WIDTH = 10
FIELDS = range(WIDTH)


@dataclass(frozen=True)
class Heard:
    """Ten texts, and the gate that shows them as values."""

    texts: list[str]
    customer: str
    colleague: str
    case: Case


def echo() -> dict[str, str]:
    """An assistant that takes ten texts at a gate, says them, and shows them at the next gate."""
    form = "".join(f"      f{at}: {{type: text, required: false}}\n" for at in FIELDS)
    return {
        "assistant.yaml": "version: 1\nassistant: echo\ntitle: Echo\n",
        "echo.yaml": "flow: echo\ntitle: echo\ndescription: Says what it hears.\nexamples: [echo please]\nslots:\n"
        + "".join(f"  w{at}: {{type: text, required: false}}\n" for at in FIELDS)
        + f"steps:\n  - step: first\n    type: human\n    title: What to say\n    form:\n{form}"
        "    actions: [{id: say, label: Say}, {id: stop, label: Stop}]\n    timeout: 1d\n    on_timeout: stop\n"
        "    next: {say: keep, stop: end}\n  - step: keep\n    type: set\n    slots:\n"
        + "".join(f'      w{at}: "= first.f{at}"\n' for at in FIELDS)
        + "  - {step: tell, type: say, message: '"
        + " ~ ".join(f"{{w{at}}}" for at in FIELDS)
        + "'}\n  - step: second\n    type: human\n    title: Was that right?\n    show: ["
        + ", ".join(f"w{at}" for at in FIELDS)
        + f"]\n    form:\n{form}"
        "    actions: [{id: right, label: Right}, {id: wrong, label: Wrong, reason: required}]\n"
        "    timeout: 1d\n    on_timeout: wrong\n    next: {right: end, wrong: end}\n",
    }


@pytest.fixture(scope="module")
def heard(house: House, tmp_path_factory: pytest.TempPathFactory) -> list[Heard]:
    """All texts as values, ten a gate; each gate has a customer and is held by a colleague of such a name."""
    folder = tmp_path_factory.mktemp("echo")
    for file, text in echo().items():
        (folder / file).write_text(text)
    house.server.manage("load_flows", str(folder), "--publish")
    batches = [TEXTS[at : at + WIDTH] for at in range(0, len(TEXTS), WIDTH)]
    names = [ONE_LINE[at * WIDTH + 1] for at in range(len(batches))]
    house.server.shell(colleagues(names))
    house.sign_in()
    return [hear(house, at, texts, names[at]) for at, texts in enumerate(batches)]


def colleagues(names: list[str]) -> str:
    """Python that makes an operator of each name: stranger0, stranger1, …"""
    return f"""
import json
from django.contrib.auth.models import Group, User
for at, name in enumerate(json.loads({json.dumps(json.dumps(names))})):
    user = User.objects.create_user(f"stranger{{at}}", first_name=name, is_staff=True)
    user.groups.add(Group.objects.get(name="operators"))
"""


def hear(house: House, at: int, texts: list[str], colleague: str) -> Heard:
    customer = ONE_LINE[at * WIDTH]
    made = house.server.post("/api/v1/conversations", {"assistant": "echo", "user_ref": customer})
    conversation, token = made.body["id"], made.body["token"]
    [asked] = house.say(conversation, token, "echo please")["pending"]
    values = {f"f{number}": text for number, text in enumerate(texts)}
    assert house.decide(Case(conversation, token, asked["session"]), "say", values=values).status == 201
    gate = wait_for_gate(house, conversation)
    claimed = house.server.post(f"/api/v1/sessions/{gate}/claim", {}, token_of(f"stranger{at}"))
    assert claimed.status == 200, claimed.body
    return Heard(texts, customer, colleague, Case(conversation, token, gate))


def wait_for_gate(house: House, conversation: str) -> str:
    """The gate of the second step, when the turn has come to it."""

    def second() -> str:
        waiting: list[dict[str, Any]] = house.server.get(
            f"/api/v1/conversations/{conversation}", token_of("sofia")
        ).body["pending"]
        return next((each["session"] for each in waiting if each["step"] == "second"), "")

    found: str = wait_for(second)
    return found


def saves(text: str) -> Callable[[Response], bool]:
    """Whether an answer is the one to a request that sent this text."""
    return lambda answer: text in (answer.request.post_data or "")


def test_what_a_customer_writes_is_shown_as_it_was_written(window: Windows, house: House, heard: list[Heard]):
    chat = window(VISITOR, "/chat/bank/")
    mine = "[data-log] .by-reader:not(.waiting) > p"
    for number, text in enumerate(TEXTS, start=1):
        write(chat, text)
        expect(chat.locator(mine)).to_have_count(number)

    assert texts_of(chat, mine) == TEXTS
    assert nothing_ran(chat)
    chat.reload()
    newest = texts_of(chat, mine)
    assert newest == TEXTS[-len(newest) :]
    assert len(newest) > 60
    assert nothing_ran(chat)

    story = window("sofia", f"/conversations/{chat.locator('#chat').get_attribute('data-conversation')}/")
    newest = texts_of(story, "[data-log] .turn:not(.outgoing) > p")
    assert newest == TEXTS[-len(newest) :]
    assert len(newest) > 60
    assert set(TEXTS) & set(texts_of(story, ".record .clip"))
    assert nothing_ran(story)


def test_values_forms_and_names_are_shown_as_they_were_given(window: Windows, heard: list[Heard]):
    for each in heard:
        page = window("sofia", each.case.page)
        said = " ~ ".join(each.texts)

        assert texts_of(page, "#card .values td.num") == each.texts
        assert texts_of(page, "#context .slot-provenance td.num") == each.texts
        assert said in texts_of(page, "[data-log] .outgoing > p")
        assert page.locator(".customer-name .customer").text_content() == each.customer
        expect(page.locator(".customer-name .unverified")).to_be_visible()
        expect(page.locator(f"#row-{each.case.gate} .customer")).to_have_text(each.customer)
        expect(page.locator(f"#row-{each.case.gate} .unverified")).to_be_visible()
        expect(page.locator(f"#row-{each.case.gate} .chip .clip")).to_have_text(f"With {each.colleague}")
        assert nothing_ran(page)
        page.context.close()


def test_a_draft_a_note_and_a_reason_come_back_as_they_were_typed(window: Windows, house: House, heard: list[Heard]):
    for at, each in list(enumerate(heard))[::2]:
        for text in each.texts:
            body = {"text": text}
            assert house.server.post(f"/api/v1/sessions/{each.case.gate}/note", body, token_of("sofia")).status == 200
        page = window(f"stranger{at}", each.case.page)
        for number, text in enumerate(each.texts):
            page.locator(f"[name='value.f{number}']").fill(text)
        with page.expect_response(saves(each.texts[-1])):
            page.locator("[name='value.f9']").press("Tab")

        page.reload()
        values = page.locator("[name^='value.f']").evaluate_all("all => all.map(each => each.value)")
        assert [value.split() for value in values] == [text.split() for text in each.texts]
        history = " ".join(texts_of(page, "#history li span"))
        assert [text for text in each.texts if f"“{text}”" not in history] == []
        assert nothing_ran(page)

        assert house.decide(each.case, "wrong", who=f"stranger{at}", reason=each.texts[3]).status == 201
        page.reload()
        expect(page.locator("#card blockquote")).to_have_text(each.texts[3])
        expect(page.locator("#card h3").first).to_contain_text(each.colleague)
        assert nothing_ran(page)
        page.context.close()


def test_the_lists_of_conversations_and_of_the_admin_show_names_as_they_are(
    window: Windows, house: House, heard: list[Heard]
):
    for name in ONE_LINE:
        made = house.server.post("/api/v1/conversations", {"assistant": "echo", "user_ref": name})
        assert made.status == 201, made.body
    page, shown = window("sofia", "/conversations/"), set()
    while True:
        shown |= set(texts_of(page, "[data-row] .stated:has(.unverified) .customer"))
        assert nothing_ran(page)
        if not to_next_page(page, "Next page"):
            break

    assert set(ONE_LINE) <= shown
    assert {f"{name} (unverified)" for name in ONE_LINE} <= names_in_the_admin(window)


def names_in_the_admin(window: Windows) -> set[str]:
    """The customers on the pages of the admin's list, in which nothing runs."""
    shown: set[str] = set()
    records = window("audrey", "/admin/dialogue/conversation/")
    pages = 1 + records.locator(".paginator a").count()
    for number in range(1, pages + 1):
        records = window("audrey", f"/admin/dialogue/conversation/?p={number}")
        shown |= set(texts_of(records, ".field-customer bdi"))
        assert nothing_ran(records)
    return shown


def test_the_audit_shows_what_was_typed_as_text(window: Windows, house: House, heard: list[Heard]):
    gate = heard[0].case.gate
    page = window("audrey", f"/admin/dialogue/auditentry/?subject={gate}")

    for link in page.locator("#result_list tbody th a").evaluate_all("all => all.map(each => each.href)"):
        page.goto(link)
        expect(page.get_by_role("heading", name="Audit entry")).to_be_visible()
        assert nothing_ran(page)
    page.goto(f"{house.url}/admin/dialogue/auditentry/?q=%22%3E%3Cscript%3Ewindow.stolen%3D1%3C%2Fscript%3E")
    assert nothing_ran(page)


def test_the_command_bar_and_the_search_repeat_a_line_as_text(window: Windows, heard: list[Heard]):
    page = window("olga", "/gates/")
    for text in ONE_LINE[::4]:
        page.get_by_label("Command", exact=True).fill(text)
        with page.expect_response(lambda answer: answer.url.endswith("/command/")):
            page.get_by_label("Command", exact=True).press("Enter")
        expect(page.locator("#read .chip")).to_be_visible()
    assert nothing_ran(page)

    for text in ONE_LINE[::4]:
        page.get_by_label("Search").fill(text)
        page.get_by_label("Search").press("Enter")
        expect(page.locator(".order h3")).to_have_text(re.compile(re.escape(f"Found for “{text}”")))
        assert nothing_ran(page)


def test_what_an_operator_writes_is_shown_as_it_was_written(window: Windows, house: House):
    chat = window(VISITOR, "/chat/bank/")
    name = hand_over(chat, house)
    desk = window("sofia", f"/inbox/{name}/")
    for text in TEXTS:
        said = house.server.post(f"/api/v1/sessions/{name}/say", {"text": text}, token_of("sofia"))
        assert said.status == 200, said.body

    expect(chat.locator(".person > p")).to_have_count(len(TEXTS))
    expect(desk.locator("[data-log] .by-reader > p")).to_have_count(len(TEXTS))
    assert texts_of(chat, ".person > p") == texts_of(desk, "[data-log] .by-reader > p") == TEXTS
    expect(desk.locator(f"#row-{name} p")).to_have_text(f"You: {TEXTS[-1]}")
    for page in (chat, desk):
        assert nothing_ran(page)
        page.reload()
        assert nothing_ran(page)
    assert texts_of(chat, ".person > p") == texts_of(desk, "[data-log] .by-reader > p") == TEXTS
    house.server.post(f"/api/v1/sessions/{name}/hand_back", {}, token_of("sofia"))


def test_values_notes_and_names_beside_a_chat_are_shown_as_they_are(window: Windows, house: House, heard: list[Heard]):
    for each in heard[1::2]:
        case = house.chat("echo", "echo please", user_ref=each.customer)
        path = f"/api/v1/sessions/{case.gate}"
        values = {f"w{number}": text for number, text in enumerate(each.texts)}
        assert house.server.post(f"{path}/slots", values, token_of("sofia")).status == 200
        assert house.server.post(f"{path}/note", {"text": each.texts[0]}, token_of("sofia")).status == 200
        wait_for(lambda case=case: "w9" in str(stack_of(house, case)))
        page = window("sofia", case.desk)

        assert texts_of(page, "#context .setting summary .num") == each.texts
        assert (page.locator("#context .notes li").first.text_content() or "").startswith(each.texts[0].strip())
        assert page.locator(".customer-name .customer").text_content() == each.customer
        expect(page.locator(f"#row-{case.gate} b .customer")).to_have_text(each.customer)
        expect(page.locator(f"#row-{case.gate} b .unverified")).to_be_visible()
        page.locator("[data-slot='echo.w0'] summary").click()
        typed = page.locator("[data-slot='echo.w0'] [name=value]")
        assert typed.input_value().split() == each.texts[0].split()
        assert nothing_ran(page)
        page.context.close()
        assert house.server.post(f"{path}/hand_back", {}, token_of("sofia")).status == 200


def stack_of(house: House, case: Case) -> Any:
    """What the API tells of the stack, once the values are in it."""
    stack = house.server.get(f"/api/v1/conversations/{case.conversation}", token_of("sofia")).body["stack"]
    return stack[-1]["slots"] if stack else ""


def test_saved_replies_are_shown_and_taken_as_they_were_written(window: Windows, house: House):
    rows = json.dumps([[title[:80], text] for title, text in zip(ONE_LINE, TEXTS, strict=True)])
    house.server.shell(f"""
import json
from django.contrib.auth.models import User
from django.utils.timezone import now
from dialogue.models import SavedReply
oscar = User.objects.get(username="oscar")
for title, text in json.loads({json.dumps(rows)}):
    SavedReply.objects.create(owner=oscar, title=title, text=text, changed_by=oscar, changed_at=now())
""")
    page, shown = window("oscar", "/inbox/replies/"), list[str]()
    while True:
        shown += texts_of(page, ".reply-text")
        assert nothing_ran(page)
        if not to_next_page(page, "More"):
            break
    assert set(TEXTS) <= set(shown)

    page.goto(house.url + house.chat().desk)
    page.get_by_role("button", name="Saved replies").click()
    options = page.locator("#pick-list li")
    expect(options.first).to_be_visible()
    offered = texts_of(page, "#pick-list li p")
    assert set(offered) <= set(shown)
    assert len(offered) == 50
    assert nothing_ran(page)
    options.nth(7).click()
    assert page.get_by_label("Reply to").input_value().split() == offered[7].split()
    assert nothing_ran(page)
