"""Kinds of files, recognised by their content and never by their name or by what a browser says they are.

The table is ours and short, in place of a library that knows a thousand types: a flow accepts few kinds, each of them
is recognised by the first bytes that its format prescribes, and libmagic would be a C library to install beside Python.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from lzma import LZMAError
from typing import BinaryIO
from zipfile import BadZipFile, ZipFile
from zlib import error as zlib_error

HEAD_BYTES = 512
"""How much of the beginning of a file `kind_of_file` reads, besides the directory of a zip archive."""


@dataclass(frozen=True)
class FileKind:
    """One kind: its media type, the endings that names may have, and whether a page may show it as an image."""

    name: str
    media_type: str
    endings: tuple[str, ...]
    is_picture: bool = False


_OFFICE = "application/vnd.openxmlformats-officedocument."
FILE_KINDS: Mapping[str, FileKind] = {
    kind.name: kind
    for kind in (
        FileKind("pdf", "application/pdf", (".pdf",)),
        FileKind("png", "image/png", (".png",), is_picture=True),
        FileKind("jpeg", "image/jpeg", (".jpg", ".jpeg"), is_picture=True),
        FileKind("gif", "image/gif", (".gif",), is_picture=True),
        FileKind("webp", "image/webp", (".webp",), is_picture=True),
        FileKind("heic", "image/heic", (".heic", ".heif")),
        FileKind("tiff", "image/tiff", (".tif", ".tiff")),
        FileKind("docx", f"{_OFFICE}wordprocessingml.document", (".docx",)),
        FileKind("xlsx", f"{_OFFICE}spreadsheetml.sheet", (".xlsx",)),
        FileKind("pptx", f"{_OFFICE}presentationml.presentation", (".pptx",)),
        FileKind("odt", "application/vnd.oasis.opendocument.text", (".odt",)),
        FileKind("ods", "application/vnd.oasis.opendocument.spreadsheet", (".ods",)),
        FileKind("zip", "application/zip", (".zip",)),
        FileKind("mp3", "audio/mpeg", (".mp3",)),
        FileKind("wav", "audio/wav", (".wav",)),
        FileKind("ogg", "audio/ogg", (".ogg", ".oga", ".opus")),
        FileKind("mp4", "video/mp4", (".mp4", ".m4a", ".m4v", ".mov")),
        FileKind("text", "text/plain", (".txt", ".csv", ".md", ".log")),
    )
}
KIND_GROUPS: Mapping[str, tuple[str, ...]] = {
    "image": ("png", "jpeg", "gif", "webp", "heic", "tiff"),
    "document": ("pdf", "docx", "odt", "text"),
    "spreadsheet": ("xlsx", "ods", "text"),
    "audio": ("mp3", "wav", "ogg", "mp4"),
    "video": ("mp4",),
}
"""Words that stand for several kinds in the `kinds` of a slot."""

_BEGINNINGS: tuple[tuple[int, bytes, str], ...] = (
    (0, b"%PDF-", "pdf"),
    (0, b"\x89PNG\r\n\x1a\n", "png"),
    (0, b"\xff\xd8\xff", "jpeg"),
    (0, b"GIF87a", "gif"),
    (0, b"GIF89a", "gif"),
    (8, b"WEBP", "webp"),
    (8, b"WAVE", "wav"),
    (0, b"II*\x00", "tiff"),
    (0, b"MM\x00*", "tiff"),
    (0, b"OggS", "ogg"),
    (0, b"ID3", "mp3"),
    (0, b"\xff\xfb", "mp3"),
    (0, b"\xff\xf3", "mp3"),
    (4, b"ftyphei", "heic"),
    (4, b"ftypmif1", "heic"),
    (4, b"ftyp", "mp4"),
)
"""Offset, bytes and kind; the first that fits counts."""
_RIFF_KINDS = frozenset({"webp", "wav"})
_ZIP = b"PK\x03\x04"
_OFFICE_FOLDERS = {"word/": "docx", "xl/": "xlsx", "ppt/": "pptx"}
_OPEN_DOCUMENTS = {FILE_KINDS[name].media_type.encode(): name for name in ("odt", "ods")}
_MAX_ZIP_ENTRIES = 10_000
_BROKEN_ARCHIVE = (BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError, EOFError, LZMAError, zlib_error)
"""What zipfile and the modules that unpack for it raise for content that is no valid archive."""
_CONTROL_BYTES = frozenset(range(32)) - frozenset(b"\t\n\r\f")


def kind_of_file(file: BinaryIO) -> str:
    """Return the kind of the file's content, "" for an unknown one. The file is left at its beginning."""
    file.seek(0)
    head = file.read(HEAD_BYTES)
    kind = _kind_of_zip(file) if head.startswith(_ZIP) else _kind_of_head(head)
    if not kind and head and _is_text(file, head):
        kind = "text"
    file.seek(0)
    return kind


def _kind_of_head(head: bytes) -> str:
    for offset, beginning, kind in _BEGINNINGS:
        if head[offset:].startswith(beginning) and (kind not in _RIFF_KINDS or head.startswith(b"RIFF")):
            return kind
    return ""


def _kind_of_zip(file: BinaryIO) -> str:
    """Return the kind of an archive by the names in it; nothing of it is unpacked but the mark of an OpenDocument."""
    try:
        with ZipFile(file) as archive:
            names = archive.namelist()
            if len(names) > _MAX_ZIP_ENTRIES:
                return ""
            if "[Content_Types].xml" in names:
                folders = {folder for folder in _OFFICE_FOLDERS if any(name.startswith(folder) for name in names)}
                return _OFFICE_FOLDERS[folders.pop()] if len(folders) == 1 else "zip"
            if names and names[0] == "mimetype":
                with archive.open("mimetype") as mark:
                    return _OPEN_DOCUMENTS.get(mark.read(100).strip(), "zip")
            return "zip"
    except _BROKEN_ARCHIVE:
        return ""


def _is_text(file: BinaryIO, head: bytes) -> bool:
    """Return whether the whole content is UTF-8 without control characters; a web page is not a text."""
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<":
        return False
    file.seek(0)
    rest = b""
    while chunk := file.read(64 * 1024):
        if not _CONTROL_BYTES.isdisjoint(chunk):
            return False
        rest, is_utf8 = _check_utf8(rest + chunk)
        if not is_utf8:
            return False
    return not rest


def _check_utf8(data: bytes) -> tuple[bytes, bool]:
    """Return the bytes of a character that the data cuts off, and whether what comes before is UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        is_cut = error.reason == "unexpected end of data" and len(data) - error.start < 4
        return data[error.start :], is_cut
    return b"", True


def expand_kinds(kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Return the kinds that these words stand for, in order and once each; every kind for no words."""
    names = [name for word in kinds for name in KIND_GROUPS.get(word, (word,))] or list(FILE_KINDS)
    return tuple(dict.fromkeys(names))
