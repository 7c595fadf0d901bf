"""Flow authors at work: writing, breaking, mending, renaming, restoring; two of them on one flow."""

import gzip
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, Response, expect

from tests.browser.pages.test_accessibility import SIZES, violations
from tests.support.browser.held import HeldRequests
from tests.support.browser.house import House
from tests.support.browser.windows import PHONE, Windows

pytestmark = pytest.mark.browser

MOST_SCRIPT = 250 * 1024
"""Bytes of script, packed, that the first load of the editor may take."""

SECOND_AUTHOR = """
from django.contrib.auth.models import Group, User
user, _ = User.objects.get_or_create(username="anna", defaults={"first_name": "Anna", "last_name": "Holm"})
user.groups.add(Group.objects.get(name="flow authors"))
"""

PASTE = """(content, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    content.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}"""

WRITTEN = """\
flow: order_cheques
description: Orders cheques for the account.   # they still exist
examples:
- order cheques
slots:
  number: {type: integer, prompt: How many?, minimum: 1, maximum: 50}
steps:
# first the number
- {step: ask, type: collect, slot: number}
- step: many
  type: branch
  cases:
  - {when: "number > 20", next: approve}   # a lot
  else: done
- step: approve
  type: human
  title: May there be so many?
  actions: [{id: fine, label: Fine}, {id: no_way, label: No}]
  next: {fine: done, no_way: sorry}
  timeout: 1h
  on_timeout: no_way
- {step: sorry, type: say, message: "Not that many ({approve.action}).", next: end}
- {step: done, type: say, message: "{number} cheques are on their way."}
"""


LATE = {
    "file": "late_checks.yaml",
    "line": 1,
    "column": 1,
    "severity": "warning",
    "code": "x",
    "text": "This comes late",
    "advice": "",
    "meant": "",
}


@pytest.fixture
def anna(house: House) -> Iterator[str]:
    """A second flow author."""
    house.server.shell(SECOND_AUTHOR)
    house.sign_in()
    yield "anna"


def begin_flow(page: Page, name: str) -> None:
    """With the keyboard, from the list of flows."""
    page.get_by_label("New flow").first.focus()
    page.keyboard.type(name)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(f"/flows/bank/{name}/"))
    expect(page.locator("[data-field='/description'] input")).to_be_visible()
    page.get_by_role("button", name="Show in YAML").press("Enter")
    expect(page.locator(".cm-content")).to_be_visible()


def write(page: Page, text: str) -> None:
    """Everything anew, from the clipboard."""
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+a")
    page.locator(".cm-content").evaluate(PASTE, text)


def text_in(page: Page) -> str:
    """The whole text; the editor draws only the lines in sight."""
    lines: list[str] = page.evaluate(
        "document.querySelector('.cm-content').cmTile?.view.state.doc.toJSON()"
        " ?? document.querySelector('.cm-content').cmView.view.state.doc.toJSON()"
    )
    return "\n".join(lines)


def save(page: Page, number: int) -> None:
    page.keyboard.press("Control+s")
    expect(page.locator("[data-version]")).to_contain_text(f"version {number}")


def test_a_flow_is_written_from_nothing_broken_mended_saved_and_tried_with_the_keyboard_only(window: Windows):
    page = window("arthur", "/flows/")
    begin_flow(page, "order_cheques")

    write(page, WRITTEN)
    expect(page.locator("[data-graph] [data-step]")).to_have_count(5)
    expect(page.locator("[data-problems] .error")).to_have_count(0)

    page.keyboard.press("Control+End")
    page.keyboard.type("- {step: bye, type: say, message: Bye, next: sory")
    expect(page.locator("[data-problems] [data-at]").first).to_contain_text("sory")
    page.locator("[data-problems] [data-at]", has_text="sory").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".cm-content")).to_be_focused()
    page.get_by_role("button", name="Write sorry").focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-problems] [data-at]", has_text="sory")).to_have_count(0)
    expect(page.locator("[data-graph] [data-step]")).to_have_count(6)
    save(page, 1)
    assert "next: sorry}" in text_in(page)

    page.locator(".cm-content").focus()
    page.keyboard.press("Control+Enter")
    page.keyboard.type("order cheques\n")
    expect(page.locator("[data-part=log]")).to_contain_text("How many?")
    expect(page.locator("[data-step=ask]")).to_have_class(re.compile("now"))
    page.keyboard.type("30\n")
    expect(page.get_by_role("heading", name="May there be so many?", exact=True)).to_be_visible()
    expect(page.locator("[data-step=approve]")).to_have_class(re.compile("now"))
    expect(page.locator(".edges > [data-from=many][data-to=approve]")).to_have_class("active")
    expect(page.locator("[data-part=state]")).to_contain_text("30")
    expect(page.locator(".cm-step").first).to_contain_text("step: approve")

    page.locator(".cm-content").focus()
    page.keyboard.press("Control+Home")
    page.keyboard.type("# fewer\n")
    again = page.get_by_role("button", name="Start again with this text")
    again.focus()
    page.keyboard.press("Enter")
    expect(again).to_be_hidden()
    expect(page.locator("[data-tried]")).to_have_text("draft")
    expect(page.get_by_role("heading", name="May there be so many?", exact=True)).to_be_visible()
    assert violations(page) == []


def test_enter_after_a_key_without_a_value_leads_below_it(window: Windows):
    page = window("arthur", "/flows/")
    begin_flow(page, "indented_lines")

    write(page, "slots:\n  - step: one\n    actions:")
    for word in ("first", "second:", "third"):
        page.keyboard.press("Enter")
        page.keyboard.type(word)

    assert text_in(page).splitlines()[2:] == ["    actions:", "      first", "      second:", "        third"]


def test_completion_offers_what_the_assistant_has(window: Windows):
    page = window("arthur", "/flows/")
    begin_flow(page, "offered_names")

    page.locator(".cm-content").focus()
    page.keyboard.press("Control+End")
    page.locator(".cm-content").evaluate(PASTE, "- step: pay\n  type: action\n  call: ")  # typed, Enter may choose
    page.keyboard.type("send")
    expect(page.locator(".cm-tooltip-autocomplete")).to_contain_text("send_money")
    page.wait_for_timeout(120)  # the editor takes no key for a choice that was offered only now
    page.keyboard.press("Enter")

    expect(page.locator(".cm-content")).to_contain_text("call: send_money")


def test_a_step_renamed_on_the_canvas_takes_all_references_along_and_one_undo_brings_it_back(window: Windows):
    page = window("arthur", "/flows/")
    begin_flow(page, "renamed_steps")
    text = WRITTEN.replace("order_cheques", "renamed_steps")
    write(page, text)
    expect(page.locator("[data-graph] [data-step]")).to_have_count(5)

    page.locator('[data-graph] [data-step="approve"]').focus()
    page.keyboard.press("F2")
    page.get_by_role("dialog").get_by_label("Name").fill("ask_manager")
    page.keyboard.press("Enter")

    expect(page.locator('[data-graph] [data-step="ask_manager"]')).to_be_visible()
    assert text_in(page) == text.replace("approve", "ask_manager")
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+z")
    assert text_in(page) == text


def test_a_check_that_is_answered_late_changes_neither_the_chosen_step_nor_the_one_of_a_dialog(window: Windows):
    page = window("arthur", "/flows/")
    begin_flow(page, "late_checks")
    text = WRITTEN.replace("order_cheques", "late_checks")
    write(page, text)
    expect(page.locator("[data-graph] [data-step]")).to_have_count(5)
    checks = HeldRequests(page, re.compile("/check$"))

    page.keyboard.press("Control+End")
    page.keyboard.insert_text("# the end")  # at once, so that it is checked once
    check = checks.take()
    page.locator('[data-graph] [data-step="approve"]').focus()
    page.keyboard.press("F2")
    page.get_by_role("dialog").get_by_label("Name").fill("ask_manager")
    check.fulfill(json={"problems": [LATE], "graph": None})
    expect(page.locator("[data-problems]")).to_contain_text("This comes late")
    page.unroute_all()
    page.get_by_role("dialog").get_by_role("button", name="Rename").click()

    expect(page.locator(".cm-content")).to_contain_text("- step: ask_manager")
    assert text_in(page) == text.replace("approve", "ask_manager") + "# the end"


def test_steps_are_added_connected_moved_and_taken_out_on_the_canvas(window: Windows):
    page = window("arthur", "/flows/")
    begin_flow(page, "drawn_steps")
    expect(page.locator("[data-graph] [data-step]")).to_have_count(2)

    page.locator('[data-graph] [data-step="ask"]').click()
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("dialog").get_by_label("Type").select_option("say")
    page.get_by_role("dialog").get_by_label("Name").fill("greet")
    page.keyboard.press("Enter")
    expect(page.locator("[data-graph] [data-step]")).to_have_count(3)
    page.get_by_role("button", name="Connect").click()
    page.get_by_role("dialog").get_by_label("Leads to").select_option("end")
    page.get_by_role("dialog").get_by_role("button", name="Connect").click()
    expect(page.locator(".cm-content")).to_contain_text("next: end")
    page.get_by_role("button", name="Move up").click()
    expect(page.locator("[data-graph] [data-step]").first).to_contain_text("greet")
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.locator("[data-graph] [data-step]")).to_have_count(2)


def drag(page: Page, source: Locator, target: Locator, low: bool = False) -> None:
    """From the middle of one to the upper half of the other, or to the lower."""
    start, end = source.bounding_box(), target.bounding_box()
    assert start and end
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    at = end["y"] + end["height"] * (0.8 if low else 0.2)
    page.mouse.move(end["x"] + end["width"] / 2, at, steps=6)
    page.mouse.up()


def test_steps_are_put_elsewhere_and_connected_with_the_pointer_and_each_is_one_undo(window: Windows):
    page = window("arthur", "/flows/")
    begin_flow(page, "dragged_steps")
    write(page, WRITTEN.replace("order_cheques", "dragged_steps"))
    steps = page.locator("[data-graph] [data-step]")
    step = {
        name: page.locator(f'[data-graph] [data-step="{name}"]') for name in ("ask", "many", "approve", "sorry", "done")
    }
    expect(steps).to_have_count(5)
    before = text_in(page)

    drag(page, step["done"], step["sorry"])
    expect(steps.nth(3)).to_contain_text("done")
    assert sorted(text_in(page).splitlines()) == sorted(before.splitlines())
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+z")
    expect(steps.nth(3)).to_contain_text("sorry")
    assert text_in(page) == before

    step["ask"].hover()
    drag(page, step["ask"].locator(".port"), step["approve"])
    page.get_by_role("dialog").get_by_label("Way").select_option(label="After the last attempt")
    page.get_by_role("dialog").get_by_role("button", name="Connect").click()
    expect(page.locator(".cm-content")).to_contain_text("slot: number, on_failure: approve}")
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+z")
    expect(page.locator(".cm-content")).not_to_contain_text("on_failure: approve")
    assert text_in(page) == before


def test_a_drag_that_is_given_up_changes_nothing(window: Windows):
    page = window("arthur", "/flows/bank/transfer_money/")
    steps = page.locator("[data-graph] [data-step]")
    expect(page.locator(".cm-content")).to_be_visible()
    before = text_in(page)

    start = steps.first.bounding_box()
    assert start
    page.mouse.move(start["x"] + 20, start["y"] + 20)
    page.mouse.down()
    page.mouse.move(start["x"] + 30, start["y"] + 140, steps=4)
    expect(page.locator(".drop-before, .drop-behind")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator(".drop-before, .drop-behind, .dragged")).to_have_count(0)
    page.mouse.up()

    assert text_in(page) == before


def test_the_caret_and_the_graph_choose_the_same_step(window: Windows):
    page = window("arthur", "/flows/bank/transfer_money/")
    expect(page.locator(".cm-content")).to_be_visible()
    page.get_by_role("button", name="YAML").click()  # the author prefers the text to the fields

    page.locator('[data-graph] [data-step="approval"]').click()
    expect(page.locator(".cm-step").first).to_contain_text("step: approval")
    page.locator(".cm-line", has_text="Approve transfer").click()
    page.keyboard.press("Control+Home")
    expect(page.locator('[data-graph] [aria-current="true"]')).to_have_count(1)
    page.locator(".cm-line", has_text="step: ask_iban").click()

    expect(page.locator('[data-graph] [data-step="ask_iban"]')).to_have_attribute("aria-current", "true")


def test_two_authors_on_one_flow_lose_no_word_of_either(window: Windows, anna: str):
    arthur = window("arthur", "/flows/")
    begin_flow(arthur, "two_authors")
    text = WRITTEN.replace("order_cheques", "two_authors")
    write(arthur, text)
    expect(arthur.locator("[data-graph] [data-step]")).to_have_count(5)
    save(arthur, 1)

    annas = window(anna, "/flows/bank/two_authors/")
    expect(annas.locator(".cm-content")).to_be_visible()
    write(annas, "# hers\n" + text)
    expect(annas.locator(".cm-content")).to_contain_text("# hers")
    save(annas, 2)
    write(arthur, text.replace("Not that many", "Sadly not that many"))
    arthur.keyboard.press("Control+s")
    expect(arthur.locator("[data-conflict]")).to_contain_text("anna saved version 2")
    arthur.get_by_role("link", name="See both").click()
    expect(arthur.locator(".merge")).to_contain_text("# hers")
    arthur.get_by_role("button", name="Go on with this text").click()
    expect(arthur.locator(".cm-content")).to_contain_text("# hers")
    arthur.locator(".cm-content").focus()
    save(arthur, 3)

    assert text_in(arthur).rstrip("\n") == ("# hers\n" + text.replace("Not that many", "Sadly not that many")).rstrip(
        "\n"
    )


def test_versions_are_compared_and_an_earlier_one_comes_back(window: Windows):
    page = window("arthur", "/flows/")
    begin_flow(page, "come_back")
    text = WRITTEN.replace("order_cheques", "come_back")
    write(page, text)
    expect(page.locator("[data-graph] [data-step]")).to_have_count(5)
    save(page, 1)
    write(page, text + "- {step: bye, type: say, message: Bye.}\n")
    expect(page.locator("[data-graph] [data-step]")).to_have_count(6)
    save(page, 2)

    page.goto(page.url + "compare/?old=1&new=2")
    expect(page.locator(".diff ins")).to_contain_text("step: bye")
    after = page.get_by_role("region", name="Steps after")
    expect(after.locator(".node.added")).to_contain_text("bye")
    expect(after.locator(".edges > path.added").first).to_have_attribute("data-to", "bye")
    expect(page.get_by_role("region", name="Steps before").locator(".node")).to_have_count(5)
    after.locator("[data-step=approve]").click()
    expect(page.locator('[data-side=old] [aria-current="true"]')).to_contain_text("approve")
    page.goto(page.url.split("compare")[0] + "history/")
    page.get_by_role("button", name="Restore version 1").click()
    expect(page.locator(".notice[role=status]")).to_contain_text("Version 1 is back as version 3.")
    page.get_by_role("link", name="Open the flow").click()

    expect(page.locator("[data-version]")).to_contain_text("version 3")
    expect(page.locator("[data-graph] [data-step]")).to_have_count(5)


def test_what_is_typed_is_kept_without_saving(window: Windows):
    page = window("arthur", "/flows/")
    begin_flow(page, "kept_words")
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+End")
    page.keyboard.type("# still here")
    expect(page.locator("[data-status]")).to_contain_text("Draft kept")

    page.reload()

    expect(page.locator(".cm-content")).to_contain_text("# still here")


def test_the_first_load_of_the_editor_is_small(window: Windows):
    page = window("arthur", "/flows/")
    packed: list[int] = []

    def weigh(response: Response) -> None:
        if response.request.resource_type == "script":
            packed.append(len(gzip.compress(response.body())))

    page.on("response", weigh)
    page.goto(page.url + "bank/transfer_money/")
    expect(page.locator(".cm-content")).to_be_visible()

    assert len(packed) > 1
    assert sum(packed) <= MOST_SCRIPT


def test_on_a_phone_a_flow_is_read_as_a_list_and_a_word_is_mended(window: Windows):
    page = window("arthur", "/flows/")
    begin_flow(page, "on_a_phone")
    phone = window("arthur", "/flows/bank/on_a_phone/", **PHONE)

    expect(phone.locator("[data-graph] > li")).to_have_count(2)
    phone.get_by_role("link", name="YAML").tap()
    phone.locator(".cm-content").tap()
    phone.keyboard.press("Control+End")
    phone.keyboard.type("# by thumb")
    expect(phone.locator("[data-status]")).to_contain_text("Draft kept")

    assert phone.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "path",
    ["bank/transfer_money/history/", "bank/transfer_money/compare/?old=1&new=draft", "import.zip", "?q=approve"],
)
def test_nothing_is_wrong_with_the_pages_of_an_author(window: Windows, path: str, size: dict[str, object]):
    assert violations(window("arthur", f"/flows/{path}", **size)) == []


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_wrong_with_a_flow_that_is_wrong(window: Windows, house: House, size: dict[str, object]):
    page = window("arthur", "/flows/bank/check_balance/", **size)
    page.goto(page.url + "#source")
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+End")
    page.locator(".cm-content").evaluate(PASTE, "\n  - {step: x, type: sy}")
    expect(page.locator("[data-problems] [data-at]").first).to_be_visible()
    assert violations(page) == []

    page.evaluate("location.hash = 'test'")
    page.get_by_placeholder("Say something as the customer").fill("hello")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_role("button", name="Try what was saved last")).to_be_visible()
    expect(page.get_by_placeholder("Say something as the customer")).to_have_value("hello")
    assert violations(page) == []


SCENARIO = """\
assistant: ../assistants/bank
scenarios:
  - name: money
    turns:
      - user: send money
        {key}: [{"""


def test_scenarios_are_written_with_completion_and_what_is_wrong_is_said_at_its_line(window: Windows):
    page = window("arthur", "/scenarios/bank/new/")
    page.get_by_text("Other ways").click()
    page.get_by_role("textbox", name="Name").fill("cheques by hand")
    write(page, SCENARIO.replace("{key}: [{", "comands: []"))
    expect(page.locator(".cm-lint-marker-error")).to_be_visible()

    write(page, SCENARIO.replace("{key}", "commands"))
    page.keyboard.press("Control+End")
    page.keyboard.type("start_flow: transf")
    # A list that is greyed is being asked for again, and cannot be chosen from.
    offered = page.locator(".cm-tooltip-autocomplete:not(.cm-tooltip-autocomplete-disabled)")
    offered.locator("li", has_text="transfer_money").click()
    expect(page.locator(".cm-content")).to_contain_text("[{start_flow: transfer_money")
    page.keyboard.type("}]")

    expect(page.locator(".cm-content")).to_contain_text("[{start_flow: transfer_money}]")
    page.keyboard.press("Control+s")
    expect(page.get_by_text("Not run since it was saved")).to_be_visible()
