"""A throw-away PostgreSQL: made in a temporary folder, reached by a socket in it, gone afterwards.

`with postgres_server() as server:` gives it to a test; `python -m tests.support.processes.postgres COMMAND…` runs a
command with DATABASE_URL set to it, which is how tests are run once more on PostgreSQL.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from urllib.parse import urlencode

UNPRIVILEGED = "postgres"  # the user that Debian's package brings; PostgreSQL refuses to run as root
USER = DATABASE = "soni"
HASTY = ("fsync=off", "full_page_writes=off")  # safe from kill -9, not from a power cut
START_SECONDS = 60


class PostgresMissing(Exception):
    """No PostgreSQL is installed; `make test` installs Debian's `postgresql`."""


@dataclass(frozen=True)
class PostgresServer:
    """A cluster in `folder`. It can be stopped, killed and started again, and keeps what it stored."""

    folder: Path
    programs: Path
    options: tuple[str, ...]

    @property
    def dsn(self) -> str:
        """The URL of its database, as DATABASE_URL takes it."""
        return self.dsn_of(DATABASE)

    def dsn_of(self, database: str) -> str:
        return f"postgresql://{USER}@/{database}?{urlencode({'host': str(self.folder)})}"

    def create(self) -> None:
        self.run("initdb", "--pgdata", self.cluster, "--username", USER, "--auth=trust", "--encoding=UTF8", "--no-sync")

    def start(self) -> None:
        settings = ("listen_addresses=", f"unix_socket_directories={self.folder}", *self.options)
        options = " ".join(f"-c {setting}" for setting in settings)
        self.control("start", "--log", str(self.folder / "log"), "--options", options)

    def stop(self) -> None:
        """An orderly stop that does not wait for its clients."""
        self.control("stop", "--mode", "fast")

    def kill(self) -> None:
        """A stop as by a power cut; the next start recovers."""
        self.control("stop", "--mode", "immediate")

    def create_database(self, name: str) -> str:
        """A further, empty database; gives its URL."""
        self.run("createdb", "--host", str(self.folder), "--username", USER, name)
        return self.dsn_of(name)

    @property
    def cluster(self) -> str:
        return str(self.folder / "cluster")

    def control(self, *words: str) -> None:
        self.run("pg_ctl", "--pgdata", self.cluster, "--wait", "--timeout", str(START_SECONDS), *words)

    def run(self, program: str, *words: str) -> None:
        command = [str(self.programs / program), *words]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self.folder, user=server_user())


@contextmanager
def postgres_server(*, durable: bool = False, cluster: Path | None = None) -> Iterator[PostgresServer]:
    """A running server, new or a copy of a stopped `cluster`. `durable` makes it wait for the disk, for tests that kill
    it."""
    folder = Path(mkdtemp(prefix="soni-postgres-"))
    if owner := server_user():
        shutil.chown(folder, owner)
    server = PostgresServer(folder, find_programs(), () if durable else HASTY)
    try:
        if cluster is None:
            server.create()
        else:
            copy_cluster(cluster, Path(server.cluster))
        server.start()
        if cluster is None:
            server.create_database(DATABASE)
        yield server
    finally:
        if (folder / "cluster" / "postmaster.pid").exists():
            server.kill()
        shutil.rmtree(folder)


def copy_cluster(cluster: Path, to: Path) -> None:
    """With owners and rights, which PostgreSQL is particular about."""
    subprocess.run(["cp", "-a", str(cluster), str(to)], check=True)


def find_programs() -> Path:
    """The newest of Debian's servers, or whichever is on the path."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda program: int(program.parts[-3]))
    if debian:
        return debian[-1].parent
    on_path = shutil.which("initdb")
    if on_path is None:
        raise PostgresMissing(PostgresMissing.__doc__)
    return Path(on_path).resolve().parent


def server_user() -> str | None:
    """None: the one who asks runs the server, unless that is root."""
    return UNPRIVILEGED if os.getuid() == 0 else None


def run_beside(command: Sequence[str]) -> int:
    with postgres_server() as server:
        return subprocess.run(command, env={**os.environ, "DATABASE_URL": server.dsn}, check=False).returncode


if __name__ == "__main__":
    sys.exit(run_beside(sys.argv[1:]))
