"""The demo: people, rows, and actions that do no harm when they are repeated."""

from datetime import date
from decimal import Decimal

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.auth.models import User

from dialogue.library.demo import bank_actions, library_actions, payments
from dialogue.library.demo.seed import PASSWORD_HASH_ROUNDS, seed_demo
from dialogue.models import Assistant, DemoLoan, DemoPayee, DemoPayment

pytestmark = pytest.mark.django_db


def test_the_demo_brings_two_published_assistants_and_people_of_every_role():
    newcomers = seed_demo()

    assert set(Assistant.objects.values_list("name", "active_release__number")) == {("bank", 1), ("library", 1)}
    assert {newcomer.person.role for newcomer in newcomers} == {
        "customer",
        "operator",
        "supervisor",
        "flow author",
        "auditor",
        "administrator",
    }
    assert all(authenticate(username=each.person.username, password=each.password) for each in newcomers)
    assert set(User.objects.get(username="olga").groups.values_list("name", flat=True)) == {"operators", "payments"}


def test_the_first_sign_in_stores_a_hash_of_all_rounds(settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
    olga = next(each for each in seed_demo() if each.person.username == "olga")
    quick = User.objects.get(username="olga").password

    assert authenticate(username="olga", password=olga.password)

    assert f"${PASSWORD_HASH_ROUNDS}$" in quick
    assert f"${PBKDF2PasswordHasher.iterations}$" in User.objects.get(username="olga").password


def test_seeding_again_makes_nobody_twice():
    seed_demo()

    assert seed_demo() == []


@pytest.mark.parametrize(
    ("iban", "fits"),
    [
        ("DE89370400440532013000", True),
        ("DE89370400440532013001", False),
        ("", False),
        ("DE89-3704", False),
        ("٣", False),
    ],
)
def test_the_checksum_of_an_iban(iban: str, fits: bool):
    assert bank_actions.is_valid_iban(iban) is fits


def test_a_payee_is_known_by_name_and_iban_together():
    DemoPayee.objects.create(name="Anna Berg", iban="DE89370400440532013000")

    assert bank_actions.is_known_payee("anna berg", "DE89370400440532013000")
    assert not bank_actions.is_known_payee("anna berg", "GB82WEST12345698765432")


def test_money_leaves_the_account_once_for_a_key():
    first = payments.record_payment("key-1", payments.TRANSFER, Decimal("8450.00"), "Anna Berg")
    again = payments.record_payment("key-1", payments.TRANSFER, Decimal("8450.00"), "Anna Berg")

    assert first == again
    assert DemoPayment.objects.count() == 1
    assert payments.account_balance() == Decimal("23118.40")


def test_a_loan_is_extended_once_for_a_key():
    DemoLoan.objects.create(number="L1234", title="Persuasion", due=date(2026, 11, 23))

    assert library_actions.extend_loan("key-1", "L1234") == date(2026, 12, 14)
    assert library_actions.extend_loan("key-1", "L1234") == date(2026, 12, 14)
    assert library_actions.extend_loan("key-2", "L1234") == date(2027, 1, 4)


def test_a_book_that_somebody_waits_for_is_not_extended():
    DemoLoan.objects.create(number="L4040", title="Moby-Dick", due=date(2026, 11, 23), reserved=True)

    assert library_actions.extend_loan("key-1", "L4040") is None


def test_a_hold_is_placed_once_for_a_key():
    inputs = {"title": "the waves", "edition": "print", "pickup": "central"}

    assert library_actions.hold_book("key-1", inputs) == library_actions.hold_book("key-1", inputs)
