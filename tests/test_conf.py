"""The console's settings: from the project's SONI, else from the environment, else the default."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import models

from dialogue import checks
from dialogue.conf import soni, unknown_keys
from dialogue.conf.environment import SettingRefused
from tests.support.soni_settings import change


def test_a_value_of_the_project_comes_before_the_environment_and_that_before_the_default(settings, monkeypatch):
    assert soni.NLU_SECONDS == 8

    monkeypatch.setenv("NLU_SECONDS", "5")
    assert soni.NLU_SECONDS == 5

    change(settings, NLU_SECONDS=timedelta(seconds=2.5))
    assert soni.NLU_SECONDS == 2.5


@pytest.mark.parametrize(
    ("public_url", "root"),
    [("", "http://localhost:8000"), ("https://desk.example/", "https://desk.example")],
)
def test_links_lead_to_the_public_address_or_else_to_this_machine(settings, public_url: str, root: str):
    change(settings, PUBLIC_URL=public_url)

    assert soni.root_url == root


def test_kinds_of_data_that_the_project_does_not_name_have_their_defaults(settings):
    change(settings, KEPT_DAYS={"tests": 7})

    assert soni.KEPT_DAYS["tests"] == 7
    assert soni.KEPT_DAYS["drafts"] == 90


@pytest.mark.parametrize(
    ("key", "value", "advice"),
    [
        ("ACTIONS", "shop.actions", "write a list of texts"),
        ("RUN_TURNS", "yes", "write True or False"),
        ("PORT", -1, "write a whole number"),
        ("ANSWER_WITHIN", "soon", "write a number of seconds"),
        ("NLU", "clever", "write one of rules, learned, llm, auto"),
        ("NLU_TURN_LIMITS", (1, 2), "write (calls, tokens, seconds, money)"),
        ("KEPT_DAYS", {"chats": 1}, "chats is not one of conversations"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_with_what_to_write(settings, key, value, advice):
    change(settings, **{key: value})

    with pytest.raises(SettingRefused) as refused:
        getattr(soni, key)

    assert advice in str(refused.value)
    assert any(advice in text for text in checks.refused_values())


def test_limits_are_four_numbers(settings):
    change(settings, NLU_ADDRESS_LIMITS=(1, 2, 3, "0.5"))

    assert (1, 2, 3, Decimal("0.5")) == soni.NLU_ADDRESS_LIMITS


def test_a_misspelt_key_is_told_with_the_nearest_one():
    assert unknown_keys({"PUBLIC_ULR": "", "NLU": "rules", "COLOUR": "red"}) == [
        ("PUBLIC_ULR", "PUBLIC_URL"),
        ("COLOUR", ""),
    ]


def test_a_user_model_without_permissions_or_with_a_key_that_is_no_number_is_told(monkeypatch):
    class Stranger(AbstractBaseUser):
        key = models.UUIDField(primary_key=True)

        class Meta:
            app_label = "strangers"

    monkeypatch.setattr(checks, "get_user_model", lambda: Stranger)

    found = list(checks.unfit_user_model())

    assert [finding.id for finding in found] == ["dialogue.E003", "dialogue.E004"]
    assert found[0].hint == "Write: class Stranger(AbstractBaseUser, PermissionsMixin)"


def test_middleware_that_the_project_lacks_is_told_with_its_line(settings):
    settings.MIDDLEWARE = [name for name in settings.MIDDLEWARE if "messages" not in name]

    [found] = checks.missing_parts()

    assert found.id == "dialogue.E006"
    assert found.hint == 'MIDDLEWARE += ["django.contrib.messages.middleware.MessageMiddleware"]'
