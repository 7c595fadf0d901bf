"""The key that signs sessions and links: made at the first start, kept in the data folder, for its owner only."""

import os
from contextlib import suppress
from pathlib import Path
from secrets import token_urlsafe
from tempfile import NamedTemporaryFile

KEY_BYTES = 64


def kept_key(path: Path) -> str:
    """The key in the file; the first to ask makes it. Two that start at the same moment get the same key."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        make_key(path)
    return path.read_text(encoding="ascii").strip()


def make_key(path: Path) -> None:
    with NamedTemporaryFile("w", dir=path.parent, encoding="ascii") as draft:
        draft.write(token_urlsafe(KEY_BYTES))
        draft.flush()
        with suppress(FileExistsError):
            os.link(draft.name, path)  # a link appears whole or not at all, and never replaces another's key
