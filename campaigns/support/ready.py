"""What every campaign starts from, made once and copied: a migrated database, and the bank with its people.

Processes that run campaigns beside each other share one folder, which `READY` names in their environment.
"""

import atexit
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from shutil import copytree, rmtree
from tempfile import mkdtemp

from tests.support.database import migrated
from tests.support.database.migrated import MIGRATE
from tests.support.processes.postgres import copy_cluster, postgres_server
from tests.support.processes.server import Server

READY = "SONI_CAMPAIGNS_READY"

MOST = 32
"""Operators who can race."""

PEOPLE = f"""
import hashlib
from django.contrib.auth.models import Group, User
from dialogue.library.demo.seed import seed_demo
from dialogue.models import ApiToken
seed_demo()
def token_for(user, token):
    ApiToken.objects.create(user=user, name="race", sha256=hashlib.sha256(token.encode()).hexdigest())
groups = [Group.objects.get_or_create(name=name)[0] for name in ("operators", "payments")]
for place in range({MOST}):
    user = User.objects.create_user(f"racer-{{place}}", first_name=f"Racer {{place}}")
    user.groups.set(groups)
    token_for(user, f"racer-{{place}}")
for name in ("ursula", "sofia"):
    token_for(User.objects.get(username=name), name)
"""


def copy_migrated(to: Path) -> None:
    """A data folder with a migrated SQLite file in it."""
    to.mkdir(parents=True, exist_ok=True)
    migrated.copy_migrated(to / migrated.NAME)


def copy_bank(to: Path) -> None:
    """A data folder with the bank."""
    copytree(_made("bank", _make_bank), to, dirs_exist_ok=True)


def migrated_cluster() -> Path:
    """A stopped PostgreSQL whose database is migrated; for `postgres_server` to copy."""
    return _made("migrated-cluster", lambda half: _make_cluster(half, None, MIGRATE))


def bank_cluster() -> Path:
    """A stopped PostgreSQL with the bank in its database."""
    return _made("bank-cluster", lambda half: _make_cluster(half, migrated_cluster(), PEOPLE))


def _make_bank(half: Path) -> None:
    copy_migrated(half)
    _run(half, PEOPLE)


def _make_cluster(half: Path, earlier: Path | None, code: str) -> None:
    with postgres_server(cluster=earlier) as server:
        _run(server.folder / "data", code, server.dsn)
        server.stop()
        copy_cluster(Path(server.cluster), half)


def _run(data: Path, code: str, database: str = "") -> None:
    Server(data, DATABASE_URL=database, SONI_DEPLOYMENT="embedded").shell(code)


def _made(name: str, make: Callable[[Path], None]) -> Path:
    """The folder of this name; the first caller makes it, and the others wait."""
    place = folder() / name
    with migrated.alone(place.with_suffix(".lock")):
        if not place.exists():
            half = place.with_suffix(".half")
            make(half)
            half.rename(place)
    return place


@cache
def folder() -> Path:
    """The folder that is shared, or one that goes with this process."""
    if shared := os.environ.get(READY):
        return Path(shared)
    own = Path(mkdtemp(prefix="soni-campaigns-"))
    atexit.register(rmtree, own, ignore_errors=True)
    return own
