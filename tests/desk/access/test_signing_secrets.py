"""Secrets of an assistant: created, replaced with a grace, revoked; and what their tokens may and may not do."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import serializers
from django.db import connection, transaction

from dialogue.desk.access.signing_secrets import GRACE, create_secret, revoke_secret, secret_text
from dialogue.desk.access.user_tokens import TokenRefused, count_token_use, read_user_token
from dialogue.models import Assistant, AuditEntry, SigningSecret, UsedToken
from dialogue.turns import clock

from .test_user_tokens import token

pytestmark = [pytest.mark.django_db, pytest.mark.database]
NOW = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)
SECONDS = int(NOW.timestamp())
CLAIMS = {"sub": "c_2087", "name": "Hannah Okafor", "exp": SECONDS + 600}


@pytest.fixture(autouse=True)
def frozen_clock() -> Iterator[None]:
    with clock.frozen(NOW):
        yield


@pytest.fixture
def bank() -> Assistant:
    return Assistant.objects.create(name="bank", title="Bank")


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada")


def refusal(text: str, assistant: str = "bank") -> str:
    with pytest.raises(TokenRefused) as refused:
        count_token_use(read_user_token(text, assistant))
    return str(refused.value)


def test_a_token_needs_no_audience_where_the_secret_is_the_assistants_own(bank: Assistant, ada: User):
    row, secret = create_secret(bank, ada)

    customer = read_user_token(token(CLAIMS, secret=secret), "bank")

    assert (customer.reference, customer.claims, customer.secret) == ("c_2087", {"name": "Hannah Okafor"}, row)
    assert read_user_token(token({**CLAIMS, "aud": "bank"}, secret=secret), "bank").reference == "c_2087"
    assert "another audience" in refusal(token({**CLAIMS, "aud": "shop"}, secret=secret))


def test_the_database_holds_nothing_that_signs(bank: Assistant, ada: User, settings: Any):
    row, secret = create_secret(bank, ada)

    assert secret not in serializers.serialize("json", [row, *AuditEntry.objects.all()])
    assert secret_text(row) == secret
    settings.SECRET_KEY = "x" * 60
    assert secret_text(row) == ""
    assert "There is no secret" in refusal(token(CLAIMS, secret=secret))


def test_the_key_before_counts_where_the_project_keeps_it_as_a_fallback(bank: Assistant, ada: User, settings: Any):
    row, secret = create_secret(bank, ada)
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "x" * 60

    assert secret_text(row) == secret


def test_a_secret_signs_for_its_own_assistant_only(bank: Assistant, ada: User):
    shop = Assistant.objects.create(name="shop", title="Shop")
    create_secret(shop, ada)
    _row, secret = create_secret(bank, ada)

    assert "not one of ours" in refusal(token(CLAIMS, secret=secret), "shop")


def test_a_replaced_secret_counts_for_a_day_longer(bank: Assistant, ada: User):
    _old, secret = create_secret(bank, ada)
    _new, new_secret = create_secret(bank, ada)

    assert read_user_token(token(CLAIMS, secret=secret), "bank").reference == "c_2087"
    with clock.frozen(NOW + GRACE):
        later = {**CLAIMS, "exp": SECONDS + 2 * 86_400 - 600}
        assert "was replaced" in refusal(token(later, secret=secret))
        assert read_user_token(token(later, secret=new_secret), "bank").reference == "c_2087"


def test_a_second_replacement_does_not_lengthen_the_grace(bank: Assistant, ada: User):
    first, _secret = create_secret(bank, ada)
    create_secret(bank, ada)
    with clock.frozen(NOW + timedelta(hours=20)):
        create_secret(bank, ada)

    first.refresh_from_db()
    assert first.ends_at == NOW + GRACE


def test_a_revoked_secret_counts_no_longer_not_even_for_a_token_that_was_just_checked(bank: Assistant, ada: User):
    row, secret = create_secret(bank, ada)
    customer = read_user_token(token(CLAIMS, secret=secret), "bank")

    assert revoke_secret(row, ada)
    assert not revoke_secret(SigningSecret.objects.get(), ada)

    with pytest.raises(TokenRefused, match="revoked"):
        count_token_use(customer)
    assert "revoked" in refusal(token(CLAIMS, secret=secret))


def test_a_token_with_an_id_opens_one_conversation(bank: Assistant, ada: User):
    _row, secret = create_secret(bank, ada)
    once = token({**CLAIMS, "jti": "visit-1"}, secret=secret)

    count_token_use(read_user_token(once, "bank"))

    assert "used before" in refusal(once)
    count_token_use(read_user_token(token({**CLAIMS, "jti": "visit-2"}, secret=secret), "bank"))
    count_token_use(read_user_token(token(CLAIMS, secret=secret), "bank"))
    count_token_use(read_user_token(token(CLAIMS, secret=secret), "bank"))


@pytest.mark.django_db(transaction=True)
def test_of_many_who_use_a_token_at_the_same_moment_one_succeeds(bank: Assistant, ada: User):
    _row, secret = create_secret(bank, ada)
    customer = read_user_token(token({**CLAIMS, "jti": "visit-1"}, secret=secret), "bank")

    def use(_number: int) -> str:
        try:
            with clock.frozen(NOW), transaction.atomic():
                count_token_use(customer)
        except TokenRefused as refused:
            return "used before" if "used before" in str(refused) else str(refused)
        finally:
            connection.close()
        return "opened"

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(use, range(8)))

    assert sorted(answers) == ["opened", *["used before"] * 7]


def test_ids_are_forgotten_once_their_tokens_have_expired(bank: Assistant, ada: User):
    _row, secret = create_secret(bank, ada)
    count_token_use(read_user_token(token({**CLAIMS, "jti": "visit-1"}, secret=secret), "bank"))

    with clock.frozen(NOW + timedelta(minutes=30)):
        later = {**CLAIMS, "exp": SECONDS + 3600, "jti": "visit-2"}
        count_token_use(read_user_token(token(later, secret=secret), "bank"))

    assert UsedToken.objects.count() == 1


REFUSED = {
    "altered": ("not one of ours", lambda secret: token(CLAIMS, secret=secret)[:-4] + "AAAA"),
    "expired": ("expired", lambda secret: token({**CLAIMS, "exp": SECONDS - 31}, secret=secret)),
    "without an end": ("expired", lambda secret: token({"sub": "c_2087"}, secret=secret)),
    "not valid yet": ("not valid yet", lambda secret: token({**CLAIMS, "nbf": SECONDS + 31}, secret=secret)),
    "for years": ("too long", lambda secret: token({**CLAIMS, "exp": SECONDS + 86_400 * 365}, secret=secret)),
    "an id as a number": ("jti", lambda secret: token({**CLAIMS, "jti": 7}, secret=secret)),
    "a long id": ("jti", lambda secret: token({**CLAIMS, "jti": "x" * 201}, secret=secret)),
    "no customer": ("reference", lambda secret: token({"exp": SECONDS + 60}, secret=secret)),
    "another algorithm": ("HS256", lambda secret: token(CLAIMS, {"alg": "none"}, secret)),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_each_bad_token_gets_an_answer_that_says_what_is_wrong(bank: Assistant, ada: User, kind: str):
    words, make = REFUSED[kind]
    _row, secret = create_secret(bank, ada)

    assert words in refusal(make(secret))


def test_clocks_may_differ_by_half_a_minute(bank: Assistant, ada: User):
    _row, secret = create_secret(bank, ada)

    for claims in ({"exp": SECONDS - 29}, {"iat": SECONDS + 29}, {"exp": SECONDS + 86_400 + 29}):
        assert read_user_token(token({**CLAIMS, **claims}, secret=secret), "bank").reference == "c_2087"


def test_each_act_is_on_record(bank: Assistant, ada: User):
    first, _secret = create_secret(bank, ada)
    create_secret(bank, ada)
    revoke_secret(first, ada)

    acts = AuditEntry.objects.filter(act__startswith="signing_secret").order_by("id")
    assert [entry.act.partition(".")[2] for entry in acts] == ["made", "replaced", "revoked"]
