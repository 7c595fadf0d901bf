"""Pictures of authors at work in light, dark and phone size, and the README's: `make readme-pictures`."""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from tests.browser.author.test_trying import LONG, ask_for_transfer
from tests.support.browser.chromium import SWITCHES, chromium_here
from tests.support.browser.house import House
from tests.support.browser.windows import DESKTOP, PHONE, Windows

FOLDER = Path(__file__).parents[3] / "var" / "screenshots"
README_FOLDER = Path(__file__).parents[3] / "docs" / "images"
SCENARIOS = Path(__file__).parents[2] / "scenarios" / "bank_approvals.yaml"
CHANGED = """
from dialogue.library.documents.versions import Edit, documents_of, save_flow
from dialogue.models import Assistant
bank = Assistant.objects.get(name="bank")
text = documents_of(bank)["transfer_money.yaml"].replace("amount > 5000", "amount > 4000", 1)
text += '  - {step: thanks, type: say, message: "Thank you."}\\n'
save_flow(bank, Edit("transfer_money", text, 1, "A lower limit, and thanks at the end"), None)
"""
SIZES: dict[str, dict[str, Any]] = {
    "light": {**DESKTOP, "color_scheme": "light"},
    "dark": {**DESKTOP, "color_scheme": "dark"},
    "phone": {**PHONE, "color_scheme": "light"},
}


def _chosen(page: Page) -> None:
    page.locator("[data-graph] [data-step=approval]").click()


def _as_it_is(_page: Page) -> None:
    pass


def _tried(page: Page) -> None:
    """Up to a gate that waits in place."""
    page.get_by_role("button", name="Start the test").click()
    expect(page.get_by_text("Live", exact=True)).to_have_count(1)
    ask_for_transfer(page)


def _run(page: Page) -> None:
    """The scenarios were run once, and one of them is open."""
    if not page.locator(".run time").count():
        page.get_by_role("button", name="Run all").click()
    expect(page.locator(".run time").first).to_be_visible(timeout=LONG)
    expect(page.locator("#main[data-running]")).to_have_count(0, timeout=LONG)
    page.locator(".run").first.click()
    page.wait_for_timeout(800)


PAGES: dict[str, tuple[str, Callable[[Page], None]]] = {
    "flows": ("/flows/", _as_it_is),
    "flow": ("/flows/bank/transfer_money/", _chosen),
    "flow-test": ("/flows/bank/transfer_money/#test", ask_for_transfer),
    "flow-text": ("/flows/bank/transfer_money/#source", _as_it_is),
    "history": ("/flows/bank/transfer_money/history/", _as_it_is),
    "compare": ("/flows/bank/transfer_money/compare/?old=1&new=2", _as_it_is),
    "compare-graphs": ("/flows/bank/transfer_money/compare/?old=1&new=2#graphs", _as_it_is),
    "changes": ("/releases/bank/changes/", _as_it_is),
    "scenario-text": ("/scenarios/bank/new/", _as_it_is),
    "publish": ("/releases/bank/publish/", _as_it_is),
    "releases": ("/releases/bank/", _as_it_is),
    "tests": ("/scenarios/bank/", _run),
    "test-console": ("/test/bank/?new", _tried),
    "new-assistant": ("/assistants/new/", _as_it_is),
}
"""The name of a picture, the page, and what is done on it first."""


ROLES: dict[str, tuple[str, str]] = {
    "customer": ("ursula", "/chat/bank/"),
    "operator": ("olga", "/gates/"),
    "supervisor": ("sofia", "/figures/"),
    "author": ("arthur", "/flows/bank/transfer_money/"),
    "auditor": ("audrey", "/audit/?what=gates"),
    "administrator": ("ada", "/users/"),
}
"""The pictures of docs/first_steps.md: a name, who looks, and the page."""


def main(folder: Path = FOLDER, *, readme_only: bool = False) -> None:
    """Start the product with its demo, and look at every page, or only at those of the README."""
    folder.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=LONG)
    house = House(Path(tempfile.mkdtemp(prefix="soni-screenshots-")))
    house.open()
    house.decide(house.transfer("Anna Berg"), "approve", who="olga")
    house.decide(house.transfer("Nordwind GmbH"), "reject", reason="The payee is not known.")
    house.transfer()
    if not readme_only:
        house.server.manage("load_scenarios", "bank", str(SCENARIOS))
        house.server.shell(CHANGED)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium_here(), args=SWITCHES)
            if not readme_only:
                _look(Windows(browser, house), folder)
            _look_as_each_role(Windows(browser, house))
            browser.close()
    finally:
        house.server.kill()


def _look(windows: Windows, folder: Path) -> None:
    for size, options in SIZES.items():
        for name, (path, before) in PAGES.items():
            page = windows("arthur", path, **options)
            page.wait_for_timeout(1200)  # drawn, checked, and nothing moves any more
            before(page)
            page.wait_for_timeout(300)
            page.screenshot(path=folder / f"{name}-{size}.png")
    windows.close()
    print(*sorted(each.name for each in folder.glob("*.png")), sep="\n")


def _look_as_each_role(windows: Windows) -> None:
    """One picture a role for docs/first_steps.md, 1,100 pixels wide, one device pixel each; and the README's gate."""
    README_FOLDER.mkdir(exist_ok=True)
    page = windows("olga", "/gates/", viewport={"width": 1440, "height": 900}, color_scheme="light")
    page.locator("[data-row]").first.click()
    page.wait_for_timeout(1500)
    page.screenshot(path=README_FOLDER / "gate.png")
    for name, (who, path) in ROLES.items():
        page = windows(who, path, viewport={"width": 1100, "height": 690}, color_scheme="light")
        page.wait_for_timeout(1500)
        if name == "operator":
            page.locator("[data-row]").first.click()
            page.wait_for_timeout(1500)
        page.screenshot(path=README_FOLDER / f"{name}.png")
    windows.close()


if __name__ == "__main__":
    pytest.MonkeyPatch().setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    arguments = [argument for argument in sys.argv[1:] if argument != "--readme"]
    main(Path(arguments[0]) if arguments else FOLDER, readme_only="--readme" in sys.argv)
