"""The first day: three steps for each role, until they are dismissed."""

import pytest
from django.contrib.auth.models import User

from dialogue.library.demo.seed import seed_demo
from dialogue.models import FlowVersion, Preference
from tests.support.transfers import person
from tests.support.web.pages import text_of
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db

ROLES = {
    "olga": ("Operator", "/gates/"),
    "sofia": ("Supervisor", "/figures/"),
    "arthur": ("Flow author", "/reference/"),
    "audrey": ("Auditor", "/audit/"),
    "ada": ("Administrator", "/users/"),
}


def test_each_person_of_the_demo_begins_with_the_steps_of_their_role(browser_of: Browser):
    seed_demo()

    for name, (role, href) in ROLES.items():
        page = browser_of(User.objects.get(username=name)).get("/", follow=True)
        assert page.redirect_chain[-1][0] == "/start/"
        assert f"<b>{role}</b>" in text_of(page)
        assert f'href="{href}"' in text_of(page)


def test_dismissed_once_the_start_page_leads_to_the_work(browser_of: Browser):
    olga = person("olga", "Olga", "operators")
    Preference.objects.create(user=olga, shows_first_steps=True)
    browser = browser_of(olga)

    for _click in range(2):
        browser.post("/start/done/")

    assert browser.get("/")["Location"] == "/inbox/"
    assert browser.get("/start/").status_code == 200


def test_each_link_opens_for_the_role_that_has_it(browser_of: Browser):
    seed_demo()

    for name in ROLES:
        browser = browser_of(User.objects.get(username=name))
        guide = browser.get("/start/").context["guide"]
        assert [browser.get(step.href, follow=True).status_code for step in guide.steps] == [200] * 3


def test_an_author_who_has_saved_a_version_sees_that_step_ticked(browser_of: Browser):
    seed_demo()
    arthur = User.objects.get(username="arthur")
    browser = browser_of(arthur)
    assert not any(step.is_done for step in browser.get("/start/").context["guide"].steps)

    FlowVersion.objects.filter(flow__name="transfer_money").update(author=arthur)

    page = browser.get("/start/")
    assert [step.is_done for step in page.context["guide"].steps] == [True, False, False]
    assert text_of(page).count("Done:") == 1


def test_customers_have_no_first_steps(browser_of: Browser):
    seed_demo()
    browser = browser_of(User.objects.get(username="ursula"))

    assert browser.get("/start/").status_code == 404
    assert "Who would you like to talk to?" in text_of(browser.get("/"))


def test_an_account_that_was_there_before_goes_to_its_work(browser_of: Browser):
    assert browser_of(person("olga", "Olga", "operators")).get("/")["Location"] == "/inbox/"


def test_the_demo_has_one_administrator():
    people = {newcomer.username: newcomer.person.role for newcomer in seed_demo()}

    assert people["ada"] == "administrator"
    assert list(User.objects.filter(is_superuser=True).values_list("username", flat=True)) == ["ada"]
