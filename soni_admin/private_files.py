"""Files that hold people's words, links and keys: for the account that serves, and for no other of the machine."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.core.mail.backends.filebased import EmailBackend as FileBackend

FOLDER_MODE, FILE_MODE = 0o700, 0o600
OTHERS = 0o077

OURS = ("secret_key", "soni.sqlite3")
"""What tells a data folder from any other."""


def make_private_folder(path: Path) -> None:
    """Make the folder for its owner only. One that was there before is closed to others if it is a data folder of ours:
    it may be somebody's home, which is not ours to change."""
    path.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    if any((path / name).exists() for name in OURS):
        _close(path, FOLDER_MODE)


def make_private_database(path: Path) -> None:
    """Make an empty file where there is none, so that SQLite makes none for everybody; its logs take over its mode."""
    with suppress(OSError):  # SQLite says what is wrong with the place
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, FILE_MODE))
    for suffix in ("", "-wal", "-shm"):
        _close(path.with_name(path.name + suffix), FILE_MODE)


def is_readable_by_others(path: Path) -> bool:
    """Whether another account of this machine may read the file; False where there is none."""
    with suppress(OSError):
        return bool(path.stat().st_mode & OTHERS)
    return False


def _close(path: Path, mode: int) -> None:
    """Another owner's file stays as it is."""
    with suppress(OSError):
        state = path.stat()
        if state.st_mode & OTHERS and state.st_uid == os.geteuid():
            path.chmod(mode)


class EmailBackend(FileBackend):
    """Mails as files, where there is no mail server. They hold links with which their holder can answer."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        Path(self.file_path).chmod(FOLDER_MODE)

    def open(self) -> bool:
        """Open the file that the mails of this connection go to; False if it is open."""
        if self.stream is not None:
            return False
        name = self._get_filename()  # type: ignore[attr-defined]
        self.stream: Any = open(name, "ab", opener=_open_private)  # noqa: SIM115
        return True


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, FILE_MODE)
