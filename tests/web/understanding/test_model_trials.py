"""A language model is tried on one message, over HTTP, before it serves."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from dialogue.models import NLURun
from tests.support.nlu.recorded_server import Answer, Recorded, commands, recorded_server
from tests.support.releases import demo, publish
from tests.support.soni_settings import change
from tests.support.transfers import person
from tests.support.web.pages import HTMX, text_of
from tests.web.understanding.test_understanding import signed_in

pytestmark = pytest.mark.django_db
ADDRESS = "/understanding/library/model/"
FORM = {"model": "openai/tiny", "key": "sk-tried", "message": "I owe you five euros"}


@pytest.fixture
def server(settings: Any) -> Iterator[Recorded]:
    with recorded_server() as recorded:
        change(settings, NLU_API_BASE=recorded.address)
        yield recorded


@pytest.fixture
def arthur() -> Client:
    publish(demo("library"))
    return signed_in(person("arthur", "Arthur Ray", "flow authors"))


def test_the_answer_is_shown_with_its_time_and_tokens(arthur: Client, server: Recorded) -> None:
    server.will_say(commands(("start_flow", "pay_fine")))

    page = text_of(arthur.post(ADDRESS, FORM, headers=HTMX))

    assert ">pay a fine</span>" in page
    assert "tokens read" in page
    assert "NLU_PRICE_IN" in page


def test_the_key_is_used_once_and_neither_shown_nor_stored(arthur: Client, server: Recorded) -> None:
    server.will_say(commands(("start_flow", "pay_fine")))

    page = text_of(arthur.post(ADDRESS, FORM, headers=HTMX))

    assert server.keys[-1] == "Bearer sk-tried"
    assert "sk-tried" not in page
    assert not NLURun.objects.exists()


@pytest.mark.parametrize(
    ("answer", "reason"), [(Answer(status=401), "the key was refused"), (Answer("no JSON"), "bad answer")]
)
def test_a_failure_is_named(arthur: Client, server: Recorded, answer: Answer, reason: str) -> None:
    server.will_say(answer)

    page = text_of(arthur.post(ADDRESS, FORM, headers=HTMX))

    assert f"gave no usable answer: {reason}" in page


def test_a_second_trial_with_a_refused_key_asks_again(arthur: Client, server: Recorded) -> None:
    server.will_say(Answer(status=401))
    arthur.post(ADDRESS, FORM, headers=HTMX)
    server.will_say(commands(("start_flow", "pay_fine")))

    assert "pay a fine" in text_of(arthur.post(ADDRESS, FORM, headers=HTMX))


def test_without_a_script_the_answer_is_a_page_of_its_own(arthur: Client, server: Recorded) -> None:
    server.will_say(commands(("start_flow", "pay_fine")))

    assert "<title>Try a language model" in text_of(arthur.post(ADDRESS, FORM))


@pytest.mark.parametrize("name", ["model", "message"])
def test_a_form_without_model_or_message_asks_for_them(arthur: Client, server: Recorded, name: str) -> None:
    page = text_of(arthur.post(ADDRESS, {**FORM, name: " "}, headers=HTMX))

    assert "Write the name of a model" in page
    assert not server.asked


def test_a_message_that_is_too_long_is_refused(arthur: Client, server: Recorded) -> None:
    page = text_of(arthur.post(ADDRESS, {**FORM, "message": "x" * 1_001}, headers=HTMX))

    assert "at most 1000 characters" in page
    assert not server.asked


def test_people_who_do_not_write_flows_may_not_try_one(server: Recorded) -> None:
    publish(demo("library"))
    auditor = signed_in(person("ada", "Ada Audit", "auditors"))

    assert auditor.post(ADDRESS, FORM, headers=HTMX).status_code == 404
    assert not server.asked


def test_a_model_without_a_key_is_named_as_that(arthur: Client) -> None:
    page = text_of(arthur.post(ADDRESS, {**FORM, "key": ""}, headers=HTMX))

    assert "gave no usable answer: there is no key or address for this model" in page
