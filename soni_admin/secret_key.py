"""The key that signs sessions and links: made at the first start, kept in the data folder, for its owner only."""

import os
from pathlib import Path
from secrets import token_urlsafe

KEY_BYTES = 64


def kept_key(path: Path) -> str:
    """The key in the file; the first to ask makes it. Two that start at the same moment get the same key."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        make_key(path)
    return path.read_text(encoding="ascii").strip()


def make_key(path: Path) -> None:
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(token_urlsafe(KEY_BYTES))
    try:
        os.link(draft, path)  # a link appears whole or not at all, and never replaces another's key
    except FileExistsError:
        pass
    finally:
        draft.unlink()
