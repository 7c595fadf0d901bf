"""An assistant is written in fields: by mouse and by keyboard, without a line of YAML typed."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from dialogue.engine.language.compiler import load_assistant
from dialogue.engine.language.documents import Assistant
from dialogue.engine.source.parser import read_source
from tests.browser.pages.test_accessibility import violations
from tests.support.browser.fields import KeyboardHand, MouseHand, begin_assistant, write_assistant, write_flow
from tests.support.browser.held import HeldRequests
from tests.support.browser.house import House, token_of
from tests.support.browser.windows import PHONE, WIDE_AND_NARROW, Windows, keep_no_drafts
from tests.support.releases import demo

pytestmark = pytest.mark.browser


def meaning(assistant: Assistant) -> dict[str, Any]:
    """What an assistant says and does, without its name."""
    own = assistant.model_dump(mode="json", exclude={"assistant", "title"})
    return {**own, "flows": {name: flow.model_dump(mode="json") for name, flow in assistant.flows.items()}}


def in_english(text: str) -> str:
    """A document with its English texts only, as an author writes it first."""
    return json.dumps(_english_of(read_source(text).tree), default=float)


def _english_of(value: Any) -> Any:
    if isinstance(value, Mapping):
        is_translated = "en" in value and value.keys() <= {"en", "es"}
        return value["en"] if is_translated else {key: _without_own_title(key, each) for key, each in value.items()}
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    return [_english_of(each) for each in value] if is_list else value


def _without_own_title(key: str, value: Any) -> Any:
    """A slot without the title that its name has anyway."""
    english = _english_of(value)
    if isinstance(english, dict) and english.get("title") == key.replace("_", " "):
        del english["title"]
    return english


def written(house: House, name: str, flows: Mapping[str, str]) -> Assistant:
    """The saved documents of an assistant, but for the flow that it began with."""
    path = f"/api/v1/assistants/{name}/flows"
    saved = {file: house.server.get(f"{path}/{file.removesuffix('.yaml')}", token_of("arthur")).body for file in flows}
    return load_assistant({file: flow["text"] for file, flow in saved.items()})


@pytest.mark.parametrize("hand_type", [MouseHand, KeyboardHand], ids=["mouse", "keyboard"])
def test_the_demo_bank_is_written_without_yaml(window: Windows, house: House, hand_type: type[MouseHand]):
    name = f"harbour_{hand_type.__name__.lower()}"
    documents = {file: in_english(text) for file, text in demo("bank").items()}
    hand = hand_type(window("arthur", "/flows/"))

    begin_assistant(hand, house.url, name)
    address = f"{house.url}/flows/{name}/"
    write_assistant(hand, address, read_source(documents["assistant.yaml"]).tree)
    for file in ("check_balance.yaml", "block_card.yaml", "transfer_money.yaml"):
        write_flow(hand, address, read_source(documents[file]).tree)

    assert meaning(written(house, name, documents)) == meaning(load_assistant(documents))


def open_step(window: Windows, step: str, **options: Any) -> Page:
    page = window("arthur", "/flows/bank/transfer_money/", ready=keep_no_drafts, **options)
    page.locator(f"[data-graph] [data-step={step}]").click()
    expect(row(page, step, "step")).to_be_visible()
    return page


def row(page: Page, step: str, *path: str) -> Locator:
    return page.locator(f"[data-panel-body] [data-field='{step}/{'/'.join(path)}']")


def test_a_problem_stands_beside_its_field_and_is_mended_there(window: Windows):
    page = open_step(window, "approval")
    message = row(page, "approval", "message")

    english = message.get_by_label("English", exact=True)
    english.fill("{amount} to {benificiary}: please wait.")
    expect(message.locator(".fix")).to_contain_text("benificiary")
    expect(english).to_have_attribute("aria-invalid", "true")
    expect(page.locator("[data-graph] [data-step=approval] .flag")).to_contain_text("1")
    message.get_by_role("button", name="Use beneficiary").click()

    expect(english).to_have_value("{amount} to {beneficiary}: please wait.")
    expect(page.locator(".fix")).to_have_count(0)
    expect(page.locator("[data-graph] .flag")).to_have_count(0)


def test_edits_of_fields_are_undone_and_redone_like_text_from_fields_and_graph(window: Windows):
    page = open_step(window, "approval")
    title = row(page, "approval", "title").get_by_label("English", exact=True)
    needs_reason = page.get_by_label("Needs a reason").first
    needs_reason.check()
    title.fill("Approve or not")
    expect(page.locator("[data-graph] [data-step=approval]")).to_contain_text("Approve or not")

    page.keyboard.press("Control+z")
    expect(title).to_have_value("Approve transfer")
    expect(title).to_be_focused()
    page.get_by_role("button", name="Undo").click()
    expect(needs_reason).not_to_be_checked()
    page.locator("[data-graph] [data-step=approval]").focus()
    page.keyboard.press("Control+y")
    page.keyboard.press("Control+y")

    expect(needs_reason).to_be_checked()
    expect(title).to_have_value("Approve or not")


def test_what_is_typed_while_an_earlier_value_is_being_written_stays(window: Windows):
    page = open_step(window, "approval")
    title = row(page, "approval", "title").get_by_label("English", exact=True)
    message = row(page, "approval", "message").get_by_label("English", exact=True)
    values = HeldRequests(page, re.compile("/values$"))

    title.fill("First")
    first = values.take()
    message.fill("Second")
    with page.expect_response(re.compile("/check$")):
        first.continue_()  # its text is checked before the second value is written
    expect(page.locator(".cm-content")).to_contain_text("First")
    expect(message).to_have_value("Second")
    values.let_go()

    expect(page.locator(".cm-content")).to_contain_text("Second")
    expect(message).to_have_value("Second")


def test_a_press_that_leaves_a_changed_field_counts(window: Windows):
    page = open_step(window, "approval")
    row(page, "approval", "form", "reason").get_by_label("Name", exact=True).fill("why")

    page.get_by_role("button", name="Add a question").click()

    expect(row(page, "approval", "form", "question_3")).to_be_visible()
    expect(row(page, "approval", "form", "why")).to_be_visible()
    expect(row(page, "approval", "form", "reason")).to_have_count(0)


def test_what_is_typed_while_the_step_is_being_renamed_goes_to_the_renamed_step(window: Windows):
    page = open_step(window, "approval")
    edits = HeldRequests(page, re.compile("/edit$"))

    row(page, "approval", "step").locator("input").fill("sign_off")
    page.keyboard.press("Tab")
    edit = edits.take()
    title = row(page, "approval", "title").get_by_label("English", exact=True)
    title.fill("Sign")
    edit.continue_()
    renamed = row(page, "sign_off", "title").get_by_label("English", exact=True)
    expect(renamed).to_be_focused()
    page.keyboard.type(" off")

    expect(page.locator(".cm-content")).to_contain_text("step: sign_off")
    # Quoted where the text was written once in the middle, as "Sign ".
    expect(page.locator(".cm-content")).to_contain_text(re.compile('en: "?Sign off'))
    expect(renamed).to_have_value("Sign off")


def test_a_press_that_renames_a_step_counts_for_the_renamed_step(window: Windows):
    page = open_step(window, "approval")
    row(page, "approval", "step").locator("input").fill("sign_off")
    four_eyes = row(page, "approval", "four_eyes").locator("input")
    expect(four_eyes).to_be_checked()

    four_eyes.hover()
    with page.expect_response(re.compile("/edit$")):
        page.mouse.down()
    expect(page.locator(".cm-content")).to_contain_text("step: sign_off")
    page.mouse.up()

    expect(page.locator(".cm-content")).not_to_contain_text("four_eyes: true")
    expect(row(page, "sign_off", "four_eyes").locator("input")).not_to_be_checked()


def test_a_failure_without_a_step_is_said_to_end_the_flow_and_not_to_go_on(window: Windows):
    page = open_step(window, "send")
    chosen = row(page, "send", "on_error").locator("select option").first

    expect(chosen).to_have_text("(apologise and end the flow)")
    expect(row(page, "send", "next").locator("select option").first).to_have_text("(the following step)")


def test_enter_on_a_step_leads_into_its_fields_and_escape_back(window: Windows):
    page = window("arthur", "/flows/bank/transfer_money/")
    step = page.locator("[data-graph] [data-step=approval]")

    step.focus()
    page.keyboard.press("Enter")
    expect(row(page, "approval", "step").locator("input")).to_be_focused()
    page.keyboard.press("Escape")

    expect(step).to_be_focused()


def test_escape_on_a_selected_step_ends_the_selection_and_then_leaves_the_page(window: Windows):
    page = open_step(window, "approval")
    step = page.locator("[data-graph] [data-step=approval]")
    expect(step).to_be_focused()

    page.keyboard.press("Escape")
    expect(row(page, "approval", "step")).to_have_count(0)
    expect(step).not_to_have_attribute("aria-current", "true")
    expect(step).to_be_focused()
    page.keyboard.press("Escape")

    page.wait_for_url("**/flows/")


def test_a_text_is_translated_and_shown_in_the_text(window: Windows):
    page = open_step(window, "ask_amount")
    description = page.locator("[data-panel-body] [data-field='/slots/amount/description']")

    description.get_by_role("button", name="Translate").click()
    description.get_by_label("Spanish", exact=True).fill("Cuánto.")
    expect(page.locator(".panel-foot")).to_contain_text("Writes line 42 of")
    page.get_by_role("button", name="Show in YAML").click()

    expect(page.locator(".cm-content")).to_contain_text("es: Cuánto.")
    expect(page.locator(".cm-content")).to_be_focused()


def test_on_a_phone_the_fields_are_a_page_over_the_list_of_steps(window: Windows):
    page = open_step(window, "approval", **PHONE)
    expect(page.locator("[data-graph]")).to_be_hidden()

    page.get_by_role("button", name="Close").tap()

    expect(page.locator("[data-graph] [data-step=approval]")).to_be_visible()


def test_on_a_phone_no_empty_graph_lies_over_the_fields_of_the_settings(window: Windows):
    page = window("arthur", "/flows/bank/assistant/", **PHONE)

    expect(page.locator("[data-panel-body]")).to_be_visible()
    expect(page.locator(".stage")).to_be_hidden()


@pytest.mark.parametrize("size", WIDE_AND_NARROW)
@pytest.mark.parametrize("step", ["approval", "ask_iban", "check", "over_limit"])
def test_nothing_is_wrong_with_the_fields_of_a_step(window: Windows, step: str, size: dict[str, Any]):
    assert violations(open_step(window, step, **size)) == []


@pytest.mark.parametrize("size", WIDE_AND_NARROW)
def test_nothing_is_wrong_with_the_fields_of_an_assistant(window: Windows, size: dict[str, Any]):
    page = window("arthur", "/flows/bank/assistant/", **size)
    expect(page.locator("[data-panel-body] input").first).to_be_visible()
    page.locator("[data-card='/actions/check_payee'] > summary").click()

    assert violations(page) == []


def test_the_fields_stay_chosen_on_the_next_page(window: Windows):
    page = open_step(window, "approval")

    page.goto(page.url.replace("transfer_money", "block_card"))

    expect(page.locator("[data-panel-body] input").first).to_be_visible()
    expect(page.get_by_role("button", name="Fields")).to_have_attribute("aria-pressed", "true")


def test_a_group_is_offered_with_the_people_who_may_decide(window: Windows):
    page = open_step(window, "approval")
    field = row(page, "approval", "group").locator("input")

    offered = field.evaluate("field => [...field.list.options].map(option => [option.value, option.label])")

    assert ["supervisors", "supervisors · 1 person may decide"] in offered
