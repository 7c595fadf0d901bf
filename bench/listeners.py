"""Open pages that only listen, each of another person: sockets that read every frame, on a thread of their own."""

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from websockets.asyncio.client import connect

from tests.support.browser.house import House

OPEN_WITHIN = 120.0

HIRE = """
from django.contrib.auth.models import User
groups = list(User.objects.get(username="olga").groups.all())
people = [User(username=f"listener{{at}}", is_staff=True) for at in range({count})]
for person in people:
    person.set_unusable_password()
for person in User.objects.bulk_create(people):
    person.groups.set(groups)
"""


@dataclass
class Listening:
    """How many frames came to the sockets, and who still has one."""

    frames: int = 0
    open: set[str] = field(default_factory=set)


def hire(house: House, count: int) -> list[str]:
    """So many colleagues of Olga more, signed in without a password; their names."""
    house.server.shell(HIRE.format(count=count))
    house.sign_in()
    return [f"listener{at}" for at in range(count)]


@contextmanager
def listening(house: House, operators: Sequence[str], chats: Sequence[tuple[str, str]]) -> Iterator[Listening]:
    """An open inbox of each operator and an open page of each chat, for as long as this is held."""
    sockets = [("/ws/inbox/", {"Cookie": f"soni_session={house.cookies[who]}"}) for who in operators]
    sockets += [(f"/ws/conversations/{chat}/?token={token}", {}) for chat, token in chats]
    heard, ready, over = Listening(), threading.Event(), threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(_all(house.url, sockets, heard, ready, over)))
    thread.start()
    try:
        assert ready.wait(OPEN_WITHIN), f"{len(heard.open)} of {len(sockets)} sockets were opened"
        yield heard
    finally:
        over.set()
        thread.join()


async def _all(
    url: str,
    sockets: Sequence[tuple[str, dict[str, str]]],
    heard: Listening,
    ready: threading.Event,
    over: threading.Event,
) -> None:
    tasks = [asyncio.create_task(_one(url, path, {"Origin": url, **who}, heard)) for path, who in sockets]
    while not over.is_set():
        if len(heard.open) == len(sockets):
            ready.set()
        await asyncio.sleep(0.2)
    for task in tasks:
        task.cancel()


async def _one(url: str, path: str, headers: dict[str, str], heard: Listening) -> None:
    name = f"{path} {headers}"
    async with connect(url.replace("http", "ws", 1) + path, additional_headers=headers, open_timeout=60) as socket:
        heard.open.add(name)
        async for _ in socket:
            heard.frames += 1
    heard.open.discard(name)
