"""The same 120 texts where authors write them and where a queue is sorted: shown as text, and nothing runs.

Places: an assistant's title, a button of the chat, an option, an action and what follows from it, the question and the
title of a gate, the page and the mail of who answers by link, a line that the flow says, a step of the graph, the
flow's source, what was found in it, a problem of the editor, a difference between two versions, a release's note, a
scenario, the test console, tags, saved views, answers for many gates at once, and a gate that comes in from the side.
"""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.desk.test_answer_page import mailed_path
from tests.support.browser.house import Case, House
from tests.support.browser.strange_rows import database_of, forget_queue, name_all
from tests.support.browser.strange_texts import ONE_LINE, TEXTS, nothing_ran, texts_of
from tests.support.browser.windows import VISITOR, Windows, to_next_page

pytestmark = pytest.mark.browser

SAID = [text for text in TEXTS if not re.search(r"[{}]", text)]
"""What a flow can say: a brace in a message is a placeholder's, and the language refuses any other."""

LABELS = [f"{number} {text}" for number, text in enumerate(ONE_LINE)]
"""No two options may be the same but for small and capital letters."""

TITLE = "</title><script>window.stolen=1</script>"

KEEP = """
import json
from django.contrib.auth.models import User
from django.utils.timezone import now
from dialogue.models import HITLSession, SavedView, SessionTag
sofia, gate = User.objects.get(username="sofia"), HITLSession.objects.get(pk={gate})
for name in json.loads({names}):
    SavedView.objects.create(owner=sofia, name=name[:60], query={{"q": name[:60]}}, made_at=now())
    SessionTag.objects.get_or_create(session=gate, name=name[:40].casefold())
"""

WRITE = """
import json
from pathlib import Path
from django.contrib.auth.models import User
from dialogue.library.releases.releases import publish
from dialogue.library.documents.versions import Edit, keep_draft, save_flow
from dialogue.models import Assistant, Flow
from dialogue.scenarios.format.stored import Edit as Scenarios, save_document
arthur, home = User.objects.get(username="arthur"), Assistant.objects.get(name="strange")
texts = json.loads(Path({file!r}).read_text())
save_document(home, Scenarios("words", texts["scenarios"]), arthur)
base = Flow.objects.get(assistant=home, name="words").head.number
save_flow(home, Edit("words", texts["saved"], base), arthur)
publish(home, arthur, texts["note"])
keep_draft(home, Edit("words", texts["draft"], base + 1), arthur)
"""


EVERY = " ~ ".join(ONE_LINE)
"""All of them in one name, which is longer than any that the product takes."""

NAMED = [
    ("", "/chat/strange/"),
    ("sofia", "/gates/"),
    ("sofia", "/gates/{gate}/"),
    ("sofia", "/gates/together/?gate={number}"),
    ("sofia", "/conversations/"),
    ("sofia", "/conversations/{chat}/"),
    ("arthur", "/flows/"),
    ("arthur", "/flows/strange/words/history/"),
    ("arthur", "/releases/strange/"),
    ("arthur", "/releases/strange/move/"),
    ("arthur", "/releases/strange/publish/"),
    ("arthur", "/scenarios/strange/"),
    ("arthur", "/test/"),
    ("arthur", "/test/strange/?new"),
    ("arthur", "/understanding/"),
    ("arthur", "/understanding/strange/"),
    ("audrey", "/admin/dialogue/assistant/"),
    ("audrey", "/admin/dialogue/release/"),
    ("audrey", "/admin/dialogue/hitlsession/"),
    ("audrey", "/admin/dialogue/conversation/"),
]
"""Where a title, a note, a queue, a tag, a saved view, an author or a customer is shown, and to whom."""

READ = "[document.title, document.body.textContent].map(each => each.split(/\\s+/).join(' '))"


def flow(**changes: Any) -> dict[str, Any]:
    """Takes one of 120 options, asks for one of 120 decisions, and says all that a flow can say."""
    actions = [{"id": f"a{number}", "label": label} for number, label in enumerate(LABELS)]
    options = [{"value": f"v{number}", "label": label} for number, label in enumerate(LABELS)]
    ask = {
        "step": "decide",
        "type": "human",
        "title": TITLE,
        "show": ["pick"],
        "form": {"choose": {"type": "choice", "options": options, "required": False}},
        "actions": actions,
        "timeout": "1d",
        "on_timeout": "a0",
    }
    said = [{"step": f"say{number}", "type": "say", "message": text} for number, text in enumerate(SAID)]
    facts = {"flow": "words", "title": TITLE, "description": TEXTS[0], "examples": ["strange words please"]}
    slots = {"pick": {"type": "choice", "prompt": "Which of them?", "options": options}}
    return {
        **facts,
        "slots": slots,
        "steps": [{"step": "ask", "type": "collect", "slot": "pick"}, ask, *said],
        **changes,
    }


@pytest.fixture(scope="module")
def strange(house: House, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The assistant, published; its documents are JSON, which is YAML too."""
    folder = tmp_path_factory.mktemp("strange")
    assistant = {"version": 1, "assistant": "strange", "title": TITLE, "description": TEXTS[5]}
    for name, document in {"assistant": assistant, "words": flow()}.items():
        (folder / f"{name}.yaml").write_text(json.dumps(document, ensure_ascii=False, indent=1))
    house.server.manage("load_flows", str(folder), "--publish")
    return "strange"


@pytest.fixture(scope="module")
def case(house: House, strange: str) -> Case:
    """A gate at which all of them are asked."""
    conversation, token = house.conversation(strange)
    house.say(conversation, token, "strange words please")
    answer = house.say(conversation, token, LABELS[3])
    [gate] = [each["session"] for each in answer["pending"] if each["audience"] == "staff"]
    return Case(conversation, token, gate)


def all_shown(page: Page, selector: str, texts: list[str]) -> None:
    """Each of them stands somewhere in these elements, as it was written, and nothing ran."""
    shown = "\n".join(" ".join(each.split()) for each in texts_of(page, selector))
    assert [text for text in texts if " ".join(text.split()) not in shown] == []
    assert nothing_ran(page)


def test_the_options_of_a_flow_are_buttons_and_the_title_a_title(window: Windows, strange: str):
    chat = window(VISITOR, f"/chat/{strange}/")
    chat.get_by_label("Message", exact=True).fill("strange words please")
    chat.get_by_label("Message", exact=True).press("Enter")

    expect(chat.locator(".buttons button")).to_have_count(len(LABELS))
    assert texts_of(chat, ".buttons button") == LABELS
    assert TITLE in chat.title()
    assert nothing_ran(chat)


def test_a_gates_question_its_actions_tags_and_saved_views_are_text(window: Windows, house: House, case: Case):
    names = json.dumps(json.dumps(ONE_LINE))
    house.server.shell(KEEP.format(gate=case.gate.removeprefix("g"), names=names))
    page = window("sofia", case.page)

    expect(page.locator("#card h2").first).to_have_text(TITLE)
    all_shown(page, "#acts button", LABELS)
    all_shown(page, "#card option, #card .choices label", LABELS)
    all_shown(page, ".saved-views a", [name[:60] for name in ONE_LINE])
    tags = [name[:40].casefold() for name in ONE_LINE]
    assert [tag for tag in tags if tag.strip() not in page.locator("#tags").input_value()] == []
    together = window("sofia", f"/gates/together/?gate={case.gate.removeprefix('g')}")
    expect(together.locator("#card h2").first).to_have_text(TITLE)
    all_shown(together, ".acts button", LABELS)


def test_who_answers_by_link_reads_them_as_text(window: Windows, house: House, case: Case):
    page = window(VISITOR, mailed_path(house, case))

    expect(page.get_by_role("heading", name=TITLE)).to_be_visible()
    assert page.title().startswith(TITLE)
    all_shown(page, "fieldset .choices label", LABELS)
    all_shown(page, "option, .answer-side .choices label", LABELS)
    mails = [each.read_text() for each in (house.server.data / "mail").glob("*")]
    [mail] = [each for each in mails if f"Reference: {case.gate}\n" in each]
    assert 'Content-Type: text/plain; charset="utf-8"' in mail
    assert "text/html" not in mail


def test_what_an_author_writes_is_shown_where_authors_look(window: Windows, house: House, strange: str):
    wrong = {f"wrong {number} {text}": 1 for number, text in enumerate(ONE_LINE)}
    scenarios = [{"name": label, "turns": [{"user": "Hello", "expect": {"messages": []}}]} for label in LABELS]
    texts = {
        "scenarios": json.dumps({"assistant": "strange", "scenarios": scenarios}, ensure_ascii=False),
        "saved": json.dumps(flow(description=" ~ ".join(SAID[:60])), ensure_ascii=False, indent=1),
        "draft": json.dumps(flow(**wrong), ensure_ascii=False, indent=1),
        "note": " ~ ".join(ONE_LINE)[:190],
    }
    file = house.server.data / "strange.json"
    file.write_text(json.dumps(texts))
    house.server.shell(WRITE.format(file=str(file)))

    page = window("arthur", f"/flows/{strange}/words/")
    assert page.locator("#text").input_value() == texts["draft"]
    all_shown(page, "[data-problems] button", [key[:40] for key in wrong])
    all_shown(page, ".node .node-summary", [" ".join(text.split())[:40] for text in SAID])
    page.goto(f"{house.url}/flows/{strange}/words/compare/?old=1&new=2")
    assert nothing_ran(page)
    page.goto(f"{house.url}/flows/{strange}/words/merge/")
    all_shown(page, ".merge pre", [json.dumps(key, ensure_ascii=False) for key in wrong])
    page.goto(f"{house.url}/flows/?q=stolen")
    all_shown(page, ".shelf h2, .shelf .small, .problem-links code", [TITLE, TEXTS[5], "window.stolen=1"])
    page.goto(f"{house.url}/releases/{strange}/")
    all_shown(page, ".release-words", [texts["note"]])
    page.goto(f"{house.url}/scenarios/{strange}/")
    all_scenarios(page)


def all_scenarios(page: Page) -> None:
    shown: list[str] = []
    while True:
        shown += texts_of(page, "a.run b")
        assert nothing_ran(page)
        if not to_next_page(page, "More"):
            break
    assert set(LABELS) <= set(shown)


def test_who_tries_a_flow_sees_them_as_text(window: Windows, strange: str):
    page = window("arthur", f"/test/{strange}/?new")
    page.get_by_label("What to test").select_option("1")
    page.get_by_role("button", name="Start the test").click()
    page.get_by_label("Message", exact=True).fill("strange words please")
    page.get_by_label("Message", exact=True).press("Enter")
    expect(page.locator("[data-choice], .buttons button").first).to_be_visible()
    all_shown(page, "[data-choice], .buttons button", LABELS)


def test_a_name_that_holds_all_of_them_is_text_wherever_it_stands(window: Windows, house: House, case: Case):
    with database_of(house) as database:
        name_all(database, case, EVERY)
    places = {"gate": case.gate, "number": case.gate.removeprefix("g"), "chat": case.conversation}
    pages = {who: window(who, "/reference/" if who else "/chat/bank/") for who in ("", "sofia", "arthur", "audrey")}
    unread, titles = [], set()
    for who, path in NAMED:
        pages[who].goto(house.url + path.format(**places))
        title, body = pages[who].evaluate(READ)
        unread += [path] if EVERY not in body else []
        titles |= {path} if EVERY in title else set()
        assert nothing_ran(pages[who]), path
    with database_of(house) as database:
        forget_queue(database)

    assert unread == []
    assert titles >= {"/chat/strange/", "/gates/{gate}/"}, titles


def test_what_a_flow_says_is_text_and_a_new_gate_comes_in_as_text(window: Windows, house: House, case: Case):
    queue = window("sofia", "/gates/")
    conversation, token = house.conversation("strange", user_ref=LABELS[35])
    house.say(conversation, token, "strange words please")
    answer = house.say(conversation, token, LABELS[40])
    [gate] = [each["session"] for each in answer["pending"] if each["audience"] == "staff"]
    queue.locator("[data-new]").click()
    expect(queue.locator(f"#row-{gate} .customer")).to_contain_text(LABELS[35])
    assert nothing_ran(queue)

    assert house.decide(Case(conversation, token, gate), "a7", who="sofia").status == 201
    story = window("sofia", f"/conversations/{conversation}/")
    expect(story.locator("[data-log] .turn > p", has_text=SAID[-1]).last).to_be_visible()
    all_shown(story, "[data-log] .turn > p", SAID[-60:])
    assert house.decide(case, "a8", who="sofia").status == 201
    desk = window("sofia", case.page)
    all_shown(desk, "#card", [LABELS[8]])
