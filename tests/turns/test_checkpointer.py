"""The saver passes LangGraph's own conformance suite, with its rows unwritten and with every row in the database."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from langgraph.checkpoint.base.id import uuid6
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.test_utils import generate_checkpoint, generate_config, generate_metadata

from dialogue.models import Checkpoint, CheckpointWrite
from dialogue.turns.checkpointer import MAX_CHECKPOINTS, DjangoSaver
from dialogue.turns.process.database import in_thread

pytestmark = pytest.mark.django_db(transaction=True)


class WrittenAtOnce(DjangoSaver):
    """Flushes after every write, so that each look reads the database."""

    async def aput(self, *args: Any) -> Any:
        config = await super().aput(*args)
        await in_thread(self.flush)()
        return config

    async def aput_writes(self, *args: Any, **named: Any) -> None:
        await super().aput_writes(*args, **named)
        await in_thread(self.flush)()


@pytest.mark.parametrize("saver", [DjangoSaver, WrittenAtOnce])
async def test_the_saver_passes_the_conformance_suite(saver: type[DjangoSaver]) -> None:
    @checkpointer_test(name=saver.__name__)
    async def registered() -> AsyncIterator[DjangoSaver]:
        yield saver()

    report = await validate(registered)

    failures = {
        name: result.failures for name, result in report.results.items() if result.detected and not result.passed
    }
    assert report.passed_all_base(), failures


def test_no_class_is_read_back_because_a_graph_allows_it() -> None:
    saver = DjangoSaver()

    assert saver.with_allowlist({("os", "system")}) is saver


async def test_nothing_is_stored_before_the_turn_commits() -> None:
    saver = DjangoSaver()

    await saver.aput(generate_config("t"), generate_checkpoint(), generate_metadata(), {})

    assert await Checkpoint.objects.acount() == 0


async def test_the_newest_checkpoint_is_the_last_written_even_when_a_clock_was_behind() -> None:
    later, earlier = sorted((str(uuid6()) for _ in range(2)), reverse=True)
    saver = WrittenAtOnce()
    for identifier in (later, earlier):
        await saver.aput(generate_config("t"), generate_checkpoint(checkpoint_id=identifier), generate_metadata(), {})

    found = await DjangoSaver().aget_tuple(generate_config("t"))

    assert found is not None and found.checkpoint["id"] == earlier


async def test_old_checkpoints_are_pruned() -> None:
    saver = WrittenAtOnce()
    for step in range(4 * MAX_CHECKPOINTS):
        await saver.aput(generate_config("t"), generate_checkpoint(), generate_metadata(step=step), {})

    assert MAX_CHECKPOINTS <= await Checkpoint.objects.acount() < 2 * MAX_CHECKPOINTS


async def test_what_was_written_beside_a_pruned_checkpoint_goes_with_it() -> None:
    saver = WrittenAtOnce()
    for thread in ["other", *["t"] * 4 * MAX_CHECKPOINTS]:
        config = await saver.aput(generate_config(thread), generate_checkpoint(), generate_metadata(), {})
        await saver.aput_writes(config, [("channel", thread)], "task")

    kept = {row.checkpoint_id async for row in Checkpoint.objects.all()}
    assert {row.checkpoint_id async for row in CheckpointWrite.objects.all()} == kept
    assert await Checkpoint.objects.filter(thread_id="other").acount() == 1
