"""Django's admin: read by who may, changed by nobody, but for people, groups and tokens."""

import re

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, Permission, User

from dialogue.admin.reading import ReadOnlyAdmin
from dialogue.audit import chain
from dialogue.audit.chain import CONSOLE, Act
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer
from dialogue.models import ApiToken, AuditEntry, HITLSession
from dialogue.turns import clock
from tests.support.web.pages import text_of

RECORDS = [model for model, site in admin.site._registry.items() if isinstance(site, ReadOnlyAdmin)]


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root")


@pytest.fixture
def entry(session, olga) -> AuditEntry:
    act = Act("session.claim", "Olga Petrov", olga.user, subject=session.name, detail={"reason": "asked by phone"})
    return chain.record(CONSOLE, [act], clock.now())[0]


@pytest.mark.parametrize("model", RECORDS, ids=lambda model: model.__name__)
def test_not_even_a_superuser_adds_changes_or_deletes_a_record(browser_of, root, entry, model):
    browser = browser_of(root)
    home = f"/admin/dialogue/{model._meta.model_name}/"
    row = model.objects.first()

    assert browser.get(home).status_code == 200
    assert browser.get(f"{home}add/").status_code == 403
    assert browser.post(home, {"action": "delete_selected", "_selected_action": "1"}).status_code in (200, 302, 403)
    if row is not None:
        assert browser.get(f"{home}{row.pk}/change/").status_code == 200
        assert browser.post(f"{home}{row.pk}/change/", {}).status_code == 403
        assert browser.post(f"{home}{row.pk}/delete/", {"post": "yes"}).status_code == 403
        assert model.objects.filter(pk=row.pk).exists()


def test_an_operator_sees_the_own_acts_and_an_auditor_all(browser_of, entry, olga, oscar, audrey):
    User.objects.update(is_staff=True)
    home = f"/admin/dialogue/auditentry/?subject={entry.subject}"

    assert "session.claim" in text_of(browser_of(olga).get(home))
    assert browser_of(olga).get(f"/admin/dialogue/auditentry/{entry.pk}/change/").status_code == 200
    assert browser_of(audrey).get(f"/admin/dialogue/auditentry/{entry.pk}/change/").status_code == 200
    assert browser_of(oscar).get(f"/admin/dialogue/auditentry/{entry.pk}/change/").status_code in (302, 403, 404)


def test_an_operator_does_not_read_transcripts_of_other_queues_through_the_admin(browser_of, session, olga):
    User.objects.update(is_staff=True)

    assert browser_of(olga).get("/admin/dialogue/message/").status_code == 403
    assert browser_of(olga).get("/admin/dialogue/conversation/").status_code == 403


def test_a_token_is_created_on_the_page_of_the_console_only(browser_of, root, olga):
    User.objects.filter(pk=olga.user).update(is_staff=True)
    address = "/admin/dialogue/apitoken/add/"

    assert browser_of(root).get(address).url == "/tokens/?new"
    assert browser_of(root).post(address, {"user": root.pk, "name": "nightly"}).url == "/tokens/?new"
    assert browser_of(olga).get(address).status_code == 403
    assert not ApiToken.objects.exists()


def test_the_list_of_tokens_says_what_they_may_do(browser_of, root):
    ApiToken.objects.create(user=root, name="nightly", sha256="0" * 64)
    ApiToken.objects.create(user=root, name="hourly", sha256="1" * 64, scopes=["flows:read"])

    page = text_of(browser_of(root).get("/admin/dialogue/apitoken/"))

    assert "All that the account may do" in page
    assert "Read flows" in page
    assert "No end date" in page


def test_the_list_of_gates_says_what_was_decided(browser_of, root, session):
    HITLSession.objects.filter(pk=session.pk).update(
        state="submitted", handle="reject", decided_as="Olga Petrov", decided_at=clock.now()
    )

    row = text_of(browser_of(root).get("/admin/dialogue/hitlsession/"))

    assert "Rejected" in row
    assert "Olga Petrov" in row


def test_a_revoked_token_stays_on_record(browser_of, root):
    token = ApiToken.objects.create(user=root, name="nightly", sha256="0" * 64)

    browser_of(root).post("/admin/dialogue/apitoken/", {"action": "revoke", "_selected_action": str(token.pk)})

    token.refresh_from_db()
    assert token.revoked_at is not None
    assert AuditEntry.objects.filter(act="token.revoked").count() == 1
    page = text_of(browser_of(root).get("/admin/dialogue/apitoken/"))
    assert re.search(r'<span class="chip ?">.*Revoked</span>', page)


def test_a_person_is_shown_in_words_with_the_way_to_the_console(browser_of, root, olga):
    page = browser_of(root).get(f"/admin/auth/user/{olga.user}/change/")

    assert f'<a class="btn" href="/users/{olga.user}/">' in text_of(page)
    assert "pbkdf2" not in text_of(page)
    assert "View audit entries" in text_of(page)
    assert "See every conversation" in text_of(page)
    assert "Authentication and Authorization | " not in text_of(page)


def test_a_superuser_changes_all_that_a_person_may_do(browser_of, root, olga):
    permission = Permission.objects.get(codename="view_auditentry")
    group = Group.objects.create(name="night shift")
    fields = {"username": "olga", "first_name": "Olga", "email": "olga@bank.example", "is_staff": "on"}
    wanted = {**fields, "groups": [group.pk], "user_permissions": [permission.pk]}

    browser_of(root).post(f"/admin/auth/user/{olga.user}/change/", wanted)

    changed = User.objects.get(pk=olga.user)
    assert (changed.email, changed.is_active, changed.is_staff) == ("olga@bank.example", False, True)
    assert [*changed.groups.all()] == [group]
    assert [*changed.user_permissions.all()] == [permission]


def test_the_page_of_a_gate_says_on_top_what_was_asked_and_who_decided_what(browser_of, root, session):
    page = browser_of(root).get(f"/admin/dialogue/hitlsession/{session.pk}/change/")
    HITLSession.objects.filter(pk=session.pk).update(
        state="submitted", handle="reject", decided_as="Olga Petrov", decided_at=clock.now(), decided_through="page"
    )
    decided = browser_of(root).get(f"/admin/dialogue/hitlsession/{session.pk}/change/")

    assert "asked staff on" in text_of(page)
    assert "Nobody has decided yet." in text_of(page)
    assert "Olga Petrov rejected on" in text_of(decided)
    assert "in the browser." in text_of(decided)
    assert "Delivery to the conversation</h2>" not in text_of(page)  # a part without a value
    headings = ("Request</h2>", "Decision</h2>", "Dates and deadlines</h2>", "Technical details</h2>")
    places = [text_of(page).index(heading) for heading in headings]
    assert places == sorted(places)


def test_an_audit_entry_shows_its_facts_in_words_with_links(browser_of, audrey, session, olga):
    User.objects.filter(pk=audrey.user).update(is_staff=True)
    service.submit(session.pk, olga, Answer("reject", {"reason": "IBAN is wrong"}))
    entry = AuditEntry.objects.get(act="session.submit")

    page = text_of(browser_of(audrey).get(f"/admin/dialogue/auditentry/{entry.pk}/change/"))

    assert "<dt>Answer</dt>" in page
    assert "<dt>Reason</dt>" in page
    assert f'href="/gates/{session.name}/"' in page
    assert f'href="/conversations/{session.conversation_id}/"' in page
    assert "{" not in page[page.index("Recorded facts") : page.index("Place in the chain")]


def test_the_list_of_the_audit_says_what_an_entry_is_about(browser_of, root, session, olga):
    service.claim(session.pk, olga)
    browser = browser_of(root)
    browser.get("/admin/dialogue/conversation/")

    page = text_of(browser.get("/admin/dialogue/auditentry/"))

    assert "Conversations (list)" in page
    assert "Approve transfer" in page
    assert page.count(f">{session.name}</a>") == 1, "the sentence has the link"
    assert "data-seconds" in page
