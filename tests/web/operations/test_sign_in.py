"""Trying passwords: a few tries for who mistypes, no more for who guesses, and a word on how long to wait."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dialogue.models import AuditEntry, TryCounter
from dialogue.turns.clock import FrozenClock
from dialogue.web.operations.sign_in import WINDOW, count_try, forgive_tries, try_limits
from dialogue.web.shared.limits import LimitReached
from tests.support.web.pages import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.database]
RIGHT = "correct horse battery"


@pytest.fixture
def olga(db: None) -> User:
    return User.objects.create_user("olga", password=RIGHT, is_staff=True)


def sign_in(password: str, name: str = "olga", at: str = "/sign-in/", address: str = "127.0.0.1") -> str:
    """The page that comes, or "in"."""
    answer = Client().post(at, {"username": name, "password": password}, REMOTE_ADDR=address)
    return "in" if answer.status_code == 302 else text_of(answer)


def test_the_right_password_after_some_wrong_ones_lets_in_and_all_tries_are_back(olga: User):
    for _ in range(2):
        for _ in range(4):
            assert "do not match" in sign_in("wrong")
        assert sign_in(RIGHT) == "in"


@pytest.mark.parametrize("door", ["/sign-in/", "/admin/login/"])
def test_after_five_wrong_ones_not_even_the_right_one_lets_in_and_the_wait_is_told(
    door: str, olga: User, noon: FrozenClock
):
    for _ in range(5):
        sign_in("wrong", at=door)
    noon.advance(timedelta(minutes=3))

    page = sign_in(RIGHT, at=door)

    assert "Too many tries. Please wait 13 min, then try again." in page


def test_when_the_wait_is_over_one_gets_in(olga: User, noon: FrozenClock):
    for _ in range(9):
        sign_in("wrong")

    noon.advance(WINDOW)

    assert sign_in(RIGHT) == "in"


def test_the_wait_does_not_grow_while_somebody_goes_on_trying(olga: User, noon: FrozenClock):
    for _ in range(9):
        sign_in("wrong")
        noon.advance(timedelta(minutes=1))

    assert "Please wait 7 min" in sign_in(RIGHT)


def test_capitals_and_blanks_give_no_fresh_tries(olga: User):
    for name in ("olga", "Olga", " olga", "OLGA ", "oLGA"):
        sign_in("wrong", name)

    assert "Too many tries" in sign_in(RIGHT)


def test_who_guesses_from_elsewhere_does_not_lock_olga_out_at_once(olga: User):
    for _ in range(6):
        sign_in("wrong", address="203.0.113.9")

    assert sign_in(RIGHT) == "in"


def test_one_name_from_everywhere_and_every_name_from_one_place_have_an_end(noon: FrozenClock):
    for place in range(30):
        count_try("olga", f"203.0.113.{place}")
    for number in range(100):
        count_try(f"somebody {number}", "198.51.100.7")

    with pytest.raises(LimitReached):
        count_try("olga", "203.0.113.200")
    with pytest.raises(LimitReached):
        count_try("somebody else", "198.51.100.7")


def test_an_office_that_signs_in_in_the_morning_uses_up_nothing(noon: FrozenClock):
    for number in range(300):
        count_try(f"colleague {number}", "192.0.2.1")
        forgive_tries(f"colleague {number}", "192.0.2.1")


def test_the_limit_is_on_record_once_and_names_nobody(olga: User):
    for _ in range(9):
        sign_in("wrong", "my-secret-password")

    entry = AuditEntry.objects.get(act="sign_in.limited")
    assert entry.facts["limit"] == "both"
    assert "my-secret-password" not in str(entry.facts) + entry.actor + entry.subject
    assert not TryCounter.objects.filter(key__contains="secret").exists()


def test_old_counters_are_forgotten(noon: FrozenClock):
    count_try("olga", "192.0.2.1")
    noon.advance(WINDOW)

    count_try("oscar", "192.0.2.2")

    assert {row.key for row in TryCounter.objects.all()} == {each.key for each in try_limits("oscar", "192.0.2.2")}


@pytest.mark.parametrize("door", ["/sign-in/", "/admin/login/"])
def test_a_refusal_by_limit_is_429_with_the_seconds_to_wait_and_a_wrong_password_is_not(
    door: str, olga: User, noon: FrozenClock
):
    answers = [Client().post(door, {"username": "olga", "password": "wrong"}) for _ in range(6)]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 200, 200, 429]
    assert answers[5]["Retry-After"] == "900"
    assert "Retry-After" not in answers[4]


def test_all_addresses_of_one_providers_customer_count_as_one(olga: User):
    for number in range(5):
        sign_in("wrong", address=f"2001:db8:1:2::{number:x}")

    assert "Too many tries" in sign_in(RIGHT, address="2001:db8:1:2:ffff::1")
    assert sign_in(RIGHT, address="2001:db8:1:3::1") == "in"
