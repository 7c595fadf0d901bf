"""Parts of a message: what a channel can show better than as plain text, as JSON, and the plain text of them.

`{type: text, text}` · `{type: list, items: [text], total, more}` · `{type: links, links: [{label, url}]}` ·
`{type: table, columns: [text], rows: [[text]], total, more}` · `{type: image, url, alt}` · of a user's line also
`{type: files, files: [{id, name, kind, size}]}`, whose content is fetched by the id. `total`
counts all entries, `more` says in words how many of them are left out, "" for none. The url of an image is an https
address, or a path on this server for an image of the assistant. A later version may add types: a program shows those
that it knows, or the message's text.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

Part = Mapping[str, Any]
_BULLET = "- "


def plain_text(parts: Iterable[Part]) -> str:
    """Return the text of the parts for a channel that has nothing else, such as a terminal."""
    return "\n".join(line for part in parts for line in _plain_lines(part))


def _plain_lines(part: Part) -> Iterator[str]:
    match part["type"]:
        case "text":
            yield part["text"]
        case "list":
            yield from (f"{_BULLET}{item}" for item in part["items"])
            yield from filter(None, (part["more"],))
        case "table":
            yield from (_BULLET + _plain_row(part["columns"], row) for row in part["rows"])
            yield from filter(None, (part["more"],))
        case "files":
            yield ", ".join(file["name"] for file in part["files"])
        case "links":
            yield from (f"{link['label']}: {link['url']}" for link in part["links"])
        case _:
            yield f"{part['alt']}: {part['url']}" if part["url"].startswith("https://") else part["alt"]


def _plain_row(columns: Iterable[str], row: Iterable[str]) -> str:
    return ", ".join(f"{column}: {value}" for column, value in zip(columns, row, strict=True) if value)


def entry_counts(parts: Iterable[Part]) -> dict[str, int]:
    """Return the number of entries by type of part, such as `{"table": 32, "links": 2}`; texts are not counted."""
    counts: dict[str, int] = {}
    for part in parts:
        if part["type"] != "text":
            count = part.get("total", len(part.get("links", ())) or 1)
            counts[part["type"]] = counts.get(part["type"], 0) + count
    return counts


def redacted_parts(parts: Iterable[Part], redact: Callable[[str], str]) -> list[dict[str, Any]]:
    """Return the parts with every text that people read redacted, and the addresses of links and images too."""
    return [{**_redacted(dict(part), redact), "type": part["type"]} for part in parts]


def _redacted(value: Any, redact: Callable[[str], str]) -> Any:
    match value:
        case str():
            return redact(value)
        case list() | tuple():
            return [_redacted(item, redact) for item in value]
        case dict():
            return {name: _redacted(item, redact) for name, item in value.items()}
        case _:
            return value
