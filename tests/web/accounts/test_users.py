"""The pages of users, password links and API tokens."""

import re

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from dialogue.models import ApiToken, AuditEntry
from tests.support.transfers import person
from tests.support.web.pages import text_of
from tests.web.conftest import Browser

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def root(browser_of: Browser) -> Client:
    return browser_of(User.objects.create_superuser("root"))


def link_in(page: str) -> str:
    found = re.search(r'value="http://testserver(/password/[^"]+)"', page)
    assert found
    return found[1]


def test_the_list_says_who_has_which_role_in_words(root: Client):
    person("olga", "Olga Petrov", "operators", "payments")
    person("ursula", "Ursula Berg")

    staff, everyone = text_of(root.get("/users/")), text_of(root.get("/users/", {"role": "everyone"}))

    assert "<bdi>Olga Petrov</bdi>" in staff
    assert '<span class="chip good">Operator</span><span class="chip line">payments</span>' in staff
    assert "Ursula Berg" not in staff
    assert "Ursula Berg" in everyone
    assert "Ursula Berg" in text_of(root.get("/users/", {"role": "customers"}))
    assert "Olga Petrov" not in text_of(root.get("/users/", {"role": "auditors"}))
    assert "Olga Petrov" in text_of(root.get("/users/", {"q": "petrov"}))


def test_the_roles_of_an_account_are_checked_on_its_page(root: Client):
    olga = person("olga", "Olga Petrov", "operators")
    operators, supervisors = (Group.objects.get(name=name).pk for name in ("operators", "supervisors"))

    page = text_of(root.get(f"/users/{olga.pk}/"))

    assert f'name="group" value="{operators}" checked>' in page
    assert f'name="group" value="{supervisors}">' in page


def test_the_list_is_paged_and_asks_as_often_for_one_as_for_many(root: Client):
    person("olga", "Olga", "operators")
    with CaptureQueriesContext(connection) as few:
        root.get("/users/")
    for number in range(60):
        person(f"operator-{number}", f"Operator {number}", "operators")

    with CaptureQueriesContext(connection) as many:
        page = root.get("/users/")

    assert len(many) == len(few)
    assert len(page.context["rows"]) == 50
    assert len(root.get("/users/", {"after": page.context["next"]}).context["rows"]) == 12


def test_a_new_user_sets_a_password_by_link_once_and_signs_in(root: Client, client: Client):
    operators = Group.objects.get(name="operators")
    facts = {"username": "nina", "real_name": "Nina Holm", "email": "", "group": [operators.pk]}
    link = link_in(text_of(root.post("/users/new/", facts)))

    form = client.get(link, follow=True)
    password = {"new_password1": "a long and private sentence", "new_password2": "a long and private sentence"}
    answer = client.post(form.request["PATH_INFO"], password)

    assert answer["Location"] == "/sign-in/"
    assert "Your password is set. Sign in as “nina” with it." in text_of(client.get("/sign-in/"))
    assert client.post("/sign-in/", {"username": "nina", "password": password["new_password1"]}).status_code == 302
    assert "not valid any more" in text_of(Client().get(link, follow=True))
    acts = AuditEntry.objects.filter(act__startswith="account.").order_by("number").values_list("act", flat=True)
    assert list(acts) == ["account.added", "account.password_link", "account.password_set"]


def test_wrong_values_are_said_at_the_field_and_nothing_is_lost(root: Client):
    person("olga", "Olga")

    page = root.post("/users/new/", {"username": "olga", "real_name": "Another Olga"})

    assert page.status_code == 422
    assert "An account with this name exists already." in text_of(page)
    assert 'value="Another Olga"' in text_of(page)


def test_a_second_click_changes_nothing_and_oneself_is_refused(root: Client):
    olga = person("olga", "Olga", "operators")
    own = User.objects.get(username="root")

    for _click in range(2):
        root.post(f"/users/{olga.pk}/active/", {"active": ""})
    refused = text_of(root.post(f"/users/{own.pk}/active/", {"active": ""}, follow=True))

    assert not User.objects.get(pk=olga.pk).is_active
    assert "You cannot change your own account here." in refused
    assert User.objects.get(pk=own.pk).is_active
    assert AuditEntry.objects.filter(act="account.deactivated").count() == 1


def test_a_program_is_added_with_its_role_and_token_on_pages_of_the_console(root: Client, client: Client):
    role = Group.objects.get(name="agent programs")
    form = text_of(root.get("/users/new/", {"kind": "program", "role": "agent programs"}))
    added = root.post("/users/new/?kind=program", {"username": "refunds", "group": [role.pk]}, follow=True)
    page = text_of(added)

    assert f'name="group" value="{role.pk}" checked>' in form
    assert 'name="real_name"' not in form
    assert added.redirect_chain == [("/tokens/?account=refunds&scope=requests", 302)]
    assert "The program “refunds” is added. Now create its token." in page
    assert 'id="token-user" name="username" value="refunds"' in page
    assert 'name="scopes" value="requests" checked' in page
    assert not User.objects.get(username="refunds").has_usable_password()

    limits = {"name": "refunds", "username": "refunds", "extent": "scopes", "scopes": "requests"}
    token = re.search(r'id="token" value="([^"]+)"', text_of(root.post("/tokens/new/", limits)))
    assert token
    request = {
        "id": "r1",
        "dialect": "plain",
        "ask": {"question": "May I?", "actions": ["approve", "reject"]},
        "source": {"name": "refunds", "thread": "t"},
        "timeout": "30m",
        "on_timeout": "reject",
    }
    headers = {"authorization": f"Bearer {token[1]}"}
    answer = client.post("/api/v1/requests", request, content_type="application/json", headers=headers)
    assert answer.status_code == 201
    assert "refunds" in text_of(root.get("/users/"))


def test_people_are_offered_no_roles_of_programs_and_groups_stand_apart_with_their_meaning(root: Client):
    Group.objects.create(name="payments")
    olga = person("olga", "Olga", "operators")

    forms = [text_of(root.get(path)) for path in ("/users/new/", f"/users/{olga.pk}/")]

    assert all("Agent program" not in form for form in forms)
    assert all(form.index("Operator") < form.index("Groups") for form in forms)
    assert all("Flows name the group that answers a gate." in form for form in forms)


def test_a_program_without_that_role_gets_a_token_without_its_scope(root: Client):
    added = root.post("/users/new/?kind=program", {"username": "kitchen"}, follow=True)

    assert added.redirect_chain == [("/tokens/?account=kitchen", 302)]
    assert 'name="scopes" value="requests" checked' not in text_of(added)
    assert root.post("/users/new/?kind=program", {"username": "kitchen"}).status_code == 422


def test_a_program_may_say_who_customers_are_and_report_events_by_its_roles(root: Client):
    roles = Group.objects.filter(name__in=["sign-in programs", "event programs"])
    form = text_of(root.get("/users/new/", {"kind": "program"}))
    facts = {"username": "shop", "group": [role.pk for role in roles]}
    added = root.post("/users/new/?kind=program", facts, follow=True)
    shop = User.objects.get(username="shop")

    assert "<b>Sign-in program</b>" in form
    assert "<b>Event program</b>" in form
    assert added.redirect_chain == [("/tokens/?account=shop&scope=chat&scope=conversations%3Asignal", 302)]
    assert shop.get_all_permissions() == {"dialogue.vouch_conversation", "dialogue.signal_conversation"}
    root.post(f"/users/{shop.pk}/roles/", {"group": []})
    assert User.objects.get(username="shop").get_all_permissions() == set()


@pytest.mark.parametrize("group", ["operators", "supervisors", "flow authors", "auditors", "agent programs"])
def test_who_has_no_permission_in_the_admin_has_none_here(group: str, browser_of: Browser):
    browser = browser_of(person("somebody", "Somebody", group, is_staff=True))

    for path in ("/users/", "/users/new/", "/tokens/"):
        assert browser.get(path).status_code == 404
    assert browser.post("/tokens/new/", {"name": "x", "username": "somebody"}).status_code == 404
    assert "/users/" not in text_of(browser.get("/", follow=True))


def test_a_token_is_shown_once_and_revoked_once(root: Client):
    person("robot", "Robot", "operators")

    page = text_of(root.post("/tokens/new/", {"name": "kitchen", "username": "robot"}))
    row = ApiToken.objects.get()
    found = re.search(r'id="token" value="([^"]+)"', page)
    for _click in range(2):
        root.post(f"/tokens/{row.pk}/revoke/")

    assert found
    assert found[1] not in text_of(root.get("/tokens/"))
    assert row.sha256 not in page
    row.refresh_from_db()
    assert row.revoked_at is not None
    acts = AuditEntry.objects.filter(act__startswith="token.").order_by("number").values_list("act", flat=True)
    assert list(acts) == ["token.made", "token.revoked"]


def test_a_token_needs_an_open_account(root: Client):
    page = root.post("/tokens/new/", {"name": "kitchen", "username": "nobody"})

    assert page.status_code == 422
    assert "There is no open account of this name." in text_of(page)
    assert not ApiToken.objects.exists()
