"""python -m tests.upgrade VERSION — record what the present code leaves waiting, and how it goes on with it."""

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

from tests.support.processes.server import wait_for
from tests.upgrade.corpus import FOLDER, Recording, Waiting, read_facts
from tests.upgrade.house import ASSISTANT, PEOPLE, House, Talk, token_of
from tests.upgrade.kinds import KINDS, Kind
from tests.upgrade.outcome import Outcome

ACCOUNTS = f"""
import hashlib
from django.contrib.auth.models import User
from django.test import Client
from dialogue.models import ApiToken
User.objects.create_superuser("root", password=None)
for name in {PEOPLE!r}:
    digest = hashlib.sha256(f"{{name}}s-token".encode()).hexdigest()
    ApiToken.objects.create(user=User.objects.get(username=name), name="test", sha256=digest)
client = Client()
client.force_login(User.objects.get(username="arthur"))
print(client.session.session_key)
"""
OPERATOR = """
from django.contrib.auth.models import User
from django.test import Client
client = Client()
client.force_login(User.objects.get(username="olga"))
print(client.session.session_key)
"""
SECOND_TEXT = ("is yours, booking", "is reserved, booking")


def record(release: str) -> None:
    recording = Recording(release)
    with TemporaryDirectory(prefix="soni-upgrade-") as folder:
        house = House(Path(folder) / "data")
        waiting = _fill(house, Path(folder))
        recording.keep_database(house.data / "soni.sqlite3")
        later = House(Path(folder) / "later")
        recording.restore(later.data / "soni.sqlite3")
        facts = read_facts(later)
        later.start()
        recording.keep(facts, [replace(row, outcome=row.go_on(later)) for row in waiting])
        later.kill()


def _fill(house: House, folder: Path) -> list[Waiting]:
    """Everything that a recording holds; the server is killed at the end of it."""
    house.start()
    session = house.shell(ACCOUNTS).splitlines()[-1]
    house.manage("load_flows", str(FOLDER / ASSISTANT), "--publish")
    talks = {kind: _begun(house, kind, session) for kind in KINDS if kind.release == 1}
    _label(house, {kind.what: talk for kind, talk in talks.items()}, session)
    house.manage("load_flows", str(_second_text(folder)), "--publish")
    talks |= {kind: _begun(house, kind, session) for kind in KINDS if kind.release == 2}
    _, place = house.post_form(f"/flows/{ASSISTANT}/", {"name": "sing_a_song"}, session)
    assert place == f"/flows/{ASSISTANT}/sing_a_song/", place
    (house.data / "slow").touch()
    for kind, talk in talks.items():
        _leave_under_way(house, kind, talk)
    house.kill()
    return [_waiting(kind, talk) for kind, talk in talks.items()]


def _begun(house: House, kind: Kind, session: str) -> Talk:
    talk = _tested(house, session) if kind.console else _opened(house)
    for step in kind.before:
        answer = talk.do(step)
        assert answer not in (0, 400, 403, 404, 409, 422, 500), (kind.what, step, answer)
    talk.find_gate()
    print(kind.what, *talk.said()[-2:], talk.gate, sep="\n    ")
    return talk


def _opened(house: House) -> Talk:
    made = house.post("/api/v1/conversations", {"assistant": ASSISTANT}, token_of("ursula"))
    assert made.status == 201, made.body
    return Talk(house, f"/api/v1/conversations/{made.body['id']}", made.body["token"], "first")


def _tested(house: House, session: str) -> Talk:
    """A test of the release, as an author begins it in the console."""
    given = {"release": "1", "nlu": "auto", "actions": "simulated"}
    status, place = house.post_form(f"/test/{ASSISTANT}/", given, session)
    assert status == 302, place
    number = place.rstrip("/").rpartition("/")[2]
    return Talk(house, f"/api/v1/conversations/{number}", token_of("root"), "first", session)


def _label(house: House, talks: dict[str, Talk], author: str) -> None:
    """An author makes an example of a test's first turn, in a draft, and an operator proposes one."""
    example = {"text": "where can we dance", "flow": "book_hall"}
    _send(house, talks["a test waits for a confirmation"], example, author)
    proposed = {"text": "where can we eat", "flow": "order_menu"}
    _send(house, talks["a gate is approved"], proposed, house.shell(OPERATOR).splitlines()[-1])


def _send(house: House, talk: Talk, example: dict[str, str], session: str) -> None:
    status, page = house.post_form(f"/conversations/{talk.id}/turns/1/example/", example, session)
    assert status in (200, 302), page


def _second_text(folder: Path) -> Path:
    changed = Path(shutil.copytree(FOLDER / ASSISTANT, folder / ASSISTANT))
    flow = changed / "book_hall.yaml"
    flow.write_text(flow.read_text().replace(*SECOND_TEXT))
    return changed


def _leave_under_way(house: House, kind: Kind, talk: Talk) -> None:
    before = len(house.effects(talk.id))
    for number, step in enumerate(kind.killed):
        status = talk.do(step)
        assert status in (201, 202), (kind.what, step, status)
        if number == 0:
            wait_for(lambda: len(house.effects(talk.id)) > before)


def _waiting(kind: Kind, talk: Talk) -> Waiting:
    return Waiting(kind.what, talk.path, talk.token, list(kind.then), Outcome([]), talk.session, talk.link, talk.gate)


if __name__ == "__main__":
    record(sys.argv[1])
