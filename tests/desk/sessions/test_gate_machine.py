"""A few random stories of gates; the campaign tells many more."""

import pytest

from tests.support.desk.gate_machine import play
from tests.support.releases import demo, publish

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.journey]


def test_rows_and_model_tell_the_same_stories(payments):
    publish(demo("bank"))

    play(examples=5, steps=15, chance=7)
