"""The author's pages at each size: what is needed can be seen and pressed, and edits of the graph taken back."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.author.test_studio import WRITTEN, begin_flow, text_in, write
from tests.browser.pages.test_accessibility import violations
from tests.support.browser.house import House
from tests.support.browser.windows import DESKTOP, PHONE, Windows, keep_no_drafts

pytestmark = pytest.mark.browser

SIZES: list[Any] = [
    pytest.param(DESKTOP, id="1440"),
    pytest.param({"viewport": {"width": 1024, "height": 768}}, id="1024"),
    pytest.param(PHONE, id="390"),
    pytest.param({**PHONE, "viewport": {"width": 320, "height": 640}}, id="320"),
]

UNREACHABLE = """() => [...document.querySelectorAll(".flowbar :is(a, button, input, summary)")]
  .filter(each => each.checkVisibility({ contentVisibilityAuto: true }))
  .filter(each => {
    const { left, right, top, bottom, width } = each.getBoundingClientRect();
    const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    const cut = each.matches(".btn") && each.scrollWidth > each.clientWidth + 1;
    return width < 20 || left < 0 || right > innerWidth || cut || !each.contains(there);
  })
  .map(each => each.textContent.trim() || each.ariaLabel || each.id)"""
"""What of the page's head lies outside of the window, under something else, or is cut."""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One of their own: what is tried is the draft, and other tests leave drafts of theirs."""
    house = House(tmp_path_factory.mktemp("layout"))
    house.open()
    yield house
    house.server.kill()


def whole(page: Page, target: Locator) -> bool:
    """Whether nothing of it lies outside of the window or under something else."""
    inside: bool = target.evaluate(
        """box => {
          const { left, right, top, bottom } = box.getBoundingClientRect();
          const corners = [[left + 4, top + 4], [right - 4, top + 4], [left + 4, bottom - 4], [right - 4, bottom - 4]];
          return corners.every(([x, y]) => box.contains(document.elementFromPoint(x, y)));
        }"""
    )
    return inside


def try_flow(page: Page) -> None:
    """A first line in the test beside the text, so that there is something to save."""
    page.evaluate("location.hash = 'test'")  # on a phone one of the three panes is shown
    page.get_by_label("Message", exact=True).fill("send money")
    page.get_by_label("Message", exact=True).press("Enter")
    expect(page.locator("[data-part=log] .turn:not(.by-reader)").first).to_be_visible()


@pytest.mark.parametrize("language", ["en-GB", "es-ES"])
@pytest.mark.parametrize("size", SIZES)
def test_everything_in_the_head_of_the_editor_and_of_the_test_console_can_be_seen_and_pressed(
    window: Windows, size: dict[str, Any], language: str
):
    words = {
        "en-GB": ("Save", "Start the test", "New test"),
        "es-ES": ("Guardar", "Empezar la prueba", "Prueba nueva"),
    }[language]
    editor = window("arthur", "/flows/bank/transfer_money/", locale=language, **size)
    expect(editor.locator(".cm-content")).to_be_attached()
    expect(editor.get_by_role("button", name=words[0], exact=True)).to_be_in_viewport(ratio=1)
    assert editor.evaluate(UNREACHABLE) == []

    console = window("arthur", "/test/bank/?new", locale=language, **size)
    console.get_by_role("button", name=words[1]).click()
    expect(console.get_by_role("link", name=words[2])).to_be_in_viewport(ratio=1)
    assert console.evaluate(UNREACHABLE) == []


def test_on_a_narrow_page_the_menu_leads_to_the_history(window: Windows):
    page = window("arthur", "/flows/bank/transfer_money/", **PHONE)

    page.locator(".flowbar summary").tap()
    page.locator(".flowbar").get_by_role("link", name="History").tap()

    expect(page.get_by_role("heading", name="History")).to_be_visible()


@pytest.mark.parametrize("language", ["en-GB", "es-ES"])
@pytest.mark.parametrize("size", SIZES[2:])
def test_on_a_narrow_page_fields_and_text_have_one_row_of_tabs_that_says_which_is_shown(
    window: Windows, size: dict[str, Any], language: str
):
    page = window("arthur", "/flows/bank/transfer_money/", locale=language, **{**size, "color_scheme": "dark"})
    expect(page.locator(".cm-content")).to_be_attached()
    links, tabs = page.locator(".panes a"), page.locator(".studio > .panes, .code .tabs")
    expect(page.locator(".panes [href='#graph']")).to_have_attribute("aria-current", "true")

    for view, pane in (("fields", "[data-panel-body]"), ("yaml", ".cm-content")):
        link = page.locator(f".panes [data-opens='{view}']")
        link.tap()

        expect(page.locator(pane)).to_be_visible()
        expect(tabs.filter(visible=True)).to_have_count(1)
        expect(link).to_have_attribute("aria-current", "true")
        expect(links.and_(page.locator("[aria-current=true]"))).to_have_count(1)
        assert [whole(page, links.nth(at)) for at in range(links.count())] == [True] * 4
        assert violations(page) == []


@pytest.mark.parametrize("width", [1024, 800])
def test_on_a_tablet_text_and_test_share_the_place_beside_the_whole_graph(window: Windows, width: int):
    page = window("arthur", "/flows/bank/transfer_money/", viewport={"width": width, "height": 900})
    expect(page.locator(".cm-content")).to_be_visible()
    expect(page.locator(".panes [data-opens='yaml']")).to_have_attribute("aria-current", "true")
    assert whole(page, page.get_by_role("button", name="Format"))
    assert whole(page, page.locator("[data-step=ask_beneficiary]"))
    assert whole(page, page.locator("[data-step=later]"))

    page.locator(".panes").get_by_role("link", name="Test", exact=True).click()
    expect(page.locator(".cm-content")).to_be_hidden()
    expect(page.locator(".panes [href='#test']")).to_have_attribute("aria-current", "true")
    assert violations(page) == []
    page.get_by_role("button", name="make a transfer", exact=True).click()
    expect(page.locator("[data-part=log] .by-reader")).to_contain_text("make a transfer")
    expect(page.locator("[data-step=ask_beneficiary]")).to_have_attribute("aria-current", "step")

    page.locator("[data-step=refused]").click()
    expect(page.locator("[data-panel-body]")).to_be_visible()
    expect(page.locator("[data-part=log]")).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_line_numbers_hide_the_text_that_is_scrolled_under_them(window: Windows, scheme: str):
    page = window("arthur", "/flows/bank/transfer_money/", color_scheme=scheme)
    page.locator(".cm-scroller").evaluate("each => { each.scrollLeft = 120; }")

    ground = page.locator(".cm-gutters").evaluate("each => getComputedStyle(each).backgroundColor")

    assert ground == page.locator(".editor-area").evaluate("each => getComputedStyle(each).backgroundColor")
    assert ground.startswith("rgb(")


@pytest.mark.parametrize("size", SIZES)
def test_save_as_scenario_opens_whole_with_the_caret_in_its_field_and_esc_leads_back(
    window: Windows, size: dict[str, Any]
):
    page = window("arthur", "/flows/bank/transfer_money/", **size)
    try_flow(page)

    page.locator(".trial .popup-menu summary").click()

    expect(page.locator(".trial .popup-menu").get_by_label("Name")).to_be_focused()
    assert whole(page, page.locator(".trial .popup-menu .menu"))
    assert whole(page, page.locator(".trial .popup-menu").get_by_role("button", name="Save"))
    page.keyboard.press("Escape")
    expect(page.locator(".trial .popup-menu .menu")).to_be_hidden()
    expect(page.locator(".trial .popup-menu summary")).to_be_focused()


def test_after_delete_the_focus_goes_to_the_neighbour_and_undo_and_redo_work_from_the_graph(window: Windows):
    page = window("arthur", "/flows/")
    begin_flow(page, "undone_steps")
    text = WRITTEN.replace("order_cheques", "undone_steps")
    write(page, text)
    steps = page.locator("[data-graph] [data-step]")
    expect(steps).to_have_count(5)

    page.locator('[data-graph] [data-step="sorry"]').focus()
    page.keyboard.press("Delete")
    expect(steps).to_have_count(4)
    expect(page.locator("[data-graph] [data-step]:focus")).to_have_count(1)
    shorter = text_in(page)
    page.keyboard.press("Control+z")
    expect(steps).to_have_count(5)
    assert text_in(page) == text
    expect(page.locator("[data-graph] [data-step]:focus")).to_have_count(1)
    page.keyboard.press("Control+y")
    expect(steps).to_have_count(4)
    assert text_in(page) == shorter
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+Shift+Z")
    expect(steps).to_have_count(4)

    page.locator('[data-graph] [data-step="many"]').focus()
    page.keyboard.press("Alt+ArrowUp")
    expect(steps.first).to_contain_text("many")
    page.keyboard.press("Control+z")
    expect(steps.first).to_contain_text("ask")
    assert text_in(page) == shorter


def test_the_buttons_undo_and_redo_take_back_edits_of_the_graph_and_are_off_while_there_is_none(window: Windows):
    page = window("arthur", "/flows/bank/transfer_money/", ready=keep_no_drafts)
    steps, undo, redo = (
        page.locator("[data-graph] [data-step]"),
        page.locator("[data-undo]"),
        page.locator("[data-redo]"),
    )
    expect(steps).to_have_count(11)
    expect(undo).to_have_attribute("aria-disabled", "true")
    undo.click(force=True)
    before = text_in(page)

    page.locator('[data-graph] [data-step="refused"]').click()
    page.get_by_role("button", name="Delete").click()
    expect(steps).to_have_count(10)
    page.get_by_role("button", name="Undo").click()
    expect(steps).to_have_count(11)
    assert text_in(page) == before
    expect(undo).to_have_attribute("aria-disabled", "true")
    page.get_by_role("button", name="Redo").click()
    expect(steps).to_have_count(10)
    expect(redo).to_have_attribute("aria-disabled", "true")
    page.get_by_role("button", name="Undo").click()
    assert text_in(page) == before


def test_the_keys_of_undo_in_a_field_belong_to_the_field(window: Windows):
    page = window("arthur", "/flows/bank/transfer_money/", ready=keep_no_drafts)
    page.locator('[data-graph] [data-step="refused"]').click()
    page.get_by_role("button", name="Delete").click()
    expect(page.locator("[data-graph] [data-step]")).to_have_count(10)
    after = text_in(page)

    page.locator("#note").click()
    page.keyboard.type("shorter")
    page.keyboard.press("Control+z")

    assert text_in(page) == after


@pytest.mark.parametrize("path", ["/flows/", "/conversations/"])
def test_a_page_without_a_connection_says_nothing_of_one(window: Windows, path: str):
    page = window("arthur", path)

    expect(page.get_by_role("heading").first).to_be_visible()
    expect(page.get_by_text("Connecting")).to_have_count(0)
