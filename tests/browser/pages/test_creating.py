"""How things are created: a button in the heading opens a form above the list; Cancel and Escape lead back to it."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.browser.windows import WIDE_AND_NARROW, Windows

pytestmark = pytest.mark.browser

PAGES = [
    ("ada", "/tokens/", "New token", "What it is for"),
    ("ada", "/webhooks/", "New webhook", "Address"),
    ("ada", "/channels/", "New channel", "Assistant"),
    ("ada", "/users/", "New user", "User name"),
    ("olga", "/inbox/replies/", "New reply", "Title"),
]
GROUND = "button => getComputedStyle(button).backgroundColor"


@pytest.mark.parametrize("size", WIDE_AND_NARROW)
@pytest.mark.parametrize("place", PAGES)
def test_the_form_takes_the_focus_and_escape_gives_it_back(window: Windows, place: tuple[str, ...], size):
    who, path, button, field = place
    page = window(who, path, **size)
    page.get_by_role("link", name=button).focus()
    page.keyboard.press("Enter")

    panel = page.locator(".new-panel")
    expect(panel.get_by_label(field, exact=True)).to_be_focused()
    expect(page.locator("main .btn.main")).to_have_count(1)
    page.keyboard.press("Escape")

    expect(panel).to_have_count(0)
    expect(page.get_by_role("link", name=button)).to_be_focused()


def test_what_was_typed_is_not_lost_by_one_escape(window: Windows):
    page = window("ada", "/webhooks/?new")
    cancel = page.get_by_role("link", name="Cancel")

    page.get_by_label("Address", exact=True).fill("https://hooks.example.org/")
    page.keyboard.press("Escape")
    expect(cancel).to_be_focused()
    expect(page.get_by_label("Address", exact=True)).to_have_value("https://hooks.example.org/")
    page.keyboard.press("Escape")

    expect(page.get_by_role("link", name="New webhook")).to_be_focused()


def test_a_drop_field_says_what_was_chosen_and_the_button_becomes_the_main_one(window: Windows, tmp_path: Path):
    page = window("arthur", "/documents/bank/")
    upload, file = page.get_by_role("button", name="Upload", exact=True), tmp_path / "hours.md"
    file.write_text("Open from nine to five. " * 100)
    ground = upload.evaluate(GROUND)

    page.get_by_label("Upload Markdown or text files").set_input_files(str(file))

    expect(page.locator("[data-drop-zone]")).to_contain_text("Chosen: hours.md (2 kB)")
    assert upload.evaluate(GROUND) != ground


def test_only_the_section_that_was_changed_last_has_a_main_button(window: Windows):
    page = window("olga", "/account/")
    main = page.locator(".account .btn.main")
    expect(main).to_have_count(0)

    page.get_by_label("Old password").fill("a")
    page.get_by_role("combobox", name="Time zone").select_option("Europe/Madrid")

    expect(main).to_have_text("Save the time zone")
    page.get_by_role("combobox", name="Time zone").select_option("")
    expect(main).to_have_count(0)
