"""The documents that an assistant answers questions from: stored, cut into passages, taken away."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from django.db import transaction
from django.utils.translation import gettext as _

from dialogue.audit import chain
from dialogue.engine.language.compiler import load_assistant
from dialogue.library.documents.versions import Author, documents_of
from dialogue.library.knowledge import full_text
from dialogue.models import Assistant, KnowledgeDocument, KnowledgePassage
from dialogue.turns import clock

DOCUMENTS_FOLDER = "documents"
"""The folder beside an assistant's flows whose documents `load_flows` brings along."""
DOCUMENT_SUFFIXES = (".md", ".txt")
MAX_DOCUMENT_BYTES = 256 * 1024
MAX_DOCUMENTS = 500
MAX_PASSAGE_CHARACTERS = 700
NAME = re.compile(r"[^/\\\x00-\x1f]{1,196}")

MAX_HEADING_LEVEL = 6
# Bounded, so that a text of nothing but brackets takes no longer than any other.
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^)]{0,500}\)")
_WRAPPED = re.compile(r"\n(?!\s*(?:[-*+]|\d+[.)])\s)\s*")
"""The end of a line that is none of a list's."""
_MARKS = re.compile(r"(\*\*|__|`+|^>\s?)", re.MULTILINE)


class DocumentRefused(Exception):
    """A document that cannot be kept; the message says why and what to do."""


def store_document(
    assistant: Assistant, name: str, content: bytes, by: Author = None, *, from_folder: bool = False
) -> KnowledgeDocument:
    """Keep a Markdown or text file under its name, in place of what had that name. Raises DocumentRefused."""
    text = _decode_document(name, content)
    passages = list(passages_of(name, text))
    if not passages:
        raise DocumentRefused(_("%s holds no text. Write some below its headings.") % name)
    with transaction.atomic():
        locked = Assistant.objects.select_for_update(of=("self",)).get(pk=assistant.pk)
        others = locked.knowledge_documents.exclude(name=name)
        if others.count() >= MAX_DOCUMENTS:
            message = _("%(name)s has %(limit)s documents, which is the limit. Remove one.")
            raise DocumentRefused(message % {"name": assistant.name, "limit": MAX_DOCUMENTS})
        locked.knowledge_documents.filter(name=name).delete()
        row = KnowledgeDocument.objects.create(
            assistant=locked,
            name=name,
            title=title_of(name, text)[:200],
            text=text,
            from_folder=from_folder,
            author=by,
            at=clock.now(),
        )
        stored = KnowledgePassage.objects.bulk_create(
            KnowledgePassage(document=row, ordinal=ordinal, heading=heading[:300], text=part)
            for ordinal, (heading, part) in enumerate(passages)
        )
        full_text.index_passages(stored, language_of(locked))
        _record_act("document_stored", row, by)
    return row


def remove_document(row: KnowledgeDocument, by: Author = None) -> None:
    """Take a document away; nothing is answered from it any more."""
    with transaction.atomic():
        _record_act("document_removed", row, by)
        row.delete()


def load_documents(assistant: Assistant, folder: Path, by: Author = None) -> tuple[int, int]:
    """Make the documents from a folder those that lie there now: (stored, removed). Uploaded ones stay.

    Raises DocumentRefused, and has then changed nothing.
    """
    files = {
        path.name: path for path in sorted(folder.iterdir()) if path.suffix in DOCUMENT_SUFFIXES and path.is_file()
    }
    with transaction.atomic():
        stored = {row.name: row for row in assistant.knowledge_documents.filter(from_folder=True)}
        removed = [row for name, row in stored.items() if name not in files]
        for row in removed:
            remove_document(row, by)
        changed = dict(_changed_files(files, stored))
        for name, content in changed.items():
            store_document(assistant, name, content, by, from_folder=True)
    return len(changed), len(removed)


def dump_documents(assistant: Assistant, folder: Path) -> list[Path]:
    """Write every document into the folder, which is made when there is one; returns the files, by name."""
    rows = assistant.knowledge_documents.all()
    if rows:
        folder.mkdir(parents=True, exist_ok=True)
    for row in rows:
        (folder / row.name).write_bytes(row.text.encode())
    return [folder / row.name for row in rows]


def _changed_files(files: Mapping[str, Path], stored: Mapping[str, KnowledgeDocument]) -> Iterator[tuple[str, bytes]]:
    for name, path in files.items():
        content = path.read_bytes()
        if name not in stored or stored[name].text.encode() != content:
            yield name, content


def passages_of(name: str, text: str) -> Iterator[tuple[str, str]]:
    """(heading, text) of each part: what stands below one heading, in pieces of a few paragraphs, without marks."""
    headings: list[str] = []
    paragraphs: list[str] = []
    for line in [*text.removeprefix("\ufeff").splitlines(), "# end"]:
        heading = _parse_heading(line) if name.endswith(".md") or line == "# end" else None
        if heading is None:
            paragraphs.append(line)
            continue
        yield from ((" › ".join(headings), piece) for piece in _split_into_pieces("\n".join(paragraphs)))
        level, paragraphs = heading[0], []
        headings = [*headings[: level - 1], plain_text(heading[1])]


def _parse_heading(line: str) -> tuple[int, str] | None:
    """Level and text of a Markdown heading, without the marks that may close it."""
    level = len(line) - len(line.lstrip("#"))
    if not 1 <= level <= MAX_HEADING_LEVEL or not line[level : level + 1].isspace():
        return None
    text = line[level:].strip().rstrip("#").rstrip()
    return (level, text) if text else None


def _split_into_pieces(text: str) -> Iterator[str]:
    """Paragraphs together up to the length of a passage; a longer one alone."""
    piece = ""
    for paragraph in re.split(r"\n\s*\n", plain_text(text)):
        lines = "\n".join(line.rstrip() for line in paragraph.strip().split("\n"))
        part = _WRAPPED.sub(" ", lines)
        if piece and len(piece) + len(part) > MAX_PASSAGE_CHARACTERS:
            yield piece
            piece = ""
        piece = f"{piece}\n\n{part}" if piece and part else piece or part
    if piece:
        yield piece


def plain_text(text: str) -> str:
    """Markdown as it is read aloud: links by their words, without marks."""
    return _MARKS.sub("", _LINK.sub(r"\1", text)).strip()


def title_of(name: str, text: str) -> str:
    """The first heading, else the file's name without its ending."""
    lines = text.removeprefix("\ufeff").splitlines()
    first = next((heading[1] for line in lines if (heading := _parse_heading(line))), "")
    return plain_text(first) if first and name.endswith(".md") else Path(name).stem.replace("_", " ")


def language_of(assistant: Assistant) -> str:
    """The language that the assistant's documents are searched in."""
    release = assistant.active_release
    texts = release.documents() if release else documents_of(assistant)
    return load_assistant(texts).language if texts else "en"


def _decode_document(name: str, content: bytes) -> str:
    """The document's text. Raises DocumentRefused."""
    if not NAME.fullmatch(name) or not name.endswith(DOCUMENT_SUFFIXES):
        message = _("“%s” is not a name of a document. Give it one that ends in .md or .txt.")
        raise DocumentRefused(message % name[:200])
    if len(content) > MAX_DOCUMENT_BYTES:
        message = _("%(name)s has more than %(limit)s KiB. Cut it into several documents.")
        raise DocumentRefused(message % {"name": name, "limit": MAX_DOCUMENT_BYTES // 1024})
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise DocumentRefused(_("%s is not UTF-8. Save it as UTF-8, and try again.") % name) from error
    if "\x00" in text:
        raise DocumentRefused(_("%s holds a NUL character. It is probably not a text; save it as one.") % name)
    return text


def _record_act(act: str, row: KnowledgeDocument, by: Author) -> None:
    name = by.get_username() if by else "system"
    facts = {"document": row.name, "characters": len(row.text)}
    done = chain.Act(act, name, by.pk if by else None, row.assistant.name, facts)
    chain.record(chain.CONSOLE, [done], clock.now())
