"""The table of pictures has every part of the console, and only pages that exist and that its role may open."""

import re

import pytest
from django.urls import resolve

from tests.support.browser.page_pictures import PAGES, PEOPLE, Choice, PagePictures
from tests.support.web.permissions import ROLES, table

ROWS = {
    "gate": "g1",
    "done": "g1",
    "chat": "g1",
    "conversation": "7b0e3ff4-35c9-4b3f-9d55-0e4b2b0e5e11",
    "webhook": "1",
    "delivery": "1",
}
ROLE_NAMES = {"customer": "end user", "author": "flow author"}
WITHOUT_PICTURES = {
    "health",
    "metrics",
    "sign-out",
    "language",
    "quiet",
    "palette",
    "answer",
    "password",
    "embed",
    "up",
}
"""Not pages of the console, or pages that a link with a secret opens."""


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "not-found"], ids=lambda page: page.name)
def test_each_picture_is_of_a_page_that_its_role_may_open(page: PagePictures):
    path = page.path.format(**ROWS).partition("?")[0]
    route = resolve(path).route

    column = ROLES.index(ROLE_NAMES.get(page.role, page.role))
    assert page.role in PEOPLE
    assert table()["GET", route][column] == "yes"


def test_every_part_of_the_console_has_a_picture():
    drawn = {part_of(page.path.lstrip("/")) for page in PAGES}
    parts = {part_of(route) for (method, route), words in table().items() if method == "GET" and "yes" in words}

    assert parts - drawn - WITHOUT_PICTURES == set()


def part_of(path: str) -> str:
    return re.split(r"[/<?^]", path)[0]


def test_a_choice_draws_only_what_was_asked_for():
    shots = list(Choice(names={"gates"}, widths={390}, themes={"dark"}).shots())

    assert [(page.name, width, theme) for page, width, theme in shots] == [("gates", 390, "dark")]
