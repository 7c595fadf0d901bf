"""The pages of webhooks: who may change them, what is shown once, what was delivered."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from dialogue.desk.webhooks import signed_posts
from dialogue.desk.webhooks.endpoints import add_endpoint
from dialogue.desk.webhooks.event_bodies import INCIDENT_TYPES
from dialogue.models import Assistant, AuditEntry, Conversation, WebhookDelivery, WebhookEndpoint
from dialogue.turns import clock
from dialogue.web.integrate.webhooks import TYPES
from tests.support.transfers import person
from tests.support.web.pages import text_of

pytestmark = pytest.mark.django_db
URL = "https://hooks.example/soni"


@pytest.fixture(autouse=True)
def public_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every name leads to one public address, and nothing is looked up."""
    monkeypatch.setattr("dialogue.desk.webhooks.endpoints.public_addresses", lambda _host, _port: ["93.184.216.34"])


@pytest.fixture
def sofia(client: Client) -> User:
    account = person("sofia", "Sofia Berg", "supervisors")
    client.force_login(account)
    return account


@pytest.fixture
def endpoint(sofia: User) -> WebhookEndpoint:
    return add_endpoint(URL, ["decisions"], sofia)[0]


def delivery(endpoint: WebhookEndpoint, **changes: object) -> WebhookDelivery:
    facts = {"type": "decision.submitted", "body": '{"type": "decision.submitted"}', "state": "delivered", **changes}
    return WebhookDelivery.objects.create(endpoint=endpoint, made_at=clock.now(), due_at=clock.now(), **facts)


def test_the_secret_of_a_new_webhook_is_shown_once(client: Client, sofia: User):
    Assistant.objects.create(name="bank", title="Harbour Bank")
    answer = client.post("/webhooks/", {"url": URL, "kind": ["messages"], "assistant": "bank", "texts": "on"})

    row = WebhookEndpoint.objects.get()
    assert row.assistant is not None
    assert (row.messages, row.decisions, row.with_texts, row.assistant.name) == (True, False, True, "bank")
    assert "whsec_" in text_of(answer)
    assert "no-store" in answer["Cache-Control"]
    assert "whsec_" not in text_of(client.get(f"/webhooks/{row.pk}/"))
    assert URL in text_of(client.get("/webhooks/"))


@pytest.mark.parametrize(
    ("form", "reason"),
    [({"url": "http://hooks.example/", "kind": "messages"}, "https://"), ({"url": URL}, "at least one")],
)
def test_what_is_refused_comes_back_with_the_reason(client: Client, sofia: User, form, reason: str):
    answer = client.post("/webhooks/", form)

    assert answer.status_code == 422
    assert reason in text_of(answer)
    assert form["url"] in text_of(answer)
    assert 'id="new-title"' in text_of(answer)
    assert not WebhookEndpoint.objects.exists()


def test_an_address_in_a_private_network_is_refused(client: Client, sofia: User, monkeypatch):
    monkeypatch.setattr("dialogue.desk.webhooks.endpoints.public_addresses", signed_posts.public_addresses)

    answer = client.post("/webhooks/", {"url": "https://169.254.169.254/", "kind": "messages"})

    assert "private network" in text_of(answer)


def test_the_form_of_a_new_webhook_is_behind_a_button_where_there_is_one(client: Client, endpoint: WebhookEndpoint):
    plain, asked_for = text_of(client.get("/webhooks/")), text_of(client.get("/webhooks/?new"))

    assert 'href="?new"' in plain and 'id="new-title"' not in plain
    assert 'href="?new"' not in asked_for and 'id="new-title"' in asked_for


def test_the_list_of_webhooks_is_paged_with_a_fixed_number_of_queries(client: Client, endpoint: WebhookEndpoint):
    with CaptureQueriesContext(connection) as few:
        client.get("/webhooks/")
    for number in range(30):
        WebhookEndpoint.objects.create(url=f"{URL}/{number}", made_at=clock.now())
    with CaptureQueriesContext(connection) as many:
        first = client.get("/webhooks/")
    second = client.get("/webhooks/", {"after": first.context["next"]})

    assert len(many) == len(few)
    assert [text_of(page).count("data-row") for page in (first, second)] == [25, 6]
    assert second.context["next"] is None
    assert client.get("/webhooks/", {"after": "x"}).status_code == 404


def test_deliveries_are_paged_and_filtered_with_a_fixed_number_of_queries(client: Client, endpoint: WebhookEndpoint):
    delivery(endpoint, type="webhook.test", state="failed", status=500)
    page = f"/webhooks/{endpoint.pk}/"
    with CaptureQueriesContext(connection) as few:
        client.get(page)
    for _number in range(60):
        delivery(endpoint)
    with CaptureQueriesContext(connection) as many:
        first = text_of(client.get(page))

    assert len(many) == len(few)
    assert first.count("/deliveries/") == 50
    assert "?after=" in first
    assert text_of(client.get(page, {"state": "failed"})).count("/deliveries/") == 1
    assert text_of(client.get(page, {"event": "webhook.test"})).count("/deliveries/") == 1
    assert "No delivery fits" in text_of(client.get(page, {"event": "webhook.test", "state": "pending"}))
    assert f'href="{page}?state=failed"' in first
    assert f'href="{page}?event=webhook.test&amp;state=failed"' in text_of(client.get(page, {"event": "webhook.test"}))
    for wrong in ({"state": "x"}, {"event": "x"}, {"after": "x"}):
        assert client.get(page, wrong).status_code == 404


@pytest.mark.parametrize(
    ("changes", "act"),
    [
        ({}, "test"),
        ({"succeeded_at": datetime(2026, 11, 23, tzinfo=UTC)}, ""),
        ({"state": "paused", "paused_because": "person"}, "resume"),
        ({"state": "paused", "paused_because": "failing"}, "test"),
    ],
)
def test_the_page_proposes_what_is_next(
    client: Client, endpoint: WebhookEndpoint, changes: dict[str, object], act: str
):
    WebhookEndpoint.objects.update(**changes)

    response = client.get(f"/webhooks/{endpoint.pk}/")

    assert response.context["next_act"] == act


def test_a_paused_webhook_says_what_waits_and_what_does_not(client: Client, endpoint: WebhookEndpoint):
    WebhookEndpoint.objects.update(state="paused", paused_because="failing", paused_at=clock.now())
    page = f"/webhooks/{endpoint.pk}/"
    delivery(endpoint, type="webhook.test", state="failed", status=500)
    before = text_of(client.get(page))
    delivery(endpoint, state="failed", status=500)

    assert "the events that wait are sent" in before and "Failed deliveries are not sent again" not in before
    assert "Failed deliveries are not sent again" in text_of(client.get(page))


def test_a_delivery_shows_its_body_and_the_answer_as_text(client: Client, endpoint: WebhookEndpoint):
    row = delivery(
        endpoint, state="failed", status=500, answer="<script>alert(1)</script>", error="The address answered 500."
    )
    page = text_of(client.get(f"/deliveries/{row.pk}/"))

    assert "&lt;script&gt;" in page
    assert row.webhook_id in page
    assert "The address answered 500." in page


def test_a_delivery_lists_its_attempts_newest_first(client: Client, endpoint: WebhookEndpoint):
    at = clock.now().isoformat()
    log = [
        {"at": at, "status": None, "milliseconds": None, "error": "Connection refused"},
        {"at": at, "status": 503, "milliseconds": 84, "error": "The address answered 503."},
    ]
    row = delivery(endpoint, state="failed", status=503, attempts=2, attempt_log=log)
    older = delivery(endpoint, status=200, milliseconds=12, attempts=4, tried_at=clock.now())

    page = text_of(client.get(f"/deliveries/{row.pk}/"))

    assert page.index("The address answered 503.") < page.index("Connection refused")
    assert "84 ms" in page
    assert '<summary class="btn main">' in page
    assert "12 ms" in text_of(client.get(f"/deliveries/{older.pk}/"))


def test_a_delivery_behind_a_pending_one_of_its_conversation_says_so(
    client: Client, endpoint: WebhookEndpoint, conversation: Conversation
):
    waiting = {"state": "pending", "delivered_at": None, "conversation": conversation}
    first = delivery(endpoint, error="The address answered 503.", status=503, **waiting)
    second = delivery(endpoint, **waiting)
    other = delivery(endpoint, state="pending", delivered_at=None)

    page = text_of(client.get(f"/deliveries/{second.pk}/"))
    rows = client.get(f"/webhooks/{endpoint.pk}/").context["rows"]

    assert "sent in order" in page and f'href="/deliveries/{first.pk}/"' in page
    assert "sent in order" not in text_of(client.get(f"/deliveries/{first.pk}/"))
    assert {row["row"].pk: row["waits_for"] for row in rows} == {first.pk: "", second.pk: "earlier", other.pk: ""}


@pytest.mark.parametrize(
    ("changes", "paused", "said"),
    [
        ({"state": "failed", "error": "The address answered 500.", "status": 500}, False, "Repair the receiver, then"),
        ({"state": "failed", "type": "webhook.test", "error": "No answer."}, False, "then send another test"),
        ({"state": "pending"}, True, "It is sent when the webhook is resumed"),
        ({"state": "pending", "error": "No answer.", "attempts": 9}, False, "1 attempt is left"),
        ({"state": "pending"}, False, "Load this page again"),
        ({"state": "delivered"}, False, "There is nothing to do"),
    ],
)
def test_a_delivery_says_what_to_do_next(
    client: Client, endpoint: WebhookEndpoint, changes: dict[str, object], paused: bool, said: str
):
    if paused:
        WebhookEndpoint.objects.update(state="paused", paused_because="person")
    row = delivery(endpoint, **changes)

    assert said in text_of(client.get(f"/deliveries/{row.pk}/"))


def test_a_second_resend_says_that_it_is_on_its_way(client: Client, endpoint: WebhookEndpoint):
    row = delivery(endpoint)

    first = client.post(f"/deliveries/{row.pk}/resend/", follow=True)
    second = client.post(f"/deliveries/{row.pk}/resend/", follow=True)

    assert "sent again" in text_of(first)
    assert "on its way already" in text_of(second)
    assert AuditEntry.objects.filter(act="webhook.resent").count() == 1


def test_it_is_tested_paused_resumed_changed_and_deleted(client: Client, endpoint: WebhookEndpoint):
    page = f"/webhooks/{endpoint.pk}/"
    client.post(page + "test/")
    assert WebhookDelivery.objects.get().type == "webhook.test"
    client.post(page + "pause/")
    endpoint.refresh_from_db()
    assert endpoint.state == "paused"
    client.post(page + "resume/")
    client.post(page + "change/", {"kind": ["incidents"]})
    endpoint.refresh_from_db()
    assert (endpoint.state, endpoint.decisions, endpoint.incidents) == ("active", False, True)
    assert client.post(page + "change/", {}).status_code == 422
    assert "whsec_" in text_of(client.post(page + "secret/"))
    assert client.post(page + "explode/").status_code == 404
    assert client.post(page + "delete/", follow=True).status_code == 200
    assert not WebhookEndpoint.objects.exists()
    assert client.post(page + "delete/").status_code == 404


def test_the_record_tells_each_change_in_words(client: Client, endpoint: WebhookEndpoint):
    client.post(f"/webhooks/{endpoint.pk}/pause/")

    page = text_of(client.get("/audit/"))

    assert "added a webhook to <bdi>hooks.example</bdi>" in page


def test_every_type_of_event_is_in_the_guide():
    guide = Path("docs/webhooks.md").read_text()

    assert [name for name in (*TYPES, *INCIDENT_TYPES.values()) if f"`{name}`" not in guide] == []
