"""Django's admin stands in the frame of the console and speaks its words."""

import re

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from dialogue.admin.reading import ReadOnlyAdmin
from dialogue.audit import chain
from dialogue.audit.chain import CONSOLE, Act
from dialogue.models import ApiToken, Conversation, HITLSession, Message
from dialogue.turns import clock
from soni_admin.records.kinds import GROUPS, SENTENCES
from tests.support.transfers import person
from tests.support.web.pages import text_of
from tests.web.conftest import Browser

DJANGO_WORDS = (
    "to change",
    "this object",
    "Save and continue editing",
    "Password-based authentication",
    "Django administration",
    "Authentication and Authorization",
    "icon-addlink",
    "icon-yes",
    "admin/css/base.css",
    "Site administration",
    "View audit entry",
    ">Change user<",
    "Log out",
)
SPANISH = {"Accept-Language": "es"}


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root")


@pytest.fixture
def ana(db: None) -> User:
    return person("ana.ruiz", "Ana Ruiz")


@pytest.fixture
def browser(browser_of: Browser, root: User) -> Client:
    return browser_of(root)


def pages(person_number: int) -> list[str]:
    people, groups = "/admin/auth/user/", "/admin/auth/group/"
    person_page = f"{people}{person_number}"
    lists = [f"/admin/{model._meta.app_label}/{model._meta.model_name}/" for model in admin.site._registry]
    forms = [f"{person_page}/change/", f"{groups}add/"]
    below = [f"{person_page}/password/", f"{person_page}/history/", f"{person_page}/delete/"]
    return [
        "/admin/",
        "/admin/password_change/",
        "/admin/dialogue/",
        "/admin/dialogue/auditentry/1/change/",
        *lists,
        *forms,
        *below,
    ]


def test_every_page_has_the_navigation_of_the_console_and_none_of_djangos_words(browser, ana, session):
    chain.record(CONSOLE, [Act("user.renamed", "Ana Ruiz", ana.pk)], clock.now())

    for address in pages(ana.pk):
        page = browser.get(address)
        shown = text_of(page)
        assert page.status_code == 200, address
        assert '<nav class="rail"' in shown, address
        assert [word for word in DJANGO_WORDS if word in shown] == [], address


def test_the_entry_of_the_navigation_and_the_tab_are_marked(browser):
    shown = text_of(browser.get("/admin/"))

    assert re.search(r'<a[^>]* href="/users/"[^>]* aria-current="page"', shown)
    assert '<a href="/admin/" aria-current="page">Records</a>' in shown


def test_every_model_has_a_group_and_a_sentence_on_the_index(browser):
    grouped = [name for _title, names in GROUPS for name in names]

    assert sorted(grouped) == sorted(SENTENCES) == sorted(model.__name__ for model in admin.site._registry)
    assert "Others" not in text_of(browser.get("/admin/"))


def test_the_index_leads_to_the_page_of_the_console_about_the_same_rows(browser):
    shown = text_of(browser.get("/admin/"))

    assert 'href="/gates/">Open the Gates page' in shown
    assert 'href="/audit/">Open the Audit page' in shown


def test_a_person_is_the_title_of_the_own_page_with_the_way_back(browser, ana):
    page = text_of(browser.get(f"/admin/auth/user/{ana.pk}/change/"))

    assert "<title>Ana Ruiz · Soni</title>" in page
    assert '<a href="/admin/auth/user/" data-key="Escape">Users</a>' in page
    assert "<bdi>Ana Ruiz</bdi>" in page


def test_the_list_of_users_shows_names_roles_and_states(browser, ana):
    ana.groups.add(Group.objects.get(name="operators"))

    page = text_of(browser.get("/admin/auth/user/"))

    assert "<bdi>Ana Ruiz</bdi> <small>ana.ruiz</small>" in page
    assert '<span class="chip good">Operator</span>' in page
    assert 'data-label="Last sign-in"' in page, "phones show the title of a column beside its cell"


def test_users_are_filtered_by_what_they_may_open(browser, ana):
    User.objects.filter(pk=ana.pk).update(is_active=False)

    def shown(access: str) -> str:
        return text_of(browser.get("/admin/auth/user/", {"access": access}))

    assert "Ana Ruiz" in shown("closed")
    assert "Ana Ruiz" not in shown("is_active")
    assert "Nothing fits this search" not in shown("is_superuser")


def test_an_account_is_added_with_the_form_of_the_console(browser):
    assert browser.get("/admin/auth/user/add/")["Location"] == "/users/new/"
    assert browser.post("/admin/auth/user/add/", {"username": "nightly"})["Location"] == "/users/new/"
    assert not User.objects.filter(username="nightly").exists()


def test_permissions_that_change_nothing_say_so(browser):
    page = text_of(browser.get(f"/admin/auth/group/{Group.objects.get(name='auditors').pk}/change/"))

    assert page.count("These records can only be read.") == 4
    assert page.index("View conversations") < page.index("People and access")
    assert page.index("View flows") < page.index("Change flows") < page.index("Publish and roll back releases")


def test_what_can_be_done_with_selected_rows_has_a_button_each(browser, ana):
    ApiToken.objects.create(name="nightly", user=ana, sha256="0" * 64)

    assert ">Revoke the selected API tokens</button>" in squeezed(browser.get("/admin/dialogue/apitoken/"))
    assert ">Delete selected users</button>" in squeezed(browser.get("/admin/auth/user/"))


def squeezed(response) -> str:
    return re.sub(r"\s*([<>])\s*", r"\1", text_of(response))


def test_a_decided_gate_says_each_thing_once(browser, session):
    session.state, session.handle, session.decided_through = "submitted", "approve", "api"
    session.decided_by, session.decided_as, session.decided_at = None, "Olga Petrov", clock.now()
    session.save()

    page = text_of(browser.get(f"/admin/dialogue/hitlsession/{session.pk}/change/"))
    row = text_of(browser.get("/admin/dialogue/hitlsession/"))

    assert "<span>Outcome</span>" not in page and "<span>Expires at</span>" not in page
    assert '<div class="readonly">Approved</div>' in page
    assert "through the API." in page and "<span>Decided through</span>" not in page
    assert "<span>Title</span>" not in page and "<span>At stake</span>" not in page
    assert "Send money › Approve transfer" in row
    assert re.search(r'data-label="Expires"\s+data-empty', row)


def test_the_answer_of_a_customer_is_no_state(browser, session):
    answer = {"state": "submitted", "handle": "yes", "decided_at": clock.now(), "decided_as": "Ursula"}
    HITLSession.objects.filter(pk=session.pk).update(audience="user", kind="confirm", **answer)

    page = text_of(browser.get("/admin/dialogue/hitlsession/"))

    assert re.search(r'<span class="chip line">Answered</span> <small><bdi>yes</bdi></small>', page, re.IGNORECASE)


def test_a_question_to_the_customer_stands_in_its_row_with_its_sensitive_values_masked(browser, session):
    iban = next(str(entry["value"]) for entry in session.shown if entry.get("sensitive"))
    asked = {"audience": "user", "kind": "confirm", "message": f"Send it to {iban}?"}
    HITLSession.objects.filter(pk=session.pk).update(**asked)

    page = text_of(browser.get("/admin/dialogue/hitlsession/"))

    assert "Send it to ••••?" in page
    assert iban not in page


def test_four_eyes_and_the_people_who_must_agree_do_not_contradict_each_other(browser, session):
    address = f"/admin/dialogue/hitlsession/{session.pk}/change/"
    HITLSession.objects.filter(pk=session.pk).update(four_eyes=True)
    one = text_of(browser.get(address))
    HITLSession.objects.filter(pk=session.pk).update(people_required=2)
    two = text_of(browser.get(address))

    assert "Yes: the account that asked may not decide" in one
    assert "<span>People who must agree</span>" not in one
    assert "<span>People who must agree</span>" in two


def test_a_record_leads_to_its_own_page_of_the_console(browser, session):
    gate = text_of(browser.get(f"/admin/dialogue/hitlsession/{session.pk}/change/"))
    conversation = text_of(browser.get(f"/admin/dialogue/conversation/{session.conversation_id}/change/"))

    assert f'href="/gates/{session.name}/"' in gate and "Open the gate</a>" in gate
    assert "Open the conversation</a>" in conversation


def test_the_name_of_a_built_in_role_says_to_leave_it_as_it_is(browser):
    def page(name: str) -> str:
        return text_of(browser.get(f"/admin/auth/group/{Group.objects.get_or_create(name=name)[0].pk}/change/"))

    assert "The role “Auditor” is found by this name: do not change it." in page("auditors")
    assert "Flows name the group by this name." in page("payments")


def test_a_password_is_set_and_taken_away(browser, ana):
    address = f"/admin/auth/user/{ana.pk}/password/"
    words = {"password1": "a long pass phrase", "password2": "a long pass phrase"}

    browser.post(address, {"usable_password": "true", "set-password": "1", **words})
    ana.refresh_from_db()
    assert ana.check_password("a long pass phrase")
    browser.post(address, {"usable_password": "false", "unset-password": "1"})
    ana.refresh_from_db()
    assert not ana.has_usable_password()


def test_a_group_keeps_its_permissions_when_its_form_is_saved(browser):
    group = Group.objects.get(name="auditors")
    before = sorted(group.permissions.values_list("pk", flat=True))

    browser.post(f"/admin/auth/group/{group.pk}/change/", {"name": group.name, "permissions": before})

    assert before
    assert sorted(group.permissions.values_list("pk", flat=True)) == before


def test_the_permissions_of_a_group_stand_by_what_they_are_about_with_their_numbers(browser):
    group = Group.objects.get(name="auditors")
    ticked, every = group.permissions.count(), Permission.objects.count()

    page = text_of(browser.get(f"/admin/auth/group/{group.pk}/change/"))

    assert f"{ticked} of {every} permissions are ticked." in page
    assert f'data-words="%s of {every} permissions are ticked."' in page
    assert page.index("<b>Work in the console</b>") < page.index("See every audit entry")
    assert page.index("See every audit entry") < page.index("<b>Tables without a page</b>")


def test_a_conversation_is_told_from_others_by_its_last_message_and_its_state(browser, conversation):
    Conversation.objects.filter(pk=conversation.pk).update(last_message=90)
    Message.objects.create(
        conversation=conversation, seq=90, ordinal=1, role="user", text="where is it?", at=clock.now()
    )

    page = text_of(browser.get("/admin/dialogue/conversation/"))
    waiting = text_of(browser.get("/admin/dialogue/conversation/", {"came_to": "staff"}))

    assert "where is it?" in page
    assert "Idle" not in page
    assert "where is it?" not in waiting


def test_the_audit_says_what_happened_with_as_many_queries_for_many_entries(browser, olga, session):
    def record(number: int) -> None:
        acts = [Act("session.claim", "Olga Petrov", olga.user, subject=session.name) for _ in range(number)]
        chain.record(str(session.conversation_id), acts, clock.now())

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert "claimed" in text_of(browser.get("/admin/dialogue/auditentry/"))
        return len(captured)

    record(1)
    few = queries()
    record(20)

    assert queries() <= few


def test_a_list_is_narrowed_to_a_day_whose_date_its_chip_shows(browser, session):
    day = session.conversation.active_at
    narrowed = {"active_at__year": day.year, "active_at__month": day.month, "active_at__day": day.day}

    all_days = text_of(browser.get("/admin/dialogue/conversation/"))
    one_day = text_of(browser.get("/admin/dialogue/conversation/", narrowed))

    assert "<span>Date</span>All" in all_days
    assert f"<span>Date</span>{day.day} " in one_day
    assert browser.get("/admin/dialogue/conversation/", {"active_at__year": "x"}).status_code in (200, 302)


def test_yes_and_no_and_the_priority_are_words_and_empty_fields_are_left_out(browser, session):
    page = text_of(browser.get(f"/admin/dialogue/hitlsession/{session.pk}/change/"))

    assert '<div class="readonly">No</div>' in page
    assert '<div class="readonly">Normal</div>' in page
    assert "<span>Cause</span>" not in page


def test_the_admin_speaks_spanish(browser, ana):
    index = text_of(browser.get("/admin/", headers=SPANISH))
    group = text_of(browser.get(f"/admin/auth/group/{Group.objects.get(name='auditors').pk}/change/", headers=SPANISH))
    password = text_of(browser.get(f"/admin/auth/user/{ana.pk}/password/", headers=SPANISH))

    assert "Qué contienen" in index
    assert "Ver todas las conversaciones" in group
    assert "Can " not in group
    assert "Sin contraseña" in password


def test_who_may_open_the_admin_only_can_sign_out(browser_of, ana):
    User.objects.filter(pk=ana.pk).update(is_staff=True)
    ana.user_permissions.add(Permission.objects.get(codename="view_group"))

    page = text_of(browser_of(ana).get("/admin/auth/group/"))

    assert '<nav class="rail"' not in page
    assert '<button class="btn">Sign out</button>' in page


def test_who_may_not_open_the_admin_reads_so_at_its_door(browser_of, ana):
    page = browser_of(ana).get("/admin/", follow=True)

    assert "You are signed in as ana.ruiz, who may not open this page." in text_of(page)


@pytest.mark.parametrize("model", [*admin.site._registry], ids=lambda model: model.__name__)
def test_no_field_is_lost_or_doubled_by_the_sections_of_a_page(rf, root: User, model):
    request, model_admin = rf.get("/"), admin.site._registry[model]
    request.user = root
    if not isinstance(model_admin, ReadOnlyAdmin):
        return
    shown = [name for _title, section in model_admin.get_fieldsets(request) for name in section["fields"]]

    assert sorted(shown) == sorted(map(str, model_admin.get_fields(request)))
