"""An assistant as a folder of documents: reading it and writing it, byte for byte."""

from collections.abc import Mapping
from pathlib import Path

from dialogue.engine.source.problems import FlowProblems, Problem
from dialogue.models.assistants.flow import OWN_DOCUMENT

SUFFIX = ".yaml"
OWN_FILE = OWN_DOCUMENT + SUFFIX
MAX_DOCUMENT_BYTES = 1024 * 1024
"""More of a file is not read; the language refuses such a document anyway."""


class FolderRefused(Exception):
    """The path is not a folder of flow documents; the message says what is missing."""


def load_folder(path: Path) -> dict[str, str]:
    """The documents of a folder by file name, exactly as they are on disk (line ends and byte order mark included).

    Raises FolderRefused when there is no `assistant.yaml`, and FlowProblems for a file that is not UTF-8.
    """
    if not path.is_dir():
        raise FolderRefused(f"{path} is no folder. Name the folder that holds {OWN_FILE} and one file per flow.")
    documents = {file.name: read_document(file) for file in sorted(path.glob(f"[!.]*{SUFFIX}")) if file.is_file()}
    if OWN_FILE not in documents:
        raise FolderRefused(f"{path} holds no {OWN_FILE}. An assistant is a folder of that file and one per flow.")
    return documents


def read_document(file: Path, max_bytes: int = MAX_DOCUMENT_BYTES) -> str:
    """At most `max_bytes` bytes of a file, as text. Raises FlowProblems when they are not UTF-8, and OSError."""
    with file.open("rb") as stream:
        content = stream.read(max_bytes)
    try:
        # A cut may fall into a character; what was cut is refused for its size.
        return content.decode("utf-8", "ignore" if len(content) == max_bytes else "strict")
    except UnicodeDecodeError as error:
        raise FlowProblems([_not_utf8(file.name, content, error.start)]) from error


def _not_utf8(name: str, content: bytes, position: int) -> Problem:
    before = content[:position]
    line, column = before.count(b"\n") + 1, position - before.rfind(b"\n")
    text = f"the byte 0x{content[position]:02x} is not UTF-8"
    return Problem("E-YAML", name, line, column, "", "error", text, "Save the file as UTF-8", "not_utf8")


def write_folder(documents: Mapping[str, str], path: Path) -> list[Path]:
    """Write the documents into the folder `path`, which is made when it is new; returns the files, by name.

    Other files of the folder are left alone.
    """
    path.mkdir(parents=True, exist_ok=True)
    files = [path / name for name in sorted(documents)]
    for file in files:
        file.write_bytes(documents[file.name].encode("utf-8"))
    return files
