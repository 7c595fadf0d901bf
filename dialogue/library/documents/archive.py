"""An assistant as one file: a zip of its documents, the same bytes for the same documents."""

import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import PurePosixPath
from typing import IO, Any

from dialogue.library.documents.folders import MAX_DOCUMENT_BYTES, OWN_FILE, SUFFIX

MAX_FILES = 500
MAX_TOTAL_BYTES = 4 * 1024 * 1024
"""Of all documents together, unpacked: a small file may hold very much, and each document is then read."""
BASES = "versions.txt"
"""Which version each document is, a line each, so that whoever takes the file in again overwrites nobody unseen."""
_STAMP = (1980, 1, 1, 0, 0, 0)
"""The oldest time that a zip can say: what did not change makes the same file."""


class ArchiveRefused(Exception):
    """The file is no zip of flow documents; the message says what is missing."""


@dataclass(frozen=True)
class Archive:
    """The documents by file name, and the versions that they were made from where the file says so."""

    documents: dict[str, str]
    bases: dict[str, int] = field(default_factory=dict)


def pack_archive(name: str, documents: Mapping[str, str], bases: Mapping[str, int] | None = None) -> bytes:
    """The documents in a folder of the assistant's name."""
    texts = dict(sorted(documents.items()))
    if bases:
        texts[BASES] = "".join(f"{file} {bases[file]}\n" for file in sorted(documents) if file in bases)
    return zip_texts({f"{name}/{file}": text for file, text in texts.items()})


def zip_texts(texts: Mapping[str, str]) -> bytes:
    """A zip of texts by their paths, in this order."""
    content = BytesIO()
    with zipfile.ZipFile(content, "w") as parcel:
        for path, text in texts.items():
            parcel.writestr(zipfile.ZipInfo(path, _STAMP), text.encode("utf-8"), zipfile.ZIP_DEFLATED)
    return content.getvalue()


def unpack_archive(content: IO[Any]) -> Archive:
    """The documents of a zip, whichever folder they are in. Raises ArchiveRefused."""
    try:
        with zipfile.ZipFile(content) as parcel:
            return _parcel(parcel)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, UnicodeDecodeError) as why:
        raise ArchiveRefused("This file is no zip of text files in UTF-8.") from why


def _parcel(parcel: zipfile.ZipFile) -> Archive:
    entries = [
        each for each in parcel.infolist() if PurePosixPath(each.filename).suffix == SUFFIX and not each.is_dir()
    ]
    own = next((each for each in entries if PurePosixPath(each.filename).name == OWN_FILE), None)
    if own is None:
        raise ArchiveRefused(f"There is no {OWN_FILE} in this file.")
    folder = PurePosixPath(own.filename).parent
    mine = [each for each in entries if PurePosixPath(each.filename).parent == folder]
    if len(mine) > MAX_FILES or any(each.file_size > MAX_DOCUMENT_BYTES for each in mine):
        raise ArchiveRefused(f"A file holds at most {MAX_FILES} documents of at most 1 MiB.")
    return Archive(_documents(parcel, mine), _bases(parcel, str(folder / BASES)))


def _documents(parcel: zipfile.ZipFile, entries: Iterable[zipfile.ZipInfo]) -> dict[str, str]:
    """The texts by file name, counted as they are unpacked."""
    documents, left = {}, MAX_TOTAL_BYTES
    for entry in entries:
        content = _bytes(parcel, entry, min(MAX_DOCUMENT_BYTES, left + 1))
        left -= len(content)
        if left < 0:
            raise ArchiveRefused(f"The documents of a file hold at most {MAX_TOTAL_BYTES // 1024**2} MiB together.")
        documents[PurePosixPath(entry.filename).name] = content.decode("utf-8")
    return documents


def _bases(parcel: zipfile.ZipFile, path: str) -> dict[str, int]:
    """Lines that say no version are passed over: a person may have edited them."""
    entry = next((each for each in parcel.infolist() if each.filename == path), None)
    lines = _bytes(parcel, entry).decode("utf-8").splitlines()[:MAX_FILES] if entry else []
    words = [line.split() for line in lines]
    return {pair[0]: int(pair[1]) for pair in words if len(pair) == 2 and pair[1].isascii() and pair[1].isdigit()}


def _bytes(parcel: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int = MAX_DOCUMENT_BYTES) -> bytes:
    """What a zip says of its sizes may be a lie: no more is unpacked than a document may have."""
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ArchiveRefused("This file is packed in a way that is not read here; use an ordinary zip.")
    with parcel.open(entry) as stream:
        return stream.read(most)
