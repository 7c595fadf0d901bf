"""Releases are learned from when they are published."""

from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from dialogue.models import LearnedModel, Release
from dialogue.turns import learning
from dialogue.turns.learning import learn_published
from tests.support.releases import demo, publish
from tests.support.soni_settings import change

pytestmark = pytest.mark.django_db


@pytest.fixture
def begun(settings: Any, monkeypatch: pytest.MonkeyPatch) -> list[Release]:
    """The releases that were compiled, and with that begun to be learned."""
    change(settings, NLU_EMBEDDED="auto")
    compiled: list[Release] = []
    monkeypatch.setattr(learning, "_started_releases", set())
    monkeypatch.setattr(learning, "compiled_release", compiled.append)
    return compiled


def test_what_was_published_is_learned_before_anybody_writes_the_newest_first(begun: list[Release]) -> None:
    library, bank = publish(demo("library")), publish(demo("bank"))

    while learn_published():
        pass

    assert begun == [bank, library]


def test_what_is_known_and_what_failed_is_left_alone(begun: list[Release]) -> None:
    for name, state in (("library", "ready"), ("bank", "broken")):
        LearnedModel.objects.create(release=publish(demo(name)), state=state, began_at=timezone.now())

    assert learn_published() is None


def test_what_a_process_that_ended_had_begun_is_learned_again(begun: list[Release]) -> None:
    library = publish(demo("library"))
    LearnedModel.objects.create(release=library, state="learning", began_at=timezone.now())

    learn_published()

    assert begun == [library]


def test_without_the_extra_there_is_nothing_to_learn_and_nothing_is_asked(
    begun: list[Release], settings: Any, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    change(settings, NLU_EMBEDDED="off")
    publish(demo("library"))

    with django_assert_num_queries(0):
        assert learn_published() is None
