"""Releases over HTTP: publish, list, go back."""

from typing import Any

import pytest
from django.contrib.auth.models import Group

from dialogue.desk.sessions.service import Caller
from dialogue.library.documents.versions import Edit, save_flow, store_documents
from dialogue.library.releases.releases import publish
from dialogue.models import Assistant
from tests.support.releases import demo
from tests.support.transfers import person
from tests.web.api.conftest import Program, ProgramOf

pytestmark = pytest.mark.django_db

RELEASES = "/assistants/bank/releases"
BALANCE = demo("bank")["check_balance.yaml"]
CHANGED = BALANCE.replace("steps:\n", "steps:\n  - {step: hello, type: say, message: One moment.}\n", 1)


@pytest.fixture
def bank(payments: object) -> Assistant:
    return publish(store_documents(demo("bank"))).assistant


@pytest.fixture
def arthur(bank: Assistant, program_of: ProgramOf) -> Program:
    """A program of a flow author's."""
    return program_of(Caller(person("arthur", "Arthur Penn", "flow authors").pk, "api"))


def test_saved_texts_are_published_listed_and_gone_back_from(arthur: Program, bank: Assistant):
    save_flow(bank, Edit("check_balance", CHANGED, 1), None)

    made = arthur.post(RELEASES, note="Says hello", base=1)
    back = arthur.post(f"{RELEASES}/1/activate")
    listed = arthur.get(RELEASES).json()["releases"]

    assert (made.status_code, made.json()["number"], made.json()["note"]) == (201, 2, "Says hello")
    assert back.json()["active"]
    assert [(each["number"], each["active"]) for each in listed] == [(2, False), (1, True)]


def test_who_looked_before_somebody_published_gets_the_difference(arthur: Program, bank: Assistant):
    save_flow(bank, Edit("check_balance", CHANGED, 1), None)
    publish(bank)

    late = arthur.post(RELEASES, base=1)

    assert late.status_code == 409
    assert late.json()["code"] == "stale_release"
    assert [(each["name"], each["rule"]) for each in late.json()["fields"]] == [("check_balance.hello", "new")]


def test_a_group_that_nobody_is_in_is_told_in_the_answer(arthur: Program, bank: Assistant):
    Group.objects.filter(name="payments").delete()

    published = arthur.post(RELEASES, note="more")

    assert published.status_code == 201
    assert any("group `payments`" in warning for warning in published.json()["warnings"])


def test_what_makes_no_assistant_is_refused_with_its_problems(arthur: Program, bank: Assistant):
    save_flow(bank, Edit("check_balance", BALANCE.replace("type: say", "type: sya", 1), 1), None)

    refused = arthur.post(RELEASES)

    assert refused.status_code == 422
    assert refused.json()["fields"][0]["name"].startswith("check_balance.yaml:")


def test_operators_list_and_do_not_publish(olga: Any, bank: Assistant, program_of: ProgramOf):
    operator = program_of(olga)

    assert operator.get(RELEASES).status_code == 200
    assert operator.post(RELEASES).status_code == 403
    assert operator.post(f"{RELEASES}/1/activate").status_code == 403


def test_a_list_of_releases_is_paged(arthur: Program, bank: Assistant):
    for number in range(2, 5):
        save_flow(bank, Edit("check_balance", CHANGED + f"# {number}\n", number - 1), None)
        publish(bank)

    first = arthur.get(f"{RELEASES}?limit=3").json()
    second = arthur.get(f"{RELEASES}?limit=3&cursor={first['next']}").json()

    assert [each["number"] for each in first["releases"] + second["releases"]] == [4, 3, 2, 1]


def test_an_assistant_or_a_release_that_is_not_there_is_not_found(arthur: Program, bank: Assistant):
    assert arthur.get("/assistants/nobody/releases").status_code == 404
    assert arthur.post(f"{RELEASES}/9/activate").status_code == 404
    assert arthur.post(f"{RELEASES}/x/activate").status_code == 404
