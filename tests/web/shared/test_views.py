"""Who gets which page."""

import pytest
from django.urls import reverse

from tests.support.web.pages import HTMX, text_of


@pytest.mark.parametrize("path", ["/", "/inbox/", "/gates/", "/gates/g1/", "/conversations/", "/flows/"])
def test_a_visitor_is_led_to_the_sign_in_and_back(client, db, path):
    response = client.get(path)

    assert response.status_code == 302
    assert response["Location"] == f"/sign-in/?next={path}"


def test_a_wrong_password_keeps_the_name_and_says_so(client, db):
    response = client.post("/sign-in/", {"username": "olga", "password": "wrong"})

    assert response.status_code == 200
    assert 'value="olga"' in text_of(response)
    assert "do not match" in text_of(response)


def test_a_signed_out_page_is_told_so_and_keeps_its_text(client, session):
    response = client.post(f"/gates/{session.name}/submit/", {"action": "approve"}, headers=HTMX)

    assert response.status_code == 401


@pytest.mark.parametrize(
    ("who", "place"),
    [("olga", "/inbox/"), ("sofia", "/inbox/"), ("audrey", "/inbox/"), ("arthur", "/flows/")],
)
def test_everybody_begins_where_their_work_is(request, browser_of, who, place):
    browser = browser_of(request.getfixturevalue(who))

    assert browser.get("/")["Location"] == place


def test_ursula_begins_with_the_only_assistant_there_is(browser_of, own_chat, ursula):
    assert browser_of(ursula).get("/")["Location"] == "/chat/bank/"


PAGES = ["/inbox/", "/gates/", "/conversations/", "/flows/", "/flows/bank/transfer_money/"]


@pytest.mark.parametrize(
    ("who", "allowed"),
    [
        ("ursula", []),
        ("olga", PAGES),
        ("sofia", PAGES),
        ("audrey", PAGES),
        ("arthur", ["/gates/", "/conversations/", "/flows/", "/flows/bank/transfer_money/"]),
    ],
)
def test_a_page_that_is_not_for_somebody_does_not_exist_for_them(request, browser_of, session, who, allowed):
    browser = browser_of(request.getfixturevalue(who))

    assert [page for page in PAGES if browser.get(page).status_code == 200] == allowed
    assert {browser.get(page).status_code for page in PAGES if page not in allowed} <= {404}


def test_no_page_has_a_style_or_a_script_of_its_own(browser_of, session, olga, conversation):
    browser = browser_of(olga)
    for page in [*PAGES, f"/gates/{session.name}/", f"/conversations/{conversation.pk}/", "/chat/bank/"]:
        response = browser.get(page)
        assert " style=" not in text_of(response), page
        assert " onclick=" not in text_of(response), page
        assert "<style" not in text_of(response), page
        assert "'unsafe-inline'" not in response["Content-Security-Policy"]


def test_the_theme_that_was_chosen_is_there_from_the_first_byte(client, db):
    client.cookies["soni_theme"] = "dark"
    assert 'data-theme="dark"' in text_of(client.get("/sign-in/"))
    client.cookies["soni_theme"] = '"><script>'
    assert "data-theme" not in text_of(client.get("/sign-in/"))


def test_every_address_of_the_pages_is_reached_by_its_name():
    assert reverse("dialogue:gate", args=[12]) == "/gates/g12/"


@pytest.mark.parametrize(
    ("path", "only"),
    [("/gates/", {"a", "v", "m"}), ("/inbox/", {"i", "h", "m"}), ("/conversations/", set())],
)
def test_the_keys_that_are_listed_are_those_of_the_page(browser_of, session, olga, path, only):
    listed = text_of(browser_of(olga).get(path)).partition('<div class="keygroups">')[2].partition("</dialog>")[0]

    keys = {key for key in "avihmjk" if f"<kbd>{key}</kbd>" in listed}

    assert keys == {"j", "k", *only}
