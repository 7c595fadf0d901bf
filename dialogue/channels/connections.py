"""Connections of an assistant to channels: added, tested, paused, resumed, removed. Every act is on record."""

import logging
import secrets
from collections.abc import Mapping
from uuid import UUID

from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dialogue.audit import chain
from dialogue.audit.chain import CONSOLE, Act
from dialogue.channels.credentials import CredentialsLost, seal, secrets_of, unseal
from dialogue.channels.port import Channel, Connection, SendFailed
from dialogue.channels.table import ChannelUnknown, channel_named
from dialogue.conf import soni
from dialogue.models import Assistant, ChannelConnection, ChannelDelivery, ChannelThread
from dialogue.models.account import Account
from dialogue.turns import clock

log = logging.getLogger(__name__)

MAX_VALUE_CHARACTERS = 500
CREDENTIALS_LOST = gettext_lazy("The credentials were stored with an earlier key of this server. Enter them again.")
State = ChannelConnection.State


class ConnectionRefused(ValueError):
    """The connection cannot be added or changed; the text says why, and what to do.

    `field` is the name of the setting that is wrong, "" where it is not one alone.
    """

    def __init__(self, text: object, field: str = "") -> None:
        super().__init__(text)
        self.field = field


def add_connection(assistant: Assistant, channel_name: str, typed: Mapping[str, str], by: Account) -> ChannelConnection:
    """Add a connection and tell the channel where to send its requests. Raises ConnectionRefused."""
    channel = _channel(channel_name)
    values = _checked_values(channel, typed)
    address = _address_of(channel, values)
    row = ChannelConnection(
        assistant=assistant,
        channel=channel.name,
        address=address,
        account=_account_of(channel, values),
        values={field.name: values[field.name] for field in channel.fields if not field.secret},
        sealed=seal({field.name: values[field.name] for field in channel.fields if field.secret}),
        salt=secrets.token_urlsafe(32),
        made_by=by,
        made_at=clock.now(),
    )
    try:
        with transaction.atomic():
            row.save()
            _record(by, "channel.added", row)
    except IntegrityError:
        raise _connected_already(row) from None
    try:
        channel.connect(port_of(row))
    except SendFailed as failure:
        with transaction.atomic():
            _record(by, "channel.removed", row)
            row.delete()
        raise ConnectionRefused(_("The channel refused the connection: %s") % failure) from None
    return row


def change_secrets(row: ChannelConnection, typed: Mapping[str, str], by: Account) -> None:
    """Replace the secret settings, for the same account at the channel. Raises ConnectionRefused; nothing changes then.

    A connection that was paused because they were refused stays paused, as if a person had paused it.
    """
    channel = _channel(row.channel)
    kept = {name: str(value) for name, value in row.values.items()}
    values = _checked_values(channel, {**kept, **typed})
    address = _address_of(channel, values)
    if not _is_same_account(channel, row, values, address):
        raise ConnectionRefused(_("These are the credentials of another account. Add it as a connection of its own."))
    row.sealed = seal({field.name: values[field.name] for field in channel.fields if field.secret})
    row.address, row.account = address, _account_of(channel, values)
    _connect_or_keep(channel, row)
    rows = ChannelConnection.objects.filter(pk=row.pk)
    try:
        with transaction.atomic():
            fresh = {"error": "", "failures": 0, "rests_until": None}
            rows.update(sealed=row.sealed, address=address, account=row.account, **fresh)
            rows.filter(paused_because=ChannelConnection.Cause.REFUSED).update(
                paused_because=ChannelConnection.Cause.PERSON
            )
            row.refresh_from_db()
            _record(by, "channel.changed", row)
    except IntegrityError:
        refusal = _connected_already(row)
        row.refresh_from_db()
        raise refusal from None


def replace_secret(row: ChannelConnection, by: Account) -> None:
    """Replace the secret that requests are verified with, and tell the channel.

    Raises ConnectionRefused; nothing changes then.
    """
    row.salt = secrets.token_urlsafe(32)
    _connect_or_keep(_channel(row.channel), row)
    with transaction.atomic():
        ChannelConnection.objects.filter(pk=row.pk).update(salt=row.salt)
        row.refresh_from_db()
        _record(by, "channel.secret_replaced", row)


def check_connection(row: ChannelConnection) -> str:
    """Try the connection and return in words what the channel says. Raises SendFailed."""
    return _channel(row.channel).check(port_of(row))


def pause_connection(row: ChannelConnection, by: Account) -> bool:
    """Take and send nothing more; what others send waits at the channel. False where it is paused already."""
    with transaction.atomic():
        rows = ChannelConnection.objects.filter(pk=row.pk, state=State.ACTIVE)
        cause = ChannelConnection.Cause.PERSON
        if not rows.update(state=State.PAUSED, paused_because=cause, paused_at=clock.now()):
            return False
        _record(by, "channel.paused", row)
    return True


def resume_connection(row: ChannelConnection, by: Account) -> bool:
    """Go on: what waited is sent and taken now. False where it is not paused."""
    with transaction.atomic():
        rows = ChannelConnection.objects.filter(pk=row.pk, state=State.PAUSED)
        fresh = {"paused_because": "", "paused_at": None, "failures": 0, "rests_until": None, "error": ""}
        if not rows.update(state=State.ACTIVE, **fresh):
            return False
        _record(by, "channel.resumed", row)
    return True


def remove_connection(row: ChannelConnection, by: Account) -> str:
    """Remove a connection with its threads; conversations stay. Return what the channel refused, or ""."""
    problem = ""
    try:
        _channel(row.channel).disconnect(port_of(row))
    except (SendFailed, ConnectionRefused, CredentialsLost) as failure:
        problem = str(failure) or _("its credentials cannot be read any more")
    with transaction.atomic():
        rows = ChannelConnection.objects.filter(pk=row.pk)
        if rows.exists():
            _record(by, "channel.removed", row)
            rows.delete()
    return problem


def send_again(thread: ChannelThread, by: Account) -> bool:
    """Let a thread go on whose line was not taken, with this line. False where it goes on already."""
    return _let_go_on(thread, by, "channel.resent", {})


def skip_line(thread: ChannelThread, by: Account) -> bool:
    """Give up the line that was not taken, and go on behind it. False where the thread goes on already."""
    with transaction.atomic():
        failed = ChannelDelivery.objects.select_for_update().filter(thread=thread, state="failed").first()
        if failed is None or not _let_go_on(thread, by, "channel.skipped", {"sent": failed.last}):
            return False
        failed.state = ChannelDelivery.State.SKIPPED
        failed.save(update_fields=["state"])
    return True


def open_connection(uid: UUID) -> ChannelConnection | None:
    """Return the connection whose address has this id, or None."""
    return ChannelConnection.objects.select_related("assistant").filter(uid=uid).first()


def note_failed_request(row: ChannelConnection, error: str) -> None:
    """Note at the connection that a request could not be taken because of an error; the same one is on record once."""
    reason = f"a request could not be taken ({error[:100]}; the server's log has the details)"
    with transaction.atomic():
        if ChannelConnection.objects.filter(pk=row.pk).exclude(error=reason).update(error=reason):
            act = Act("channel.failed", "clock", subject=str(row)[:200], facts={"error": error[:100]})
            chain.record(CONSOLE, [act], clock.now())


def port_of(row: ChannelConnection) -> Connection:
    """Return the connection as its channel sees it. Raises CredentialsLost."""
    values = {**{name: str(value) for name, value in row.values.items()}, **unseal(row.sealed)}
    title = row.assistant.title or row.assistant.name
    return Connection(row.uid.hex, row.address, title, receiver_url(row), values, tuple(secrets_of(row.salt)))


def receiver_url(row: ChannelConnection) -> str:
    """Return the address of this installation that takes the connection's requests."""
    return soni.root_url + reverse("dialogue:channel_receiver", args=[row.uid])


def _let_go_on(thread: ChannelThread, by: Account, act: str, changes: Mapping[str, int]) -> bool:
    with transaction.atomic():
        rows = ChannelThread.objects.filter(pk=thread.pk, state=ChannelThread.State.FAILED)
        fresh = {"state": ChannelThread.State.ACTIVE, "attempts": 0, "due_at": clock.now(), "error": ""}
        if not rows.update(**fresh, **changes):
            return False
        done = Act(act, by.get_username(), by.pk, subject=str(thread.connection), facts={"line": thread.sent + 1})
        chain.record(thread.conversation_id, [done], clock.now())
    return True


def _channel(name: str) -> Channel:
    try:
        return channel_named(name)
    except ChannelUnknown:
        raise ConnectionRefused(_("This installation has no channel “%s” any more.") % name) from None


def _connect_or_keep(channel: Channel, row: ChannelConnection) -> None:
    """Connect with what `row` holds now. Where that fails it holds again what is stored. Raises ConnectionRefused."""
    try:
        channel.connect(port_of(row))
    except SendFailed as failure:
        row.refresh_from_db()
        text = _("The channel refused the connection: %s. What was stored before is kept; nothing was changed.")
        raise ConnectionRefused(text % str(failure).rstrip(".")) from None
    except CredentialsLost:
        row.refresh_from_db()
        raise ConnectionRefused(CREDENTIALS_LOST) from None


def _account_of(channel: Channel, values: Mapping[str, str]) -> str | None:
    """The channel's own id of the account, or None where it has none."""
    return channel.account_id(values)[:200] or None


def _connected_already(row: ChannelConnection) -> ConnectionRefused:
    """The refusal of an account that another connection has, which is named as it is listed."""
    same = ChannelConnection.objects.filter(channel=row.channel, account=row.account).exclude(pk=row.pk)
    name = same.values_list("address", flat=True).first() if row.account else None
    return ConnectionRefused(_("%s is connected already. Remove that connection first.") % (name or row.address))


def _is_same_account(channel: Channel, row: ChannelConnection, values: Mapping[str, str], address: str) -> bool:
    """Whether the values are for the row's account, whose public name may have changed."""
    try:
        earlier = channel.account_id(port_of(row).values)
    except CredentialsLost:
        earlier = ""
    return channel.account_id(values) == earlier if earlier else address == row.address


def _checked_values(channel: Channel, typed: Mapping[str, str]) -> dict[str, str]:
    values = {field.name: typed.get(field.name, "").strip() for field in channel.fields}
    for field in channel.fields:
        value = values[field.name]
        if field.required and not value:
            raise ConnectionRefused(_("Please fill in “%s”.") % _(field.label), field.name)
        if len(value) > MAX_VALUE_CHARACTERS or not value.isprintable():
            text = _("“%s” is too long, or has characters that cannot be used.") % _(field.label)
            raise ConnectionRefused(text, field.name)
    return values


def _address_of(channel: Channel, values: Mapping[str, str]) -> str:
    try:
        return channel.address(values)[:200]
    except SendFailed as failure:
        raise ConnectionRefused(_("The channel refused the connection: %s") % failure) from None
    except ValueError as error:
        raise ConnectionRefused(str(error)) from None


def _record(by: Account, act: str, row: ChannelConnection) -> None:
    facts = {"assistant": row.assistant.name, "channel": row.channel, "address": row.address}
    done = Act(act, by.get_username(), by.pk, subject=str(row)[:200], facts=facts)
    chain.record(CONSOLE, [done], clock.now())
