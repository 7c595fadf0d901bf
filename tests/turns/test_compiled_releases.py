"""What was compiled is found again by its texts."""

import pytest

from dialogue.models import Release
from dialogue.turns import compiled_releases
from tests.support.releases import GREETER, publish

pytestmark = pytest.mark.django_db


def test_a_release_of_other_texts_is_compiled_anew_whatever_its_name() -> None:
    first = publish(GREETER)
    second = publish({**GREETER, "greet.yaml": GREETER["greet.yaml"].replace("Who are you?", "What is your name?")})

    prompts = [compiled_releases.assistant_of(each).flows["greet"].slots["name"].prompt for each in (first, second)]

    assert [str(each) for each in prompts] == ["Who are you?", "What is your name?"]


def test_the_same_texts_are_compiled_once() -> None:
    release = publish(GREETER)

    assert compiled_releases.compiled_release(release) is compiled_releases.compiled_release(
        Release.objects.get(pk=release.pk)
    )
