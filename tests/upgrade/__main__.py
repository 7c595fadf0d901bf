"""python -m tests.upgrade VERSION — record the conversations that the present code leaves waiting."""

import shutil
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.journeys.banking import PEOPLE, TRANSFER, opened, say
from tests.support.server import Server
from tests.upgrade.corpus import Recording, Waiting

KINDS = {
    "a slot is asked for": (["I want to send money"], "Lindqvist Marine"),
    "a confirmation is asked for": ([TRANSFER], "yes"),
    "a gate waits": ([TRANSFER, "yes"], ""),
    "a gate waits behind another flow": ([TRANSFER, "yes", "what is my balance"], ""),
    "one flow is put aside for another": (["I want to send money", "what is my balance"], "Lindqvist Marine"),
    "nothing is open": (["what is my balance"], "what is my balance"),
}
"""What waits: what was said before, and what is said next."""


def record(release: str) -> None:
    with TemporaryDirectory(prefix="soni-upgrade-") as folder:
        server = Server(Path(folder) / "data")
        server.start()
        server.shell(PEOPLE)
        waiting = [_left(server, what, said, then) for what, (said, then) in KINDS.items()]
        server.manage("shell", "-v0", "-c", "from django.db import connection as c; c.cursor().execute('VACUUM')")
        server.kill()
        kept = shutil.copytree(server.data, Path(folder) / "kept")
        server.start()
        gone_on = [replace(each, keys=each.go_on(server)) for each in waiting]
        server.kill()
        Recording(release).keep(kept / "soni.sqlite3", gone_on)


def _left(server: Server, what: str, said: list[str], then: str) -> Waiting:
    path, token = opened(server)
    for number, text in enumerate(said):
        say(server, path, token, number, text)
    return Waiting(what, path, token, then)


if __name__ == "__main__":
    record(sys.argv[1])
