"""Count the files of the product that a message, a gate's page and a decision pass through.

    python -m bench.walks [--list]

Plays the demo bank in a new SQLite file through Django's test client, and notes every file below `dialogue/` in which a
function is called. `--list` prints the files, in the order in which they are first entered.
"""

import argparse
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent / "dialogue"


class Walk:
    """The files of the product in the order in which they are first entered."""

    def __init__(self) -> None:
        self.files: dict[str, None] = {}

    def note(self, frame: Any, event: str, _argument: Any) -> None:
        """Profile function of Python: called at every call of a function, in every thread."""
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(str(ROOT)):
            self.files.setdefault(str(Path(file).relative_to(ROOT)))

    @contextmanager
    def recording(self) -> Iterator["Walk"]:
        threading.setprofile(self.note)
        sys.setprofile(self.note)
        try:
            yield self
        finally:
            sys.setprofile(None)
            threading.setprofile(None)


def walk(action: Callable[[], Any], status: int) -> Walk:
    """The files that a request passes through. Raises RuntimeError for another status than the expected one."""
    with Walk().recording() as result:
        response = action()
    if response.status_code != status:
        raise RuntimeError(f"status {response.status_code}: {response.content[:300]!r}")
    return result


def play() -> dict[str, Walk]:
    """The walks by name, each measured at its second time: what is loaded lazily is loaded already."""
    from django.contrib.auth import get_user_model
    from django.core.management import call_command
    from django.test import Client

    from dialogue.library.demo.seed import seed_demo
    from dialogue.models import HITLSession

    call_command("migrate", verbosity=0, interactive=False)
    seed_demo()
    operator = Client(SERVER_NAME="localhost")
    operator.force_login(get_user_model().objects.get(username="olga"))
    walks: dict[str, Walk] = {}
    for name in ("Anna", "Ben"):
        opened = Client(SERVER_NAME="localhost").post(
            "/api/v1/conversations", {"assistant": "bank"}, content_type="application/json"
        )
        chat = opened.json()
        visitor = Client(SERVER_NAME="localhost", headers={"authorization": f"Bearer {chat['token']}"})
        talk = Talk(visitor, f"/api/v1/conversations/{chat['id']}/messages?wait=20")
        talk.say(f"send 6500 euros to {name}, DE89370400440532013000")
        walks["a message"] = talk.say("make it 7000")
        talk.say("yes")
        number = HITLSession.objects.filter(audience="staff", state="open").latest("pk").pk
        page = f"/gates/g{number}/"
        walks["a gate's page"] = walk(lambda page=page: operator.get(page), 200)  # type: ignore[misc]
        version = HITLSession.objects.get(pk=number).version
        answer = {"action": "approve", "version": version, "key": f"k{number}"}
        walks["a decision"] = walk(lambda: operator.post(f"{page}submit/", answer), 201)  # noqa: B023 - called at once
    return walks


class Talk:
    """A conversation over the API, whose messages are numbered."""

    def __init__(self, visitor: Any, url: str) -> None:
        self.visitor, self.url, self.count = visitor, url, 0

    def say(self, text: str) -> Walk:
        self.count += 1
        message = {"id": f"m{self.count}", "text": text}
        return walk(lambda: self.visitor.post(self.url, message, content_type="application/json"), 200)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--list", action="store_true", help="print the files as well")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(SONI_DATA=folder, DJANGO_SETTINGS_MODULE="soni_admin.settings")
        import django

        django.setup()
        for name, measured in play().items():
            print(f"{name:20}{len(measured.files):5} files")
            if chosen.list:
                print(*(f"    {file}" for file in measured.files), sep="\n")


if __name__ == "__main__":
    main()
