"""The doorbell in memory: rings as Channels' own, and looks for what is old only now and then."""

import time

from dialogue.turns.live.layer import CLEANING_SECONDS, MemoryLayer


async def test_who_joined_hears_every_ring():
    layer = MemoryLayer()
    ursula = await layer.new_channel()
    await layer.group_add("chat", ursula)

    for number in range(3):
        await layer.group_send("chat", {"type": "ring", "number": number})

    assert [(await layer.receive(ursula))["number"] for _ in range(3)] == [0, 1, 2]


async def test_a_notification_is_handed_on_to_other_processes_and_one_of_theirs_is_not():
    layer, relayed = MemoryLayer(), []
    layer.relay = lambda group, message: relayed.append((group, message))
    ursula = await layer.new_channel()
    await layer.group_add("chat", ursula)

    await layer.group_send("chat", {"type": "ring", "number": 1})
    await layer.send_here("chat", {"type": "ring", "number": 2})

    assert [(await layer.receive(ursula))["number"] for _ in range(2)] == [1, 2]
    assert relayed == [("chat", {"type": "ring", "number": 1})]


async def test_a_member_that_fetches_nothing_keeps_nobody_from_hearing():
    layer = MemoryLayer(capacity=1)
    full, ursula = await layer.new_channel(), await layer.new_channel()
    for each in (full, ursula):
        await layer.group_add("chat", each)
    await layer.send(full, {"type": "old"})

    await layer.group_send("chat", {"type": "ring"})

    assert (await layer.receive(full), await layer.receive(ursula)) == ({"type": "old"}, {"type": "ring"})


async def test_what_nobody_fetched_is_thrown_away_when_it_is_old(monkeypatch):
    seconds = 100.0
    layer = MemoryLayer(expiry=5, seconds=lambda: seconds)
    gone = await layer.new_channel()
    await layer.group_add("chat", gone)
    await layer.group_send("chat", {"type": "ring"})
    later = time.time() + 6
    monkeypatch.setattr("channels.layers.time.time", lambda: later)

    await layer.group_send("another", {"type": "ring"})
    assert gone in layer.channels  # it was looked a moment ago

    seconds += CLEANING_SECONDS
    await layer.group_send("another", {"type": "ring"})
    assert gone not in layer.channels
