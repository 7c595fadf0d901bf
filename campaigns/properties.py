"""The properties of every conversation, tried far more often than a test run has time for."""

import asyncio
from collections.abc import Awaitable, Callable

from hypothesis import Phase
from hypothesis import strategies as st

from campaigns.support.campaign import Campaign, Tally
from campaigns.support.fuzzing import draw
from tests.engine.dialogue.test_properties import (
    SEEN,
    correct_and_compare,
    extend_and_compare,
    talk_and_check,
    talk_and_restart,
)

_TRIED: tuple[Callable[[st.DataObject], Awaitable[None]], ...] = (
    talk_and_check,
    talk_and_restart,
    correct_and_compare,
    extend_and_compare,
)


MAX_TRIES = 12
"""Chance may pass an outcome by: then it has another try."""


def _run(size: int, chance: int, tally: Tally) -> None:
    SEEN.clear()
    for attempt in range(MAX_TRIES):
        for conversation in _TRIED:
            _try(conversation, size // len(_TRIED), chance + attempt, tally)
        if all(SEEN[outcome] for outcome in CAMPAIGN.outcomes):
            break
    tally.outcomes.update({outcome: SEEN[outcome] for outcome in CAMPAIGN.outcomes})


def _try(conversation: Callable[[st.DataObject], Awaitable[None]], size: int, chance: int, tally: Tally) -> None:
    def attempt(data: st.DataObject) -> None:
        asyncio.run(_hold(conversation, data))
        tally.count(conversation.__name__.replace("_", " "))

    draw(st.data(), attempt, size, chance, Phase.generate, Phase.shrink)


async def _hold(conversation: Callable[[st.DataObject], Awaitable[None]], data: st.DataObject) -> None:
    await conversation(data)


CAMPAIGN = Campaign(
    name="properties",
    passes_when="the stack holds, a restart changes nothing, a correction or a list in pieces is as if said at once",
    ci=120,
    full=4_000,
    outcomes=(
        "turns",
        "restarts",
        "corrections",
        "lists in pieces",
        "waiting_for_slot",
        "confirming",
        "waiting_for_human",
        "lists changed",
        "rounds changed",
        "waits ended",
        "file",
    ),
    run=_run,
    computes=True,
)
