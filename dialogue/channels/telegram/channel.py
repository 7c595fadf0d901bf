"""Telegram: a bot that people write to in private chats, by webhook."""

import hmac
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dialogue.channels.port import (
    Channel,
    Connection,
    Delivery,
    IncomingMessage,
    Line,
    Reading,
    Request,
    SettingField,
)
from dialogue.channels.telegram.api import TOKEN, call, load_file
from dialogue.channels.telegram.updates import UPDATES, read_update

SECRET_HEADER = "x-telegram-bot-api-secret-token"
MAX_MESSAGE_UNITS = 4096
"""The most UTF-16 code units in one message."""
MAX_LABEL_CHARACTERS = 64
MAX_BUTTONS = 100


class Telegram(Channel):
    """A bot. Lines have their buttons as an inline keyboard; `setWebhook` gives Telegram the secret."""

    name = "telegram"
    title = "Telegram"
    fields = (
        SettingField(
            "token",
            gettext_noop("Bot token"),
            gettext_noop("Write /newbot to @BotFather in Telegram. It creates a bot and shows its token."),
            secret=True,
            placeholder="123456789:AAF…",
        ),
    )

    def verify(self, request: Request, connection: Connection, now: datetime) -> bool:
        given = request.headers.get(SECRET_HEADER, "").encode("utf-8", "surrogatepass")
        return any(hmac.compare_digest(given, secret.encode()) for secret in connection.secrets)

    def read(self, request: Request, connection: Connection) -> Reading:
        return read_update(request.body, partial(load_file, connection.values["token"]))

    def reply(self, message: IncomingMessage, text: str) -> Mapping[str, Any] | None:
        """A call of the API in the answer to the webhook; Telegram does not tell what became of it."""
        if message.answer_to:
            shown = {"text": text[:200], "show_alert": True} if text else {}
            return {"method": "answerCallbackQuery", "callback_query_id": message.answer_to, **shown}
        if text and message.refusal:
            return {"method": "sendMessage", "chat_id": int(message.recipient), "text": text}
        return None

    def pieces(self, lines: Sequence[Line]) -> list[tuple[Line, ...]]:
        """A line in texts that Telegram takes; the buttons are under the last one."""
        (line,) = lines
        *earlier, last = split_text(line.signed_text or "…")
        return [*((Line(line.number, text),) for text in earlier), (Line(line.number, last, line.buttons),)]

    def send(self, delivery: Delivery, connection: Connection) -> str:
        (line,) = delivery.lines
        token, chat = connection.values["token"], int(delivery.recipient)
        sent = call(token, "sendMessage", chat_id=chat, text=line.text, reply_markup=_keyboard(line))
        return str(sent.get("message_id", "")) if isinstance(sent, dict) else ""

    def address(self, values: Mapping[str, str]) -> str:
        if not TOKEN.fullmatch(values["token"]):
            raise ValueError(_("This is not a token of a bot. @BotFather shows it as digits, a colon and letters."))
        bot = call(values["token"], "getMe")
        return f"@{bot['username']}" if isinstance(bot, dict) and bot.get("username") else values["token"].split(":")[0]

    def account_id(self, values: Mapping[str, str]) -> str:
        """The bot's number, with which each of its tokens begins."""
        return values["token"].partition(":")[0]

    def connect(self, connection: Connection) -> None:
        """One connection at a time keeps the order of the messages."""
        call(
            connection.values["token"],
            "setWebhook",
            url=connection.receiver_url,
            secret_token=connection.secrets[0],
            allowed_updates=list(UPDATES),
            max_connections=1,
        )

    def disconnect(self, connection: Connection) -> None:
        call(connection.values["token"], "deleteWebhook")

    def check(self, connection: Connection) -> str:
        info = call(connection.values["token"], "getWebhookInfo")
        facts = info if isinstance(info, dict) else {}
        if facts.get("url") != connection.receiver_url:
            return _("Telegram sends this bot's messages to another address. Save the token again to correct this.")
        if error := facts.get("last_error_message"):
            waiting = facts.get("pending_update_count", 0)
            return _("Telegram could not deliver its last message (%(error)s); %(count)s wait there.") % {
                "error": str(error)[:200],
                "count": waiting,
            }
        return _("Telegram knows this bot and sends its messages here.")


def split_text(text: str) -> list[str]:
    """Return the text in pieces that Telegram takes, cut at ends of lines or words where there are some.

    >>> [len(piece) for piece in split_text("word " * 1000)]
    [4094, 905]
    """
    pieces = []
    while _units(text) > MAX_MESSAGE_UNITS:
        end = _fitting(text)
        cut = max(text.rfind("\n", end // 2, end), text.rfind(" ", end // 2, end))
        cut = cut if cut > 0 else end
        pieces.append(text[:cut].rstrip())
        text = text[cut:].lstrip()
    return [*filter(None, pieces), text] if text or not pieces else pieces


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _fitting(text: str) -> int:
    """How many characters fit: those beyond the basic plane take two units."""
    raw = text.encode("utf-16-le", "surrogatepass")[: 2 * MAX_MESSAGE_UNITS]
    return len(raw.decode("utf-16-le", "ignore"))


def _keyboard(line: Line) -> dict[str, Any] | None:
    """One button a row: labels of any length stay readable on a phone."""
    rows = [
        [{"text": button.label[:MAX_LABEL_CHARACTERS] or "…", "callback_data": button.data}] for button in line.buttons
    ]
    return {"inline_keyboard": rows[:MAX_BUTTONS]} if rows else None
