"""The gate of another system's agent in a real browser: read, changed, approved, and fetched by the agent."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.pages.test_accessibility import violations
from tests.support.browser.house import House
from tests.support.browser.windows import WIDE_AND_NARROW, Windows

pytestmark = pytest.mark.browser

TOKEN = "token-of-the-agent-refunds"
ACCOUNT = f"""
import hashlib
from django.contrib.auth.models import Permission, User
from dialogue.models import ApiToken
user, _ = User.objects.get_or_create(username="refunds-agent")
user.user_permissions.add(Permission.objects.get(codename="ask_agentrequest"))
ApiToken.objects.get_or_create(user=user, name="t", sha256=hashlib.sha256(b"{TOKEN}").hexdigest())
"""
SCHEMA = {
    "type": "object",
    "properties": {
        "amount": {"type": "number", "title": "Amount", "description": "EUR, up to 500", "maximum": 500},
        "order_id": {"type": "string", "title": "Order"},
        "reason": {"enum": ["damaged", "changed_mind", "wrong_item", "late", "other"], "title": "Reason"},
    },
}
REFUND = {
    "action_requests": [
        {
            "name": "issue_refund",
            "args": {"amount": 420, "order_id": "W4120331", "reason": "changed_mind"},
            "description": "May I refund the boat cover in full?",
        }
    ],
    "review_configs": [
        {
            "action_name": "issue_refund",
            "allowed_decisions": ["approve", "edit", "reject", "respond"],
            "args_schema": SCHEMA,
        }
    ],
}


@pytest.mark.parametrize("size", WIDE_AND_NARROW)
def test_a_person_changes_a_call_and_the_agent_gets_it(window: Windows, house: House, size: dict[str, Any]):
    house.server.shell(ACCOUNT)
    ref = f"browser-{size.get('viewport', {}).get('width', 'wide')}"
    body = {
        "id": ref,
        "dialect": "langchain",
        "ask": REFUND,
        "source": {"name": "refunds", "thread": "th_7d21c9", "run": "run_58e0", "link": "https://agents.example/7"},
        "timeout": "30m",
        "on_timeout": "reject",
        "context": [
            "customer: The cover of my Tern 14 came torn. I would like my money back.",
            "agent: You told me a photo is enough. The photo shows a tear of about 30 cm.",
        ],
    }
    asked = house.server.post("/api/v1/requests", body, TOKEN).body
    gate = asked["sessions"][0]["session"]

    olga = window("olga", f"/gates/{gate}/", **size)
    expect(olga.get_by_text("its own words, not checked")).to_be_visible()
    assert violations(olga) == []
    preview = olga.get_by_role("region", name="Exactly this goes back: Approve", exact=True)
    expect(preview).to_have_text(re.compile(r'"type": "approve"'))
    olga.locator("select[name='value.reason_value']").select_option("damaged")
    changed = olga.get_by_role("region", name="Exactly this goes back: Approve with 1 change", exact=True)
    expect(changed.locator("mark")).to_have_text('"reason": "damaged"')
    expect(olga.get_by_text("1 change by you")).to_be_visible()
    olga.locator("[data-way=reject]").click()
    expect(olga.locator("[data-problem]")).to_have_text("“Reject” needs a reason.")
    olga.get_by_label("Message to the agent").fill("Not without a photo")
    expect(olga.locator(".goes-back pre")).to_have_text(re.compile('"message": "Not without a photo"'))
    assert violations(olga) == []
    olga.get_by_role("button", name="Undo").click()
    expect(olga.get_by_role("button", name="Approve with changes", exact=True)).to_be_visible()
    olga.locator("select[name='value.reason_value']").select_option("damaged")
    olga.get_by_role("button", name="Approve with 1 change", exact=True).click()
    expect(olga.locator("#card .decision")).to_contain_text("Approve with changes")
    with olga.expect_download() as download:
        olga.get_by_role("link", name="Signed receipt").click()
    assert download.value.suggested_filename == f"receipt-{gate}.json"
    assert violations(olga) == []

    answer = house.server.get(f"/api/v1/requests/{ref}?wait=5", TOKEN).body
    edited = answer["answer"]["decisions"][0]["edited_action"]["args"]
    assert edited == {"amount": 420, "order_id": "W4120331", "reason": "damaged"}


def test_an_answer_that_the_server_does_not_tell_is_not_shown_as_what_goes_back(window: Windows, house: House):
    house.server.shell(ACCOUNT)
    body = {
        "id": "browser-no-preview",
        "dialect": "langchain",
        "ask": REFUND,
        "source": {"name": "refunds", "thread": "th_7d21c9"},
        "timeout": "30m",
        "on_timeout": "reject",
    }
    asked = house.server.post("/api/v1/requests", body, TOKEN).body
    window.expect("503")
    olga = window("olga", f"/gates/{asked['sessions'][0]['session']}/")
    preview = olga.locator(".goes-back pre")
    expect(preview).to_have_text(re.compile('"type": "approve"'))

    olga.route("**/answers/", lambda route: route.fulfill(status=503))
    olga.locator("select[name='value.reason_value']").select_option("damaged")
    expect(preview).to_be_hidden()

    olga.unroute("**/answers/")
    olga.locator("select[name='value.reason_value']").select_option("late")
    expect(olga.locator(".goes-back mark")).to_have_text('"reason": "late"')
