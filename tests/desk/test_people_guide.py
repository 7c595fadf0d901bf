"""What docs/people.md says about groups and tokens, done as it is written."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from tests.support.transfers import Opener
from tests.support.web.pages import text_of

PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)


@pytest.fixture
def script(db: None) -> dict[str, Any]:
    """The names that the page's two programs define, run one after the other."""
    names: dict[str, Any] = {}
    for code in PYTHON.findall((Path(__file__).parents[2] / "docs" / "people.md").read_text()):
        exec(code, names)
    return names


def gates_listed(token: str) -> list[str]:
    answer = Client().get("/api/v1/sessions?state=open", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 200, answer.content
    return sorted(session["name"] for session in answer.json()["sessions"])


def test_a_programs_token_lists_the_gates_of_its_groups_and_of_no_group(open_session: Opener, script: dict[str, Any]):
    for_cooks = open_session(group=script["cooks"])
    for_every_operator = open_session(group=None)
    open_session()  # the payments team's

    assert gates_listed(script["token"]) == sorted([for_cooks.name, for_every_operator.name])


def test_without_the_right_to_decide_a_group_alone_lists_nothing(open_session: Opener, script: dict[str, Any]):
    open_session(group=script["cooks"])
    User.objects.get(username="kitchen-display").groups.remove(Group.objects.get(name="operators"))

    assert gates_listed(script["token"]) == []


def test_a_person_of_the_group_signs_in_and_finds_its_gate(
    open_session: Opener, script: dict[str, Any], client: Client
):
    gate = open_session(group=script["cooks"])

    signed_in = client.login(username="maria", password="a long and private sentence")
    page = client.get("/gates/")

    assert signed_in
    assert f"/gates/{gate.name}/" in text_of(page)
