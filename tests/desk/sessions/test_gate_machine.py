"""A few random stories of gates, and of a loop with gates; the campaign tells many more."""

import pytest

from tests.support.desk.gate_machine import play
from tests.support.desk.loop_machine import play_loops
from tests.support.desk.loop_model import DELIVERIES
from tests.support.releases import demo, publish

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.journey]


def test_rows_and_model_tell_the_same_stories(payments):
    publish(demo("bank"))

    play(examples=5, steps=15, chance=7)


def test_a_loop_that_opens_a_gate_for_each_entry_is_where_the_model_says():
    publish(DELIVERIES)

    play_loops(examples=3, steps=12, chance=7)
