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
VERSIONS_FILE = "versions.txt"
"""Which version each document is, a line each, so that an import can tell whether another author saved meanwhile."""
_TIMESTAMP = (1980, 1, 1, 0, 0, 0)
"""The oldest time that a zip can hold. A fixed time makes the same bytes of the same documents."""


class ArchiveRefused(Exception):
    """The file is not a zip of flow documents; the message says what is missing."""


@dataclass(frozen=True)
class Archive:
    """The documents by file name, and the versions that they were made from where the file says so."""

    documents: dict[str, str]
    bases: dict[str, int] = field(default_factory=dict)


def pack_archive(name: str, documents: Mapping[str, str], bases: Mapping[str, int] | None = None) -> bytes:
    """Pack the documents into a zip, in a folder of the assistant's name."""
    texts = dict(sorted(documents.items()))
    if bases:
        texts[VERSIONS_FILE] = "".join(f"{file} {bases[file]}\n" for file in sorted(documents) if file in bases)
    return zip_texts({f"{name}/{file}": text for file, text in texts.items()})


def zip_texts(texts: Mapping[str, str]) -> bytes:
    """A zip of texts by their paths, in this order."""
    content = BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for path, text in texts.items():
            archive.writestr(zipfile.ZipInfo(path, _TIMESTAMP), text.encode("utf-8"), zipfile.ZIP_DEFLATED)
    return content.getvalue()


def unpack_archive(content: IO[Any]) -> Archive:
    """The documents of a zip, whichever folder they are in. Raises ArchiveRefused."""
    try:
        with zipfile.ZipFile(content) as archive:
            return _read_archive(archive)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, UnicodeDecodeError) as error:
        raise ArchiveRefused("This file is not a zip of UTF-8 text files. Choose an exported file.") from error


def _read_archive(archive: zipfile.ZipFile) -> Archive:
    entries = [
        entry for entry in archive.infolist() if PurePosixPath(entry.filename).suffix == SUFFIX and not entry.is_dir()
    ]
    own_entry = next((entry for entry in entries if PurePosixPath(entry.filename).name == OWN_FILE), None)
    if own_entry is None:
        raise ArchiveRefused(f"This file holds no {OWN_FILE}. Choose an exported file.")
    folder = PurePosixPath(own_entry.filename).parent
    documents = [entry for entry in entries if PurePosixPath(entry.filename).parent == folder]
    if len(documents) > MAX_FILES or any(entry.file_size > MAX_DOCUMENT_BYTES for entry in documents):
        raise ArchiveRefused(f"A file holds at most {MAX_FILES} documents of at most 1 MiB.")
    return Archive(_read_documents(archive, documents), _read_bases(archive, str(folder / VERSIONS_FILE)))


def _read_documents(archive: zipfile.ZipFile, entries: Iterable[zipfile.ZipInfo]) -> dict[str, str]:
    """The texts by file name, counted as they are unpacked."""
    documents, remaining_bytes = {}, MAX_TOTAL_BYTES
    for entry in entries:
        content = _read_bytes(archive, entry, min(MAX_DOCUMENT_BYTES, remaining_bytes + 1))
        remaining_bytes -= len(content)
        if remaining_bytes < 0:
            raise ArchiveRefused(f"The documents of a file hold at most {MAX_TOTAL_BYTES // 1024**2} MiB together.")
        documents[PurePosixPath(entry.filename).name] = content.decode("utf-8")
    return documents


def _read_bases(archive: zipfile.ZipFile, path: str) -> dict[str, int]:
    """The versions by file; lines without one are ignored, since a person may have edited them."""
    entry = next((member for member in archive.infolist() if member.filename == path), None)
    lines = _read_bytes(archive, entry).decode("utf-8").splitlines()[:MAX_FILES] if entry else []
    words = [line.split() for line in lines]
    return {pair[0]: int(pair[1]) for pair in words if len(pair) == 2 and pair[1].isascii() and pair[1].isdigit()}


def _read_bytes(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, max_bytes: int = MAX_DOCUMENT_BYTES) -> bytes:
    """Read at most `max_bytes` of an entry: the sizes that a zip declares cannot be trusted."""
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ArchiveRefused("This file is packed in a way that is not read here; use an ordinary zip.")
    with archive.open(entry) as stream:
        return stream.read(max_bytes)
