"""The frames that a client may send over a socket, parsed into types."""

from typing import Annotated, Any, Literal
from uuid import uuid4

from django.utils.translation import gettext as _
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from dialogue.engine.source.json import read_json

MAX_FRAME_BYTES = 64 * 1024
"""Bytes of one frame."""


class FrameRefused(Exception):
    """A frame was refused; the socket stays open. `ref` is the frame's own id, or a random one for the log.

    `retry_after` is after how many seconds the same frame may be sent again, where that is known.
    """

    def __init__(self, code: str, detail: str, ref: str = "", retry_after: int = 0) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.ref = ref or uuid4().hex[:12]
        self.retry_after = retry_after

    def plain(self) -> dict[str, Any]:
        frame = {"type": "error", "code": self.code, "detail": self.detail, "ref": self.ref}
        texts: dict[str, Any] = {name: _escape_surrogates(text) for name, text in frame.items()}
        return {**texts, "retry_after": self.retry_after} if self.retry_after else texts


def _escape_surrogates(text: str) -> str:
    """Escape lone surrogates, which JSON from a client may hold and no frame can carry."""
    return text.encode(errors="backslashreplace").decode()


class _Frame(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


ClientId = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[^\x00]+$")]


class UserMessage(_Frame):
    """A line that the end user typed. `id` is the client's own; the same id is accepted once."""

    type: Literal["user.message"]
    id: ClientId
    text: str


class UserChoice(_Frame):
    """A button that the end user pressed."""

    type: Literal["user.choice"]
    id: ClientId
    value: str


class Typing(_Frame):
    """The end user is writing."""

    type: Literal["typing"]


class Looking(_Frame):
    """The page shows this session; 0: none."""

    type: Literal["looking"]
    number: int = Field(ge=0, lt=2**63)


class Ack(_Frame):
    """Everything up to `seq` has arrived."""

    type: Literal["ack"]
    seq: int = Field(ge=0)


class Ping(_Frame):
    """Are you there?"""

    type: Literal["ping"]


Frame = UserMessage | UserChoice | Typing | Looking | Ack | Ping
_frames: TypeAdapter[Frame] = TypeAdapter(Annotated[Frame, Field(discriminator="type")])
FRAME_TYPES = ("user.message", "user.choice", "typing", "looking", "ack", "ping")


def read_frame(text: str | None) -> Frame:
    """Parse a frame; None stands for a binary frame. Raises FrameRefused."""
    if text is None:
        raise FrameRefused("binary_frame", _("Binary frames are not understood: send text with one JSON object."))
    plain = _read_object(text)
    ref = plain["id"][:100] if isinstance(plain.get("id"), str) else ""
    if plain.get("type") not in FRAME_TYPES:
        raise FrameRefused("unknown_type", _unknown_type_text(plain.get("type")), ref)
    try:
        return _frames.validate_python(plain)
    except ValidationError as wrong:
        raise FrameRefused("bad_frame", _fault_text(wrong), ref) from wrong


def _read_object(text: str) -> dict[str, Any]:
    try:
        plain = read_json(text)
    except ValueError as reason:
        raise FrameRefused("not_json", _("This frame is not JSON that can be read.")) from reason
    if not isinstance(plain, dict):
        raise FrameRefused("not_an_object", _("A frame is one JSON object, such as {“type”: “ping”}."))
    return plain


def _unknown_type_text(frame_type: object) -> str:
    facts = {"found": repr(frame_type)[:60], "types": ", ".join(FRAME_TYPES)}
    if frame_type is None:
        return _("The frame has no type. Known types: %(types)s.") % facts
    return _("There is no frame of type %(found)s. Known types: %(types)s.") % facts


def _fault_text(wrong: ValidationError) -> str:
    fault = wrong.errors(include_url=False, include_input=False)[0]
    field = ".".join(str(part) for part in fault["loc"][1:])
    if fault["type"] == "missing":
        return _("The field %(field)s is missing.") % {"field": field}
    return _("The field %(field)s is wrong: %(why)s.") % {"field": field, "why": fault["msg"]}
