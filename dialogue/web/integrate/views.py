"""An assistant on other sites: which may show it, the secrets with which they sign visitors, and the code to copy."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from dialogue.conf import soni
from dialogue.desk.access.accounts import has_account_right
from dialogue.desk.access.allowed_origins import REFUSED_FOR, OriginRefused, allow_origin, remove_origin
from dialogue.desk.access.api_tokens import valid_tokens
from dialogue.desk.access.people import Person
from dialogue.desk.access.signing_secrets import create_secret, revoke_secret, secret_text
from dialogue.models import Assistant, ChannelConnection, SigningSecret, WebhookEndpoint
from dialogue.turns import clock
from dialogue.web.integrate.examples import CODES, DEFAULT_BRAND, Look, examples, snippet
from dialogue.web.shared.call_log import MAX_CALLS, count_calls, last_calls
from dialogue.web.shared.chat_texts import texts_of_release
from dialogue.web.shared.people import account_of_request, needs, person_of_request
from dialogue.web.shared.permissions import may_manage_webhooks, may_publish, may_see_flows, may_see_tokens

MAX_LISTED_SECRETS = 10
MAX_LISTED_CALLS = 50
BRANDS = (
    ("#0b6656", gettext_lazy("Green")),
    ("#2354a0", gettext_lazy("Blue")),
    ("#773a87", gettext_lazy("Plum")),
    ("#a63d0a", gettext_lazy("Rust")),
)
"""Colours to begin with; any other may be written."""


@dataclass(frozen=True)
class SecretRow:
    """A secret in the list. `state`: valid, replaced (counts until `ends_at`), ended, revoked, or unusable."""

    secret: SigningSecret
    state: str

    @property
    def counts(self) -> bool:
        """Whether its signatures are taken, so that it can be revoked."""
        return self.state in ("valid", "replaced")


@needs(may_see_flows)
@require_GET
def integrate(request: HttpRequest, assistant: str) -> HttpResponse:
    """The page of one assistant; with `HX-Target: call-rows` only the last calls."""
    home = get_object_or_404(Assistant, name=assistant)
    if request.headers.get("hx-target") == "call-rows":
        facts = {"assistant": home, **_call_facts(request, person_of_request(request))}
        return render(request, "dialogue/integrate/call_rows.html", facts)
    return _page(request, home)


@needs(may_see_flows)
@require_GET
def try_widget(request: HttpRequest, assistant: str) -> HttpResponse:
    """A page of this server that shows the widget as a site does. What is said there is a conversation like others."""
    home = get_object_or_404(Assistant, name=assistant, active_release__isnull=False)
    facts = {"assistant": home, "script": reverse("dialogue:widget_script")}
    response = render(request, "dialogue/integrate/try.html", facts)
    own = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; frame-src 'self'"
    response["Content-Security-Policy"] = f"{own}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    return response


@needs(may_publish)
@require_POST
def add_origin(request: HttpRequest, assistant: str) -> HttpResponse:
    """Allow an origin. One that is refused comes back in its field with the reason."""
    home, account = get_object_or_404(Assistant, name=assistant), account_of_request(request)
    origin = request.POST.get("origin", "")
    try:
        if account is not None:
            allow_origin(home, origin, account)
    except OriginRefused as refused:
        return _page(request, home, status=422, origin=origin[:300], refusal=str(refused))
    return redirect("dialogue:integrate", home.name)


@needs(may_publish)
@require_POST
def drop_origin(request: HttpRequest, assistant: str, number: int) -> HttpResponse:
    """Remove an origin; one that is gone already is no error."""
    row = get_object_or_404(Assistant, name=assistant).allowed_origins.filter(pk=number).first()
    account = account_of_request(request)
    if row is not None and account is not None:
        remove_origin(row, account)
        messages.success(request, _("Pages of %s no longer show the chat.") % row.origin)
    return redirect("dialogue:integrate", assistant)


@needs(may_publish)
@never_cache
@require_POST
def add_secret(request: HttpRequest, assistant: str) -> HttpResponse:
    """Create a secret, or replace the one that counts. Its text is in this answer, and nowhere else."""
    home, account = get_object_or_404(Assistant, name=assistant), account_of_request(request)
    text = create_secret(home, account)[1] if account is not None else ""
    return _page(request, home, created=text)


@needs(may_publish)
@require_POST
def drop_secret(request: HttpRequest, assistant: str, number: int) -> HttpResponse:
    """Revoke a secret: tokens that it signed open no conversation from now on."""
    row = get_object_or_404(SigningSecret, assistant__name=assistant, pk=number)
    account = account_of_request(request)
    if account is not None and revoke_secret(row, account):
        messages.success(request, _("The secret that ends in %s is revoked.") % row.ending)
    return redirect("dialogue:integrate", assistant)


def _page(request: HttpRequest, home: Assistant, status: int = 200, **more: Any) -> HttpResponse:
    person, account = person_of_request(request), account_of_request(request)
    address = _address(request)
    script = address + reverse("dialogue:widget_script").removeprefix(reverse("dialogue:home"))
    secrets = home.signing_secrets.select_related("created_by")[:MAX_LISTED_SECRETS]
    part = request.GET.get("part", "")
    part = part if part in CODES else "widget"
    offered, look = examples(address, home.name, part), Look.of_query(request.GET)
    current_example = next((example for example in offered if example.name == request.GET.get("example")), offered[0])
    facts = {
        "assistant": home,
        "origins": home.allowed_origins.all(),
        "refused_origins": home.refused_origins.filter(at__gt=clock.now() - REFUSED_FOR),
        "secrets": [SecretRow(row, _state_of(row)) for row in secrets],
        "part": part,
        "look": look,
        "default_brand": DEFAULT_BRAND,
        "brands": BRANDS,
        "chat": texts_of_release(None, home),
        "counts": _counts(home),
        "snippet": snippet(script, home.name, look),
        "examples": offered,
        "current_example": current_example,
        "may_change": may_publish(person),
        "may_see_tokens": may_see_tokens(person),
        "may_add_users": account is not None and has_account_right(account, "add"),
        "may_manage_webhooks": may_manage_webhooks(person),
        "address": address,
        **_call_facts(request, person),
    }
    return render(request, "dialogue/integrate/integrate.html", {**facts, **more}, status=status)


def _counts(home: Assistant) -> dict[str, int]:
    """How many webhooks and channels serve the assistant, and how many tokens are valid."""
    endpoints = WebhookEndpoint.objects.filter(Q(assistant=home) | Q(assistant=None))
    return {
        "webhooks": endpoints.count(),
        "channels": ChannelConnection.objects.filter(assistant=home).count(),
        "tokens": valid_tokens().count(),
    }


def _call_facts(request: HttpRequest, person: Person) -> dict[str, Any]:
    """The last calls, for people who publish: they put the programs of other sites into service."""
    if not may_publish(person):
        return {}
    failed_only = request.GET.get("calls") == "errors"
    count, failed = count_calls()
    calls = last_calls(MAX_LISTED_CALLS, failed_only=failed_only)
    return {
        "calls": calls,
        "failed_only": failed_only,
        "call_count": count,
        "failed_count": failed,
        "has_more_calls": count >= MAX_CALLS,
        "shows_calls": True,
    }


def _address(request: HttpRequest) -> str:
    """The address of this installation, with a slash at its end: of the settings, else as the browser has it."""
    root = reverse("dialogue:home")
    return f"{soni.PUBLIC_URL.rstrip('/')}{root}" if soni.PUBLIC_URL else request.build_absolute_uri(root)


def _state_of(row: SigningSecret) -> str:
    if row.revoked_at is not None:
        return "revoked"
    if row.ends_at is not None and row.ends_at <= clock.now():
        return "ended"
    if not secret_text(row):
        return "unusable"
    return "valid" if row.ends_at is None else "replaced"
