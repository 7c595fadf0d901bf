"""What a gate's computed settings become in its session's row: values when it opens, and fallbacks without one."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.contrib.auth.models import Group

from dialogue.engine.slots.form_schema import slots_from_schema
from dialogue.models import HITLSession
from dialogue.turns import clock
from dialogue.turns.process.database import in_thread
from tests.support.releases import demo
from tests.support.transfers import NOON
from tests.support.turns import TRANSFER, bank, begun, say

pytestmark = pytest.mark.django_db(transaction=True)


async def opened_gate(*replacements: tuple[str, str]) -> HITLSession:
    documents = demo("bank")
    text = documents["transfer_money.yaml"]
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new, 1)
    conversation = await begun({**documents, "transfer_money.yaml": text})
    await say(conversation, TRANSFER, bank())
    await say(conversation, "yes", bank())
    return await HITLSession.objects.select_related("group").aget(audience="staff")


async def test_the_row_holds_the_values_of_the_moment_when_the_gate_opened() -> None:
    await in_thread(Group.objects.get_or_create)(name="treasury")

    with clock.frozen(NOON):
        gate = await opened_gate(
            ("group: payments", "group: \"=if(amount > 1, 'treasury', 'payments')\""),
            ("title: {en: Approve transfer, es: Aprobar transferencia}", 'title: "Transfer of {amount}, {iban}"'),
            ("timeout: 30m", "timeout: 30m\n    due: \"=10m\"\n    priority: \"=if(amount > 1, 'urgent', 'low')\""),
        )

    assert gate.group is not None
    assert gate.group.name == "treasury"
    assert gate.title == "Transfer of €8,450.00, •••• 3000"
    assert (gate.opened_at, gate.due_at) == (NOON, NOON + timedelta(minutes=10))
    assert gate.priority == 2


async def test_a_group_that_does_not_exist_leaves_the_gate_to_supervisors_and_makes_no_group() -> None:
    gate = await opened_gate(("group: payments", "group: \"='nowhere'\""))

    assert gate.group is not None
    assert gate.group.name == "supervisors"
    assert not await Group.objects.filter(name="nowhere").aexists()


async def test_the_form_of_the_row_has_the_limit_of_the_moment() -> None:
    gate = await opened_gate(("maximum: 10000", 'maximum: "=amount"'))

    slot = slots_from_schema(gate.schema)["daily_limit"]
    assert slot.maximum == Decimal("8450.00")
    assert not slot.is_computed
    assert gate.schema["properties"]["daily_limit"]["maximum"] == 8450
