"""Read a mail (RFC 5322): who wrote what in which thread, and whether a program wrote it (RFC 3834)."""

import hashlib
import re
from collections.abc import Iterator
from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import Message
from functools import partial

from dialogue.channels.mail.own_text import own_text, text_of_html
from dialogue.channels.port import IncomingFile, NotReadable
from dialogue.turns.accept import storable_value

MAX_PARTS = 100
MAX_HEADER_CHARACTERS = 10_000
MAX_REFERENCES = 20
MAX_SENDER_CHARACTERS = 1_000
MAX_TEXT_CHARACTERS = 200_000
"""More than a message may hold; what follows is history."""
ADDRESS = re.compile(r"[^@\s<>,;:\"()]{1,64}@[A-Za-z0-9][A-Za-z0-9.-]{0,250}[A-Za-z0-9]")
_NAMED_ADDRESS = re.compile(r"([^<]*|\".*\"\s*)<([^<>]*)>\s*(?:\([^()]*\))?")
_MESSAGE_ID = re.compile(r"<[^<>\s]{1,250}>")
_OWN_ID = re.compile(r"<([0-9a-f]{32})(?:\.ref)?@[^<>\s]+>")
_BULK = ("bulk", "list", "junk", "auto_reply")
_LISTS = ("list-id", "list-unsubscribe", "list-post")
_DAEMONS = ("mailer-daemon", "postmaster", "no-reply", "noreply", "do-not-reply", "donotreply")
_VACATION = ("x-autoreply", "x-autorespond", "x-auto-response-suppress")


class Mail:
    """A parsed mail. Raises NotReadable where it is no mail, or is built to be expensive."""

    def __init__(self, raw: bytes) -> None:
        if raw.lower().count(b"boundary=") > MAX_PARTS:  # the parser calls itself for each part in a part
            raise NotReadable(f"a mail may have at most {MAX_PARTS} parts")
        try:
            message = message_from_bytes(raw)  # the newer policy's parser of headers takes quadratic time
            parts = list(_parts(message))
        except NotReadable:
            raise
        except (RecursionError, ValueError, IndexError, AttributeError, LookupError) as error:
            raise NotReadable(f"this is not a mail that can be read: {type(error).__name__}") from None
        self._message: Message[str, str] = message
        self._parts = parts
        self._raw = raw
        self.sender_name, self.sender = self._sender()

    def header(self, name: str) -> str:
        """A header as one line of text; "" where there is none, or it cannot be read."""
        raw = next((str(value) for key, value in self._message.raw_items() if key.lower() == name), "")
        try:
            text = str(make_header(decode_header(raw)))
        except (ValueError, LookupError):  # an encoding that does not exist, or was not kept to
            text = raw
        return " ".join(storable_value(text).split())

    @property
    def id(self) -> str:
        """The sender's id of the mail as a hash; the hash of the mail where it has none."""
        return _hash(self.message_id or hashlib.sha256(self._raw).hexdigest())

    @property
    def message_id(self) -> str:
        return next(iter(_MESSAGE_ID.findall(self.header("message-id"))), "")

    @property
    def references(self) -> list[str]:
        """The ids of the mails before it, oldest first."""
        ids = _MESSAGE_ID.findall(f"{self.header('references')} {self.header('in-reply-to')}")
        unique = list(dict.fromkeys(ids))
        return unique if len(unique) <= MAX_REFERENCES else [unique[0], *unique[1 - MAX_REFERENCES :]]

    @property
    def thread(self) -> str:
        """The thread that this very mail begins, unless it answers a delivery of ours.

        The ids of the sender's own mails lead to no thread: all who got a copy know them.
        """
        return _hash(f"{self.sender} {hashlib.sha256(self._raw).hexdigest()}")

    @property
    def answered_delivery(self) -> str:
        """The id of our newest delivery among those that it answers, or ""."""
        found = [match[1] for reference in self.references if (match := _OWN_ID.fullmatch(reference))]
        return found[-1] if found else ""

    @property
    def automatic(self) -> str:
        """Why no person wrote it, or ""."""
        submitted = self.header("auto-submitted").lower()
        if submitted and not submitted.startswith("no"):
            return "an automatic mail"
        if self._message.get_content_type() in ("multipart/report", "message/delivery-status"):
            return "a report of a mail server"
        if self.header("return-path") == "<>" or self.sender.partition("@")[0] in _DAEMONS:
            return "a mail that expects no answer"
        if self.header("precedence").lower() in _BULK or any(self.header(name) for name in _LISTS):
            return "a mail of a mailing list"
        if any(self.header(name) for name in _VACATION):
            return "an automatic answer"
        return ""

    @property
    def text(self) -> str:
        """What the sender wrote, without history and signature."""
        plain = next((part for part in self._parts if _is_body(part, "text/plain")), None)
        if plain is not None and (text := _content(plain)).strip():
            return own_text(text[:MAX_TEXT_CHARACTERS])
        html = next((part for part in self._parts if _is_body(part, "text/html")), None)
        return own_text(text_of_html(_content(html)[:MAX_TEXT_CHARACTERS])) if html is not None else ""

    @property
    def files(self) -> tuple[IncomingFile, ...]:
        """The attached files; images of a signature are not."""
        attached = (part for part in self._parts if _is_attached(part))
        return tuple(IncomingFile(part.get_filename() or "file", partial(_bytes, part)) for part in attached)

    def _sender(self) -> tuple[str, str]:
        text = self.header("from")[:MAX_SENDER_CHARACTERS]
        named = _NAMED_ADDRESS.fullmatch(text)
        name, address = named.groups() if named else ("", text.strip("<> "))
        name = name.strip(' "')
        if (
            not ADDRESS.fullmatch(address)
            or sum(key.lower() == "from" for key, _value in self._message.raw_items()) != 1
        ):
            raise NotReadable("the mail has no sender that can be read")
        return name[:100], address.lower()


def _parts(message: "Message[str, str]") -> "Iterator[Message[str, str]]":
    """The parts without parts of their own. Raises NotReadable for too many."""
    for number, part in enumerate(message.walk()):
        if number > MAX_PARTS:
            raise NotReadable(f"a mail may have at most {MAX_PARTS} parts")
        if any(len(str(value)) > MAX_HEADER_CHARACTERS for _name, value in part.raw_items()):
            raise NotReadable(f"a header of a mail may have at most {MAX_HEADER_CHARACTERS} characters")
        if not part.is_multipart():
            yield part


def _is_body(part: "Message[str, str]", kind: str) -> bool:
    return part.get_content_type() == kind and part.get_content_disposition() != "attachment"


def _is_attached(part: "Message[str, str]") -> bool:
    if part.get_content_disposition() == "attachment":
        return True
    is_shown_inside = (
        any(key.lower() == "content-id" for key, _value in part.raw_items()) or part.get_content_maintype() == "text"
    )
    return bool(part.get_filename()) and not is_shown_inside


def _content(part: "Message[str, str]") -> str:
    content = _bytes(part)
    try:
        return content.decode(part.get_content_charset("utf-8"), "replace")
    except (LookupError, ValueError):  # an encoding that does not exist
        return content.decode("utf-8", "replace")


def _bytes(part: "Message[str, str]") -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
