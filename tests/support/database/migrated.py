"""A migrated SQLite file: made once for each state of the migrations, and copied for whatever is not about migrating.

Migrating takes five seconds of the processor, and dozens of tests would each do it anew.
"""

import fcntl
import hashlib
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.processes.server import ROOT, Server

KEPT = ROOT / "var" / "migrated"
NAME = "soni.sqlite3"
"""What the product calls its file in a folder of data."""

DECIDE = (
    "dialogue/migrations/*.py",
    "dialogue/models/**/*.py",
    "dialogue/audit/append_only.py",
    "requirements/run.txt",
)
"""The files that decide what a migrated database is."""

MIGRATE = "from django.core.management import call_command; call_command('migrate', verbosity=0, interactive=False)"


def copy_migrated(to: Path) -> None:
    """A migrated file of this name. Whoever asks first makes what is copied, and the others wait."""
    KEPT.mkdir(parents=True, exist_ok=True)
    kept = KEPT / f"{_digest()}.sqlite3"
    with alone(KEPT / "lock"):
        if not kept.exists():
            _make(kept)
        shutil.copyfile(kept, to)


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """One process after the other."""
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _make(kept: Path) -> None:
    half = kept.with_suffix(".half")
    with TemporaryDirectory(prefix="soni-migrated-") as data:
        Server(Path(data), DATABASE_URL="", SONI_DEPLOYMENT="embedded").shell(MIGRATE)
        with closing(sqlite3.connect(Path(data) / NAME)) as made, closing(sqlite3.connect(half)) as copy:
            made.backup(copy)
    for earlier in KEPT.glob("*.sqlite3"):
        earlier.unlink()
    half.rename(kept)


def _digest() -> str:
    digest = hashlib.sha256()
    for file in sorted(file for pattern in DECIDE for file in ROOT.glob(pattern)):
        digest.update(f"{file.relative_to(ROOT)}\n".encode() + file.read_bytes())
    return digest.hexdigest()[:16]
