"""The key that signs sessions and links: made at the first start, kept in the data folder, for its owner only."""

import os
from contextlib import suppress
from pathlib import Path
from secrets import token_urlsafe
from tempfile import NamedTemporaryFile

from dialogue.conf.environment import SettingRefused

KEY_BYTES = 64


def kept_key(path: Path) -> str:
    """The key in the file; the first to ask makes it. Two that start at the same moment get the same key.

    Raises SettingRefused where the file holds no key.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        make_key(path)
    try:
        key = path.read_text(encoding="ascii").strip()
    except UnicodeDecodeError as error:
        raise _refused(path, "holds something that is not a key") from error
    except OSError as error:
        raise SettingRefused(f"The key in {path} cannot be read: {error.strerror}. Make the file yours.") from error
    if not key or not key.isprintable():
        raise _refused(path, "holds something that is not a key" if key else "is empty")
    return key


def make_key(path: Path) -> None:
    with NamedTemporaryFile("w", dir=path.parent, encoding="ascii") as draft:
        draft.write(token_urlsafe(KEY_BYTES))
        draft.flush()
        with suppress(FileExistsError):
            os.link(draft.name, path)  # a link appears whole or not at all, and never replaces another's key


def _refused(path: Path, state: str) -> SettingRefused:
    return SettingRefused(
        f"{path} {state}. Restore the file from a backup; or delete it, and the next start makes a new key: everybody "
        "then has to sign in again, and links that were mailed no longer work."
    )
