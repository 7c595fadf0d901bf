"""Who gets in where: every address and every frame, for every role, equals the table that the repository keeps."""

from logging import getLogger

import pytest

from dialogue.turns.process.database import in_thread
from dialogue.web.sockets.frames import FRAME_TYPES
from dialogue.web.sockets.urls import websocket_urlpatterns
from tests.support.web.permissions import ROLES, Address, World, addresses, build_world, line_of, table, word_for
from tests.support.web.socket_client import Socket

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.journey]


@pytest.fixture
def world(payments: object, monkeypatch: pytest.MonkeyPatch) -> World:
    """Pages are asked for, not drawn: who is let in does not depend on what they read."""
    world = build_world()
    monkeypatch.setattr("django.template.backends.django.Template.render", lambda *_args, **_kwargs: "")
    monkeypatch.setattr(getLogger("django.request"), "disabled", True)
    return world


def test_every_address_is_in_the_table_and_the_table_names_no_other():
    listed = {route for _method, route in table()}
    there = {address.route for address in addresses()}

    assert there - listed == set(), "list these in permission_matrix.txt, with what each role gets"
    assert listed - there == set(), "these are gone; take them out of permission_matrix.txt"


def test_each_role_gets_what_the_table_says(world: World):
    found = {
        (method, route): tuple(word_for(world, role, method, Address(route)) for role in ROLES)
        for method, route in table()
    }

    differing = [line_of(*key, words) for key, words in found.items() if words != table()[key]]
    assert differing == []


def test_what_is_not_listed_is_no_way_in(world: World):
    """A method that the table leaves out is refused, also to those who may most."""
    left_out = [
        (method, each) for each in addresses() for method in each.methods if (method, each.route) not in table()
    ]

    let_in = [
        line_of(method, address.route, (role,))
        for method, address in left_out
        for role in ("operator", "superuser")
        if word_for(world, role, method, address) == "yes"
    ]

    assert let_in == []


FRAMES: dict[str, dict[str, object]] = {
    "user.message": {"type": "user.message", "id": "said", "text": "hello"},
    "user.choice": {"type": "user.choice", "id": "chosen", "value": "yes"},
    "typing": {"type": "typing"},
    "looking": {"type": "looking", "number": 0},
    "ack": {"type": "ack", "seq": 1},
    "ping": {"type": "ping"},
}
TAKEN, SILENT, REFUSED = "accepted", "silent", "not_allowed"
WRITER = {"user.message": TAKEN, "user.choice": TAKEN, "typing": SILENT, "ack": SILENT, "ping": "pong"}
WRITER |= {"looking": REFUSED}
READER = {**WRITER, "user.message": REFUSED, "user.choice": REFUSED, "typing": REFUSED}
LOOKER = {**READER, "looking": SILENT}
CONVERSATION, INBOX = "ws/conversations/<uuid:conversation>/", "ws/inbox/"
NOWHERE = ""
"""What answers every other address: it closes."""

SOCKETS: dict[tuple[str, str], dict[str, str] | int] = {
    (CONVERSATION, "visitor"): 4401,
    (CONVERSATION, "end user"): WRITER,
    (CONVERSATION, "operator"): READER,
    (CONVERSATION, "supervisor"): READER,
    (CONVERSATION, "flow author"): 4404,
    (CONVERSATION, "auditor"): READER,
    (CONVERSATION, "superuser"): READER,
    (CONVERSATION, "agent"): 4404,
    (INBOX, "visitor"): 4401,
    (INBOX, "end user"): 4403,
    (INBOX, "operator"): LOOKER,
    (INBOX, "supervisor"): LOOKER,
    (INBOX, "flow author"): 4403,
    (INBOX, "auditor"): LOOKER,
    (INBOX, "superuser"): LOOKER,
    (INBOX, "agent"): 4403,
}
"""What each role hears for each frame, or the code that its socket is closed with at once."""


def test_every_socket_and_every_frame_is_in_the_table():
    assert {str(each.pattern) for each in websocket_urlpatterns} == {CONVERSATION, INBOX, NOWHERE}
    assert set(SOCKETS) == {(place, role) for place in (CONVERSATION, INBOX) for role in ROLES}
    assert set(FRAME_TYPES) == set(FRAMES) == set(WRITER) == set(READER)


async def heard(socket: Socket, frame: dict[str, object]) -> str:
    """What comes back for a frame; a ping after it ends the wait for those that nothing answers."""
    await socket.say(**frame)
    if frame["type"] != "ping":
        await socket.say(type="ping")
    answer = await socket.hear("accepted", "error", "pong")
    if answer["type"] == "pong":
        return "pong" if frame["type"] == "ping" else SILENT
    await socket.hear("pong")
    return str(answer.get("code", answer["type"]))


async def all_heard(place: str, role: str, world: World) -> dict[str, str] | int:
    path = "/" + place.replace("<uuid:conversation>", str(world.conversation.pk))
    async with Socket(path, await in_thread(world.client)(role)) as socket:
        if isinstance(SOCKETS[place, role], int):
            return await socket.closed()
        return {name: await heard(socket, frame) for name, frame in FRAMES.items()}


async def test_each_role_hears_what_the_table_says(world: World):
    found = {(place, role): await all_heard(place, role, world) for place, role in SOCKETS}

    assert found == SOCKETS
