"""Channels: the connections of this installation, what came in and what went out through each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from django.contrib import messages
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from dialogue.channels import connections
from dialogue.channels.connections import CREDENTIALS_LOST, ConnectionRefused, add_connection, receiver_url
from dialogue.channels.credentials import CredentialsLost
from dialogue.channels.port import Channel, SendFailed, SettingField
from dialogue.channels.table import ChannelUnknown, channel_named, channels
from dialogue.desk.queue.keyset import NotOffered, Page, keyset_page
from dialogue.models import Assistant, ChannelArrival, ChannelConnection, ChannelDelivery, ChannelThread
from dialogue.models.account import Account
from dialogue.web.shared.people import account_of_request, needs
from dialogue.web.shared.permissions import may_manage_channels

Row = TypeVar("Row", bound=Model)

PAGE_ROWS = 50
MAX_FAILED_THREADS = 20
ARRIVAL_TITLES: dict[str, str | Promise] = {
    ChannelArrival.Outcome.ACCEPTED: pgettext_lazy("message", "Taken"),
    ChannelArrival.Outcome.REFUSED: pgettext_lazy("message", "Refused"),
    ChannelArrival.Outcome.IGNORED: pgettext_lazy("message", "Ignored"),
}
DELIVERY_TITLES: dict[str, str | Promise] = {
    ChannelDelivery.State.PENDING: gettext_lazy("On its way"),
    ChannelDelivery.State.SENT: pgettext_lazy("message", "Sent"),
    ChannelDelivery.State.FAILED: pgettext_lazy("delivery", "Failed"),
    ChannelDelivery.State.SKIPPED: pgettext_lazy("message", "Skipped"),
}


@dataclass(frozen=True)
class FormField:
    """A setting as an input, with why it was refused. What was typed comes back, but for secrets."""

    field: SettingField
    value: str
    error: str = ""

    @property
    def label(self) -> str:
        return _(self.field.label)

    @property
    def help(self) -> str:
        return _(self.field.help) if self.field.help else ""


@dataclass(frozen=True)
class ChannelForm:
    """The form that connects an assistant to one channel."""

    channel: Channel
    fields: list[FormField]


@needs(may_manage_channels)
@never_cache
@require_http_methods(["GET", "POST"])
def channel_list(request: HttpRequest) -> HttpResponse:
    """The connections, and with `new` the form that adds one; `new=NAME` chooses its channel."""
    if request.method == "POST":
        return _add(request)
    return _list_page(request, {"assistant": request.GET.get("assistant", "")})


@needs(may_manage_channels)
@require_GET
def connection(request: HttpRequest, number: int) -> HttpResponse:
    """One connection with what came in, or with what went out, newest first."""
    return _connection_page(request, get_object_or_404(_connections(), pk=number))


@needs(may_manage_channels)
@never_cache
@require_POST
def change_connection(request: HttpRequest, number: int, change: str) -> HttpResponse:
    """Do one of `CHANGES` to a connection. Raises Http404 for another one."""
    row, account = get_object_or_404(_connections(), pk=number), account_of_request(request)
    if account is None or change not in CHANGES:
        raise Http404
    return CHANGES[change](request, row, account)


@needs(may_manage_channels)
@require_POST
def settle_thread(request: HttpRequest, number: int, thread: int, act: str) -> HttpResponse:
    """Send the line of a failed thread again, or skip it; of two people who do so one wins."""
    row = get_object_or_404(ChannelThread.objects.select_related("connection"), connection=number, pk=thread)
    account = account_of_request(request)
    settle = {"resend": connections.send_again, "skip": connections.skip_line}.get(act)
    if account is None or settle is None:
        raise Http404
    if settle(row, account):
        done = _("It is sent again, under the same id.") if act == "resend" else _("The line is skipped.")
        messages.success(request, done)
    else:
        messages.warning(request, _("It goes on already."))
    return redirect("dialogue:channel", number)


def _connections() -> "QuerySet[ChannelConnection]":
    return ChannelConnection.objects.select_related("assistant", "made_by")


def _add(request: HttpRequest) -> HttpResponse:
    account, typed = account_of_request(request), {name: str(value) for name, value in request.POST.items()}
    if account is None:
        raise Http404
    assistant = Assistant.objects.filter(name=typed.get("assistant", "")).first()
    if assistant is None:
        return _list_page(request, typed, status=422, refusal=_("Choose an assistant."), wrong="assistant")
    try:
        row = add_connection(assistant, typed.get("channel", ""), typed, account)
    except ConnectionRefused as refused:
        return _list_page(request, typed, status=422, refusal=str(refused), wrong=refused.field)
    messages.success(request, _("%s is connected.") % row.address)
    if secret := _shown_secret(row):
        return _connection_page(request, row, secret=secret)
    return redirect("dialogue:channel", row.pk)


def _shown_secret(row: ChannelConnection) -> str:
    channel = channel_named(row.channel)
    return channel.shown_secret(connections.port_of(row)) if channel.shows_secret else ""


def _pause(request: HttpRequest, row: ChannelConnection, account: Account) -> HttpResponse:
    if connections.pause_connection(row, account):
        messages.success(request, _("The channel is paused. What others send waits there."))
    return redirect("dialogue:channel", row.pk)


def _resume(request: HttpRequest, row: ChannelConnection, account: Account) -> HttpResponse:
    if connections.resume_connection(row, account):
        messages.success(request, _("The channel goes on. What waited is sent now."))
    return redirect("dialogue:channel", row.pk)


def _test(request: HttpRequest, row: ChannelConnection, account: Account) -> HttpResponse:
    try:
        messages.success(request, connections.check_connection(row))
    except (SendFailed, ConnectionRefused) as failure:
        messages.error(request, _("The test failed: %s") % failure)
    except CredentialsLost:
        messages.error(request, CREDENTIALS_LOST)
    return redirect("dialogue:channel", row.pk)


def _replace_secret(request: HttpRequest, row: ChannelConnection, account: Account) -> HttpResponse:
    try:
        connections.replace_secret(row, account)
    except ConnectionRefused as refused:
        return _connection_page(request, row, status=422, refusal=str(refused))
    return _connection_page(request, row, secret=_shown_secret(row))


def _credentials(request: HttpRequest, row: ChannelConnection, account: Account) -> HttpResponse:
    typed = {name: str(value) for name, value in request.POST.items()}
    try:
        connections.change_secrets(row, typed, account)
    except ConnectionRefused as refused:
        return _connection_page(request, row, status=422, refusal=str(refused))
    if row.state == ChannelConnection.State.PAUSED:
        messages.success(request, _("The new credentials are accepted. The channel is still paused: resume it."))
    else:
        messages.success(request, _("The new credentials are in use."))
    return redirect("dialogue:channel", row.pk)


def _remove(request: HttpRequest, row: ChannelConnection, account: Account) -> HttpResponse:
    problem = connections.remove_connection(row, account)
    messages.success(request, _("%s is no longer connected. Its conversations stay.") % row.address)
    if problem:
        messages.warning(request, _("The channel could not be told so: %s") % problem)
    return redirect("dialogue:channels")


CHANGES: dict[str, Callable[[HttpRequest, ChannelConnection, Account], HttpResponse]] = {
    "pause": _pause,
    "resume": _resume,
    "test": _test,
    "secret": _replace_secret,
    "credentials": _credentials,
    "remove": _remove,
}


def _list_page(
    request: HttpRequest, typed: Mapping[str, str], status: int = 200, refusal: str = "", wrong: str = ""
) -> HttpResponse:
    """The list, with the form if it is open; `wrong` is the name of the field that was refused, if it was one."""
    page, channel = _page_or_404(request, _connections(), "id"), _channel_of_form(request, typed)
    failed = ChannelThread.objects.filter(state=ChannelThread.State.FAILED, connection__in=page.rows)
    with_failures = set(failed.values_list("connection", flat=True).distinct())
    facts = {
        "connections": [
            {"row": row, "title": _title_of(row), "has_failed": row.pk in with_failures} for row in page.rows
        ],
        "next": page.next,
        "form": _form(channel, typed, {wrong: refusal}) if channel else None,
        "kinds": [(_(each.title), f"?new={each.name}", each is channel) for each in channels().values()],
        "assistants": Assistant.objects.order_by("name"),
        "typed": typed,
        "refusal": refusal,
        "wrong": wrong,
    }
    return render(request, "dialogue/channels/channels.html", facts, status=status)


def _page_or_404(request: HttpRequest, rows: "QuerySet[Row]", order: str) -> Page[Row]:
    """Return the page of the rows that the address asks for. Raises Http404 for a cursor that is not ours."""
    try:
        return keyset_page(rows, (order,), cursor=request.GET.get("after", ""), limit=PAGE_ROWS)
    except NotOffered as error:
        raise Http404 from error


def _channel_of_form(request: HttpRequest, typed: Mapping[str, str]) -> Channel | None:
    """The channel whose form is open: the one that was sent, the one that `new` names, or the first; None for none."""
    if request.method != "POST" and not {"new", "assistant"} & request.GET.keys():
        return None
    offered = channels()
    name = typed.get("channel") or request.GET.get("new", "")
    return offered.get(name) or next(iter(offered.values()), None)


def _form(channel: Channel, typed: Mapping[str, str], errors: Mapping[str, str]) -> ChannelForm:
    is_typed = typed.get("channel") == channel.name
    values = typed if is_typed else {}
    fields = [
        FormField(
            field,
            "" if field.secret else values.get(field.name, "")[:500],
            errors.get(field.name, "") if is_typed else "",
        )
        for field in channel.fields
    ]
    return ChannelForm(channel, fields)


def _title_of(row: ChannelConnection) -> str:
    try:
        return _(channel_named(row.channel).title)
    except ChannelUnknown:
        return row.channel


def _connection_page(request: HttpRequest, row: ChannelConnection, status: int = 200, **more: Any) -> HttpResponse:
    shown = request.GET.get("show", "out")
    if shown not in ("in", "out"):
        raise Http404
    rows: Any = row.deliveries.all() if shown == "out" else row.arrivals.all()
    titles = DELIVERY_TITLES if shown == "out" else ARRIVAL_TITLES
    page = _page_or_404(request, rows, "-id")
    try:
        channel = channel_named(row.channel)
    except ChannelUnknown:
        channel = None
    failed = row.threads.filter(state=ChannelThread.State.FAILED).select_related("conversation__user")
    facts = {
        "connection": row,
        "title": _title_of(row),
        "shows_secret": channel is not None and channel.shows_secret,
        "secret_fields": [FormField(field, "") for field in channel.fields if field.secret] if channel else [],
        "receiver_url": receiver_url(row),
        "shown": shown,
        "rows": [{"row": each, "state": titles[_state_of(each)]} for each in page.rows],
        "next": page.next,
        "failed": list(failed.order_by("-pk")[:MAX_FAILED_THREADS]),
    }
    return render(request, "dialogue/channels/channel.html", {**facts, **more}, status=status)


def _state_of(row: ChannelDelivery | ChannelArrival) -> str:
    return row.state if isinstance(row, ChannelDelivery) else row.outcome
