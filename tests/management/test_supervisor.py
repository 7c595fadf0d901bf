"""The supervisor of `up --workers N`, over small processes that speak over its link as servers do."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dialogue.management import supervisor as supervisor_module
from dialogue.management.supervisor import Supervisor

SERVER = """
import json, os, signal, socket, sys
link = socket.socket(fileno=int(os.environ["SONI_WORKER_SOCKETS"].split(",")[1]))
number, notes = os.environ["SONI_WORKER"].split("/")[0], open(os.environ["NOTES"], "a")
def note(text):
    notes.write(f"{number} {text}\\n")
    notes.flush()
note(f"begins {os.getpid()}")
signal.signal(signal.SIGTERM, lambda *_: sys.exit(note("ends")))
ring = b'{"do": "ring", "group": "inbox", "message": {}}\\n'
signal.signal(signal.SIGUSR1, lambda *_: link.sendall(ring))
link.sendall(json.dumps({"do": "ready", "owner": f"owner-{os.getpid()}"}).encode() + b"\\n")
for line in link.makefile("rb"):
    message = json.loads(line)
    note(" ".join([message["do"], *message.get("owners", ())]))
note("is alone")
"""
"""Notes what happens to it in the file NOTES, a line each with its number; rings when it gets SIGUSR1."""


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "notes"
    path.touch()
    monkeypatch.setenv("NOTES", str(path))
    monkeypatch.setattr(supervisor_module, "FIRST_PAUSE_SECONDS", 0.01)
    return path


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound


def supervised(listening: socket.socket, program: str, ready: asyncio.Event | None = None) -> Supervisor:
    return Supervisor(listening, 2, ready.set if ready else lambda: None, command=[sys.executable, "-c", program])


async def noted(notes: Path, *texts: str) -> list[str]:
    """Wait until each text is noted; all lines."""
    async with asyncio.timeout(30):
        while not all(text in notes.read_text() for text in texts):
            await asyncio.sleep(0.02)
    return notes.read_text().splitlines()


def pids(notes: Path, number: int) -> list[int]:
    return [int(line.split()[2]) for line in notes.read_text().splitlines() if line.startswith(f"{number} begins")]


async def test_one_process_sweeps_and_all_end_in_order(notes: Path, listening: socket.socket):
    ready = asyncio.Event()
    running = asyncio.create_task(supervised(listening, SERVER, ready).run())
    await asyncio.wait_for(ready.wait(), 30)
    await noted(notes, "sweep")

    os.kill(os.getpid(), signal.SIGTERM)

    assert await asyncio.wait_for(running, 30) == 0
    lines = await noted(notes, "1 ends", "2 ends")
    assert len([line for line in lines if line.endswith("sweep")]) == 1


async def test_another_process_sweeps_when_the_sweeper_dies_and_ends_its_leases(notes: Path, listening: socket.socket):
    ready = asyncio.Event()
    running = asyncio.create_task(supervised(listening, SERVER, ready).run())
    await asyncio.wait_for(ready.wait(), 30)
    lines = await noted(notes, "sweep")
    sweeper = int(next(line for line in lines if line.endswith("sweep"))[0])
    died = pids(notes, sweeper)[0]

    os.kill(died, signal.SIGKILL)

    await noted(notes, f"{3 - sweeper} sweep", f"{3 - sweeper} end_leases owner-{died}")
    async with asyncio.timeout(30):
        while len(pids(notes, sweeper)) < 2:  # it was started again
            await asyncio.sleep(0.02)
    os.kill(os.getpid(), signal.SIGTERM)
    assert await asyncio.wait_for(running, 30) == 0


async def test_a_notification_reaches_the_other_process_and_does_not_come_back(notes: Path, listening: socket.socket):
    ready = asyncio.Event()
    running = asyncio.create_task(supervised(listening, SERVER, ready).run())
    await asyncio.wait_for(ready.wait(), 30)

    os.kill(pids(notes, 1)[0], signal.SIGUSR1)
    await noted(notes, "2 ring")
    os.kill(pids(notes, 2)[0], signal.SIGUSR1)

    lines = await noted(notes, "1 ring")
    assert (lines.count("1 ring"), lines.count("2 ring")) == (1, 1)
    os.kill(os.getpid(), signal.SIGTERM)
    assert await asyncio.wait_for(running, 30) == 0


async def test_hangup_replaces_each_process_and_the_new_one_serves_first(notes: Path, listening: socket.socket):
    ready = asyncio.Event()
    running = asyncio.create_task(supervised(listening, SERVER, ready).run())
    await asyncio.wait_for(ready.wait(), 30)

    os.kill(os.getpid(), signal.SIGHUP)

    lines = await noted(notes, "1 ends", "2 ends")
    assert [len(pids(notes, number)) for number in (1, 2)] == [2, 2]
    starts = [place for place, line in enumerate(lines) if line.startswith("1 begins")]
    assert starts[1] < lines.index("1 ends")
    os.kill(os.getpid(), signal.SIGTERM)
    assert await asyncio.wait_for(running, 30) == 0


async def test_a_new_process_that_hangs_is_ended_and_the_old_ones_go_on(
    notes: Path, listening: socket.socket, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    ready, hangs = asyncio.Event(), tmp_path / "hangs"
    program = SERVER.replace(
        "link.sendall(json",
        f"if os.path.exists({str(hangs)!r}):\n    note('hangs')\n    signal.pause()\nlink.sendall(json",
    )
    running = asyncio.create_task(supervised(listening, program, ready).run())
    await asyncio.wait_for(ready.wait(), 30)

    hangs.touch()
    monkeypatch.setattr(supervisor_module, "START_WITHIN_SECONDS", 10.0)
    os.kill(os.getpid(), signal.SIGHUP)
    await noted(notes, "1 hangs", "1 ends")
    monkeypatch.setattr(supervisor_module, "START_WITHIN_SECONDS", 60.0)
    hangs.unlink()
    os.kill(pids(notes, 2)[0], signal.SIGKILL)  # the supervisor still starts processes again

    async with asyncio.timeout(30):
        while len(pids(notes, 2)) < 2:
            await asyncio.sleep(0.02)
    assert len(pids(notes, 1)) == 2
    os.kill(os.getpid(), signal.SIGTERM)
    assert await asyncio.wait_for(running, 30) == 0


async def test_a_process_that_died_just_before_a_hangup_has_one_successor(
    notes: Path, listening: socket.socket, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(supervisor_module, "FIRST_PAUSE_SECONDS", 2.0)
    ready = asyncio.Event()
    running = asyncio.create_task(supervised(listening, SERVER, ready).run())
    await asyncio.wait_for(ready.wait(), 30)

    os.kill(pids(notes, 1)[0], signal.SIGKILL)
    await asyncio.sleep(0.2)
    os.kill(os.getpid(), signal.SIGHUP)

    await noted(notes, "2 ends")
    await asyncio.sleep(2.5)  # the pause is over
    assert [len(pids(notes, number)) for number in (1, 2)] == [2, 2]
    os.kill(os.getpid(), signal.SIGTERM)
    assert await asyncio.wait_for(running, 30) == 0


async def test_a_process_that_is_killed_at_the_first_start_is_started_again(notes: Path, listening: socket.socket):
    ready = asyncio.Event()
    slow = SERVER.replace("link.sendall(json", "__import__('time').sleep(2)\nlink.sendall(json")
    running = asyncio.create_task(supervised(listening, slow, ready).run())
    await noted(notes, "1 begins", "2 begins")

    os.kill(pids(notes, 1)[0], signal.SIGKILL)

    await asyncio.wait_for(ready.wait(), 30)
    assert [len(pids(notes, number)) for number in (1, 2)] == [2, 1]
    os.kill(os.getpid(), signal.SIGTERM)
    assert await asyncio.wait_for(running, 30) == 0


async def test_a_process_that_cannot_start_ends_all_and_the_exit_status_says_so(notes: Path, listening: socket.socket):
    program = "import os, sys\nif os.environ['SONI_WORKER'] == '2/2': sys.exit(3)\n" + SERVER

    assert await asyncio.wait_for(supervised(listening, program).run(), 30) == 1

    assert len(pids(notes, 1)) == 1


async def test_the_supervisor_gives_up_when_nothing_serves_and_no_start_succeeds(
    notes: Path, listening: socket.socket, tmp_path: Path
):
    ready, broken = asyncio.Event(), tmp_path / "broken"
    program = f"import pathlib, sys\nif pathlib.Path({str(broken)!r}).exists(): sys.exit(3)\n" + SERVER
    running = asyncio.create_task(supervised(listening, program, ready).run())
    await asyncio.wait_for(ready.wait(), 30)
    broken.touch()

    for number in (1, 2):
        os.kill(pids(notes, number)[0], signal.SIGKILL)

    assert await asyncio.wait_for(running, 60) == 1


async def test_a_process_that_does_not_end_is_killed(
    notes: Path, listening: socket.socket, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(supervisor_module, "KILL_AFTER_SECONDS", 0.2)
    ready = asyncio.Event()
    program = SERVER.replace('lambda *_: sys.exit(note("ends"))', "signal.SIG_IGN")
    running = asyncio.create_task(supervised(listening, program, ready).run())
    await asyncio.wait_for(ready.wait(), 30)

    os.kill(os.getpid(), signal.SIGTERM)

    assert await asyncio.wait_for(running, 30) == 0
    for number in (1, 2):
        with pytest.raises(ProcessLookupError):
            os.kill(pids(notes, number)[0], 0)
