"""The console in somebody else's project, from the first sign-in to the reply, at /soni/."""

import re

import pytest
from playwright.sync_api import Page, expect

from dialogue.conf import SETTINGS
from tests.second_project.shop import GUIDE, Shop, Visits
from tests.support.browser.chats import answer, write
from tests.support.processes.server import wait_for

pytestmark = [pytest.mark.journey, pytest.mark.browser]


def ask_for_refund(customer: Page, order: str) -> None:
    """Up to the answer that a colleague looks at it."""
    write(customer, "I want a refund")
    expect(answer(customer, "Which order?")).to_be_visible()
    write(customer, order)
    expect(answer(customer, f"A colleague looks at order {order}.")).to_be_visible()


def test_the_project_has_nothing_to_mend_and_a_misspelt_setting_is_told(shop: Shop):
    assert "no issues" in shop.manage("check")
    assert "No changes detected" in shop.manage("makemigrations", "--check", "--dry-run")
    printed = shop.manage("shell", "-v0", "-c", "import dialogue; print(dialogue.__file__)")
    assert "packages" in printed

    (shop.folder / "misspelt.py").write_text('from shop.settings import *\nSONI = {"NLU_MODLE": "x"}\n')
    told = shop.try_manage("check", DJANGO_SETTINGS_MODULE="misspelt")

    assert told.returncode == 1
    assert 'SONI["NLU_MODLE"] is not a setting of the console.' in told.stderr
    assert 'Did you mean "NLU_MODEL"?' in told.stderr


def test_an_operator_signs_in_at_the_shop_and_answers_a_gate_that_comes_live(visit: Visits):
    olga = visit("/soni/gates/", "olga")
    expect(olga.get_by_text("Live", exact=True)).to_be_visible()
    customer = visit("/soni/chat/shop/")

    ask_for_refund(customer, "4711")
    expect(customer.get_by_text("A colleague is deciding.")).to_be_visible()
    olga.get_by_role("button", name="1 new").click()
    olga.locator("[id^=row-] a").first.click()
    expect(olga).to_have_url(re.compile("/soni/gates/g[0-9]+/"))
    olga.get_by_label("Percent").fill("150")
    olga.get_by_role("button", name="Approve").click()
    expect(olga.get_by_role("alert")).to_contain_text("1 of 1 fields needs a change")
    olga.get_by_label("Percent").fill("80")
    olga.get_by_role("button", name="Approve").click()

    expect(olga.get_by_role("heading", name="olga@shop.example approved this")).to_be_visible()
    expect(answer(customer, "Your refund is on its way, reference R-4711.")).to_be_visible()


def test_a_manager_answers_by_the_link_in_a_mail(visit: Visits, shop: Shop):
    earlier = shop.links_in_mails()
    customer = visit("/soni/chat/shop/")
    ask_for_refund(customer, "4712")

    [link] = wait_for(lambda: shop.links_in_mails() - earlier)
    manager = visit(link.removeprefix(shop.url))
    manager.get_by_role("radio", name=re.compile("^Approve")).check()
    manager.get_by_label("Percent").fill("100")
    manager.get_by_role("button", name="Send my answer").click()

    expect(manager.get_by_role("heading", name="Thank you")).to_be_visible()
    expect(answer(customer, "Your refund is on its way, reference R-4712.")).to_be_visible()


def test_an_author_edits_and_tries_a_flow(visit: Visits):
    arthur = visit("/soni/flows/shop/get_refund/", "arthur")
    expect(arthur.locator(".cm-editor")).to_be_visible()
    expect(arthur.locator(".cm-content")).to_contain_text("Give a customer their money back")
    arthur.locator(".cm-content").click()
    arthur.keyboard.press("Control+End")
    arthur.keyboard.type("\n  - {step: nothing, type: soy}")
    expect(arthur.locator("[data-problems] [data-at]").first).to_be_visible()

    arthur.goto(re.sub("/soni/.*", "/soni/test/shop/", arthur.url))
    arthur.get_by_label("What to test").select_option("Release 1 (active)")  # the draft with its error is kept
    arthur.get_by_role("button", name="Start the test").click()
    expect(arthur).to_have_url(re.compile("/soni/test/shop/[0-9a-f-]{36}/"))
    write(arthur, "I want a refund")
    expect(arthur.get_by_text("Which order?").first).to_be_visible()


def test_the_admin_is_the_shops_with_the_consoles_records_and_tokens_in_it(visit: Visits, shop: Shop):
    boss = visit("/account/login/?next=/backstage/", "boss")
    expect(boss.locator("#site-name")).to_have_text("Backstage of the shop")
    expect(boss.locator("#customers-customer")).to_contain_text("Customers")
    assert boss.locator("link[href*='dialogue']").count() == 0

    boss.goto(f"{shop.url}/backstage/dialogue/apitoken/add/")
    expect(boss).to_have_url(f"{shop.url}/soni/tokens/?new")
    boss.get_by_label("What it is for").fill("a program")
    boss.get_by_label("Account", exact=True).fill("boss@shop.example")
    boss.get_by_label("All that the account may do").check()
    boss.get_by_role("button", name="Create token").click()
    token = boss.get_by_label("Token", exact=True).input_value()
    assert shop.get("/soni/api/v1/sessions", token)[0] == 200
    assert shop.get("/soni/api/v1/sessions")[0] == 401

    audrey = visit("/account/login/?next=/backstage/dialogue/auditentry/verify/", "audrey")
    audrey.get_by_role("link", name="Start the check").click()
    expect(audrey.locator("[data-state=good]")).to_contain_text("all are as they were recorded")


def test_the_api_describes_itself_below_the_prefix(shop: Shop):
    status, described = shop.get("/soni/api/v1/openapi.json")

    assert status == 200
    assert all(path.startswith("/soni/api/v1/") for path in described["paths"])


def test_the_shops_own_pages_are_as_they_were(visit: Visits, shop: Shop):
    page = visit("/")
    expect(page.get_by_role("heading")).to_have_text("Welcome to the shop")
    visit.expect("status of 404")
    for path in ("/no-such-page/", "/soni/no-such-page/"):
        page.goto(shop.url + path)
        expect(page.get_by_role("heading")).to_have_text("The shop has no such page")
    page.goto(f"{shop.url}/soni/")
    expect(page.get_by_role("heading")).to_have_text("Sign in to the shop")


def test_the_guides_table_has_every_setting():
    rows = [line for line in GUIDE.read_text().splitlines() if line.startswith("| `") and "environment" not in line]
    documented = {name for row in rows for name in re.findall("`([A-Z_]+)`", row.split("|")[1])}

    assert documented == set(SETTINGS)


SCENARIO = """
assistant: ../flows
stubs:
  refund: [{returns: {reference: R-1}}]
scenarios:
  - name: A refund is approved
    turns:
      - user: I want a refund
        commands: [{start_flow: get_refund}]
      - user: "4711"
        commands: [{set_slot: {order: "4711"}}]
      - operator: {submit: {step: approval, action: approve, values: {percent: 80}}, as: Olga}
        expect: {messages: [{done: {contains: reference R-1}}]}
"""


def test_scenarios_play_people_who_sign_in_by_email(shop: Shop):
    file = shop.folder / "shop" / "scenarios" / "refund.yaml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(SCENARIO)

    assert "1 of 1 scenarios" in shop.manage("run_scenarios", str(file.parent))


def test_a_started_assistant_has_tests_that_pass_in_the_project(shop: Shop):
    printed = shop.manage("startassistant", "returns", "--title", "Returns")

    assert '["shop.actions", "returns.actions"]' in printed.replace("'", '"')
    assert "6 passed" in shop.run_tests("returns")
