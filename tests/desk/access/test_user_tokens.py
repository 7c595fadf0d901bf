"""Signed tokens of customers: what is taken, and what is refused."""

import base64
import hmac
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from dialogue.desk.access.user_tokens import SignedUser, TokenRefused, read_user_token
from dialogue.turns import clock

SECRET, OLD_SECRET = "a secret of the shop that nobody guesses", "the secret of last year, which still counts"
NOW = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)
CLAIMS = {"sub": "customer-7", "aud": "soni", "exp": int(NOW.timestamp()) + 600, "email": "mia@example.com"}


def part(plain: Any) -> str:
    text = plain if isinstance(plain, str) else json.dumps(plain)
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def token(claims: Any = CLAIMS, header: Any = None, secret: str = SECRET) -> str:
    signed = f"{part(header or {'alg': 'HS256', 'typ': 'JWT'})}.{part(claims)}"
    signature = hmac.digest(secret.encode(), signed.encode(), "sha256")
    return f"{signed}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}"


@pytest.fixture(autouse=True)
def secrets(settings: Any) -> Any:
    settings.SONI = {**getattr(settings, "SONI", {}), "USER_TOKEN_SECRETS": [SECRET, OLD_SECRET]}
    with clock.frozen(NOW):
        yield


def test_a_token_names_the_customer_and_its_own_claims():
    assert read_user_token(token()) == SignedUser("customer-7", {"email": "mia@example.com"})


def test_each_secret_counts_so_that_they_can_be_replaced():
    assert read_user_token(token(secret=OLD_SECRET)).reference == "customer-7"


def test_one_of_several_audiences_is_enough():
    assert read_user_token(token({**CLAIMS, "aud": ["shop", "soni"]})).reference == "customer-7"


def test_a_clock_may_be_half_a_minute_off():
    assert read_user_token(token({**CLAIMS, "exp": NOW.timestamp() - 20, "iat": NOW.timestamp() + 20}))


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in CLAIMS.items() if key != name}


REFUSED = {
    "no token": "abc",
    "too many parts": f"{token()}.x",
    "too long": token({**CLAIMS, "text": "x" * 9000}),
    "no base64": token().replace(".", ".*", 1),
    "another secret": token(secret="x" * 40),
    "a changed claim": ".".join([token().split(".")[0], part({**CLAIMS, "sub": "other"}), token().split(".")[2]]),
    "no signature": f"{part({'alg': 'none'})}.{part(CLAIMS)}.",
    "the algorithm none": token(header={"alg": "none"}),
    "another algorithm": token(header={"alg": "RS256"}),
    "a critical header": token(header={"alg": "HS256", "crit": ["exp"]}),
    "no expiry": token(without("exp")),
    "expired": token({**CLAIMS, "exp": int(NOW.timestamp()) - 31}),
    "expiry as a text": token({**CLAIMS, "exp": "tomorrow"}),
    "expiry without end": token('{"sub": "a", "aud": "soni", "exp": Infinity}'),
    "not valid yet": token({**CLAIMS, "nbf": int(NOW.timestamp()) + 60}),
    "no audience": token(without("aud")),
    "another audience": token({**CLAIMS, "aud": "shop"}),
    "no customer": token(without("sub")),
    "an empty customer": token({**CLAIMS, "sub": ""}),
    "a customer as a number": token({**CLAIMS, "sub": 7}),
    "a customer with a line end": token({**CLAIMS, "sub": "a\nb"}),
    "claims as a list": token([1, 2]),
    "a key twice": token('{"sub": "a", "sub": "b", "aud": "soni", "exp": 99999999999}'),
}


@pytest.mark.parametrize("refused", REFUSED.values(), ids=REFUSED.keys())
def test_anything_else_is_refused(refused: str):
    with pytest.raises(TokenRefused):
        read_user_token(refused)


@pytest.mark.parametrize("own", [[], ["short"]])
def test_without_a_secret_that_is_long_enough_no_token_counts(own: list[str], settings: Any):
    settings.SONI = {**settings.SONI, "USER_TOKEN_SECRETS": own}

    with pytest.raises(TokenRefused):
        read_user_token(token(secret="short"))
