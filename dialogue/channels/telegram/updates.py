"""Updates of Telegram: what a request of its webhook says, typed, as far as a private chat needs it."""

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dialogue.channels.port import IncomingFile, IncomingMessage, NotReadable, Reading
from dialogue.engine.source.json import JsonRefused, read_json

UPDATES = ("message", "edited_message", "callback_query", "my_chat_member")
"""The types of updates that a bot asks for."""
JOINED = ("member", "administrator")

LoadFile = Callable[[str], bytes]


class _Shape(BaseModel):
    """A later version of the API may add members, so unknown ones are left out."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class User(_Shape):
    id: int
    first_name: str = ""
    last_name: str = ""
    username: str = ""
    language_code: str = ""
    is_bot: bool = False


class Chat(_Shape):
    id: int
    type: str


class File(_Shape):
    file_id: str
    file_name: str = ""
    file_size: int = 0


class Message(_Shape):
    message_id: int
    chat: Chat
    sender: User | None = Field(default=None, alias="from")
    text: str = ""
    caption: str = ""
    document: File | None = None
    photo: tuple[File, ...] = ()
    video: File | None = None
    audio: File | None = None
    voice: File | None = None


class CallbackQuery(_Shape):
    id: str
    sender: User = Field(alias="from")
    message: Message | None = None
    data: str = ""


class Membership(_Shape):
    status: str


class ChatMember(_Shape):
    chat: Chat
    new_chat_member: Membership


class Update(_Shape):
    update_id: int = Field(ge=0, lt=2**63)
    message: Message | None = None
    edited_message: Message | None = None
    callback_query: CallbackQuery | None = None
    my_chat_member: ChatMember | None = None


def read_update(body: bytes, load: LoadFile) -> Reading:
    """Read one update. Raises NotReadable for what is not an update at all."""
    try:
        value = read_json(body)
    except JsonRefused as error:
        raise NotReadable(f"the body is not JSON that can be read: {error}") from None
    number = value.get("update_id") if isinstance(value, dict) else None
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 2**63:
        raise NotReadable("the body has no update_id")
    try:
        update = Update.model_validate(value)
    except ValidationError as error:  # repeating it would change nothing, and would hold up what comes after it
        places = ", ".join(".".join(map(str, problem["loc"])) for problem in error.errors()[:3])
        return Reading(id=str(number), ignored=f"an update whose form is unknown: {places}"[:200])
    return _reading(update, load)


def _reading(update: Update, load: LoadFile) -> Reading:
    ref = str(update.update_id)
    if update.callback_query is not None:
        return _pressed(ref, update.callback_query)
    if update.my_chat_member is not None:
        is_invited = update.my_chat_member.new_chat_member.status in JOINED
        if is_invited and update.my_chat_member.chat.type != "private":
            return Reading(_refused_group(ref, update.my_chat_member.chat), ref)
        return Reading(id=ref, ignored="a change of membership")
    message = update.message or update.edited_message
    if message is None:
        return Reading(id=ref, ignored="a type of update that bots need not read")
    if message.chat.type != "private":
        # Others in a group do not write to the assistant, unless they begin with a command.
        is_for_us = message.text.startswith("/")
        return Reading(_refused_group(ref, message.chat), ref) if is_for_us else Reading(id=ref, ignored="a group")
    if message.sender is None or message.sender.is_bot:
        return Reading(id=ref, ignored="a message of a bot")
    if update.edited_message is not None:
        text = _("Changes to earlier messages are not read. Please write it as a new message.")
        return Reading(_incoming(ref, message.chat, message.sender, note=text), ref)
    return Reading(_message(ref, message, message.sender, load), ref)


def _message(ref: str, message: Message, sender: User, load: LoadFile) -> IncomingMessage:
    command, _space, code = message.text.partition(" ")
    if command.partition("@")[0] == "/start":
        return _incoming(ref, message.chat, sender, starts_over=True, start_code=code.strip()[:64])
    text = message.text or message.caption
    files = tuple(_file(file, name, load) for file, name in _files(message))
    if not text and not files:
        note = _("Only texts and files can be read here. Please write what you need.")
        return _incoming(ref, message.chat, sender, note=note)
    return _incoming(ref, message.chat, sender, text=text, files=files)


def _pressed(ref: str, query: CallbackQuery) -> Reading:
    if query.message is None or query.message.chat.type != "private":
        return Reading(id=ref, ignored="a button outside of a private chat")
    incoming = _incoming(ref, query.message.chat, query.sender, button=query.data or "-", query=query.id)
    return Reading(incoming, ref)


def _refused_group(ref: str, chat: Chat) -> IncomingMessage:
    text = _("I answer in private chats only. Please write to me directly.")
    return IncomingMessage(id=ref, thread=str(chat.id), recipient=str(chat.id), refusal=text)


def _incoming(ref: str, chat: Chat, sender: User, query: str = "", **parts: Any) -> IncomingMessage:
    """A message of a private chat, whose id is its person's. A pressed button is answered by its `query`."""
    return IncomingMessage(
        id=ref,
        thread=str(chat.id),
        recipient=str(chat.id),
        sender=_name_of(sender),
        language=sender.language_code[:35],
        answer_to=query,
        **parts,
    )


def _name_of(sender: User) -> str:
    """The name that the person chose, with the number that no other person has."""
    name = " ".join(f"{sender.first_name} {sender.last_name}".split())[:100]
    handle = f"@{sender.username[:40]}" if sender.username else str(sender.id)
    return f"{name} ({handle})" if name else handle


def _files(message: Message) -> list[tuple[File, str]]:
    """The files of a message, with a name for those that have none. Of a photo it is the largest size."""
    files = [(message.document, "document")] if message.document else []
    files += [(message.photo[-1], f"photo-{message.message_id}.jpg")] if message.photo else []
    media = {"video.mp4": message.video, "audio.mp3": message.audio, "voice.ogg": message.voice}
    return files + [(file, name) for name, file in media.items() if file]


def _file(file: File, name: str, load: LoadFile) -> IncomingFile:
    return IncomingFile(file.file_name or name, lambda: load(file.file_id))
