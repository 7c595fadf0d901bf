"""The frame of every page: its navigation, command bar, theme, languages, and what its scripts are told."""

from dataclasses import dataclass
from functools import cache
from uuid import uuid4

from django import template
from django.conf import settings
from django.contrib.staticfiles import finders
from django.http import HttpRequest
from django.template.context import RequestContext
from django.urls import NoReverseMatch, reverse
from django.utils.timezone import get_current_timezone_name
from django.utils.translation import gettext as _

from dialogue.desk.access.people import TEST, Person
from dialogue.desk.command_bar.preview import FALLBACK_LINE
from dialogue.models import Alert
from dialogue.turns import clock
from dialogue.web.gates.counts import counts_of_request
from dialogue.web.gates.queue import last_event_number
from dialogue.web.gates.tour import may_take_tour
from dialogue.web.shared.languages import offered_languages
from dialogue.web.shared.people import person_of_request
from dialogue.web.shared.permissions import (
    is_staff,
    may_command,
    may_manage_channels,
    may_manage_webhooks,
    may_see_accounts,
    may_see_audit,
    may_see_gates,
    may_see_status,
    may_see_tokens,
    may_see_understanding,
)
from dialogue.web.shared.zones import chosen_zone_of

register = template.Library()

THEMES = ("light", "dark")
PHONE_ITEMS = 5
"""Entries of the navigation that a phone has room for with their names; the others are in its menu "More"."""

_PAGES_ELSEWHERE = {
    "dialogue:flows": ("assistants/", "releases/", "integrate/", "documents/", "reference/"),
    "dialogue:tests": ("scenarios/",),
    "dialogue:users": ("tokens/", "webhooks/", "deliveries/", "channels/", "status/"),
    "dialogue:tokens": ("webhooks/", "deliveries/", "channels/", "status/"),
    "dialogue:webhooks": ("deliveries/", "channels/", "status/"),
    "dialogue:channels": ("status/",),
}
"""Pages that belong to an entry of the navigation and have URLs of their own."""


@dataclass(frozen=True)
class NavigationItem:
    """One entry of the rail; `badge` None where nothing is counted."""

    title: str
    icon: str
    href: str
    is_current: bool
    badge_name: str = ""
    badge: int | None = None


@register.simple_tag(takes_context=True)
def theme(context: RequestContext) -> str:
    """The theme that this reader chose; empty: as the machine has it."""
    chosen: str = context["request"].COOKIES.get("soni_theme", "") if "request" in context else ""
    return chosen if chosen in THEMES else ""


@register.simple_tag(takes_context=True)
def style_nonce(context: RequestContext) -> str:
    """The nonce of the project's content security policy, for the editor's own style element; empty without one.

    It is read from `request.csp_nonce`, as django-csp sets it, or from the context's `csp_nonce`.
    """
    nonce = str(getattr(context.get("request"), "csp_nonce", ""))  # django-csp's is false until it is read as a text
    return nonce or str(context.get("csp_nonce", ""))


register.simple_tag(offered_languages)


@register.simple_tag
def csrf_cookie() -> str:
    """The name of the cookie that scripts read the CSRF token from."""
    return settings.CSRF_COOKIE_NAME


@register.simple_tag
def server_time() -> str:
    """The server's clock, which the pages' countdowns go by."""
    return clock.now().isoformat()


@register.simple_tag
def page_zone() -> str:
    """The time zone that this page's times are in."""
    return get_current_timezone_name()


@register.simple_tag
@cache
def has_typeface() -> bool:
    """Whether the files of the typeface are there; a checkout without its bundle has none."""
    return finders.find("dialogue/bundle/inter-latin-wght-normal.woff2") is not None


@register.simple_tag(takes_context=True)
def zone_is_chosen(context: RequestContext) -> bool:
    """Whether this reader chose a time zone, so that the browser's does not count."""
    return "request" in context and bool(chosen_zone_of(context["request"]))


@register.simple_tag(takes_context=True)
def querystring_with(context: RequestContext, name: str, value: str) -> str:
    """The page's query with one filter set, or without it where the value is empty; it leads to the first page."""
    query = context["request"].GET.copy()
    query.pop("after", None)
    query.pop(name, None)
    if value:
        query[name] = value
    return f"?{query.urlencode()}"


@register.simple_tag
def fresh_key() -> str:
    """An idempotency key for one form: sent twice, it counts once."""
    return uuid4().hex


@register.simple_tag(takes_context=True)
def inbox_cursor(context: RequestContext) -> int | None:
    """Where the page's socket begins: the last event that there was before the page's rows were read."""
    if "inbox_cursor" in context:
        cursor: int = context["inbox_cursor"]
        return cursor
    if not is_in_console(context):
        return None
    return last_event_number() if may_see_gates(person_of_request(context["request"])) else None


@register.simple_tag(takes_context=True)
def is_in_console(context: RequestContext) -> bool:
    """Whether this reader has a console; error pages are shown to visitors and customers too, and without a request."""
    request = context.get("request")
    return request is not None and hasattr(request, "user") and is_staff(person_of_request(request))


@register.inclusion_tag("dialogue/rail.html", takes_context=True)
def rail(context: RequestContext) -> dict[str, object]:
    """The main navigation: only items that this person may open."""
    request: HttpRequest = context["request"]
    person = person_of_request(request)
    items = _navigation_items(request, person)
    more_items = items[PHONE_ITEMS:]
    return {
        "bar_items": items[:PHONE_ITEMS],
        "more_items": more_items,
        "current_in_more": next((item for item in more_items if item.is_current), None),
        "badge_of_more": sum(item.badge or 0 for item in more_items),
        "has_first_steps": is_staff(person),
        "takes_tour": may_take_tour(person),
        "looks_after": may_see_status(person),
        "keeps_records": person.superuser and getattr(request.user, "is_staff", False),
        "zone": chosen_zone_of(request),
        "request": request,
        "user": request.user,
        **_csrf_token(context),
    }


@register.inclusion_tag("dialogue/accounts/tabs.html", takes_context=True)
def administration_tabs(context: RequestContext) -> dict[str, object]:
    """Links between the pages of administration that this person may open."""
    request: HttpRequest = context["request"]
    pages = _administration_pages(request, person_of_request(request))
    return {
        "items": [
            {"title": title, "href": reverse(name), "is_current": request.path.startswith(reverse(name))}
            for title, name in pages
        ]
    }


def _administration_pages(request: HttpRequest, person: Person) -> list[tuple[str, str]]:
    """(title, name of the URL); what Django's admin asks for, so that no permission changes with the page."""
    in_admin = getattr(request.user, "is_staff", False)
    pages = []
    if in_admin and may_see_accounts(person):
        pages.append((_("Users"), "dialogue:users"))
    if in_admin and may_see_tokens(person):
        pages.append((_("API tokens"), "dialogue:tokens"))
    if may_manage_webhooks(person):
        pages.append((_("Webhooks"), "dialogue:webhooks"))
    if may_manage_channels(person):
        pages.append((_("Channels"), "dialogue:channels"))
    if may_see_status(person):
        pages.append((_("Status"), "dialogue:status"))
    if in_admin and person.superuser and _admin_address():
        pages.append((_("Records"), "admin:index"))
    return pages


def _admin_address() -> str:
    """The address of Django's admin; empty in a project without it."""
    try:
        return reverse("admin:index")
    except NoReverseMatch:
        return ""


@register.inclusion_tag("dialogue/command_bar.html", takes_context=True)
def command_bar(context: RequestContext) -> dict[str, object]:
    """The bar at the bottom of every page of the console, for who may use it.

    It shows messages that the page has not shown in a place of its own.
    """
    person, messages = person_of_request(context["request"]), context.get("messages", ())
    return {
        "allowed": may_command(person),
        "me": person.id,
        "messages": () if getattr(messages, "used", False) else messages,
        "example": context.get("example", FALLBACK_LINE),
        **_csrf_token(context),
    }


def _csrf_token(context: RequestContext) -> dict[str, object]:
    return {"csrf_token": context.get("csrf_token")}


def _navigation_items(request: HttpRequest, person: Person) -> list[NavigationItem]:
    path, items = request.path, []
    if may_see_gates(person):
        badges = counts_of_request(request).badges
        items += [_navigation_item(_("Inbox"), "inbox", "dialogue:inbox", path, badges["inbox"])]
        items += [_navigation_item(_("Gates"), "gate", "dialogue:gates", path, badges["gates"])]
        items += [_navigation_item(_("Figures"), "chart", "dialogue:figures", path)]
    if person.superuser or person.has("view_conversation"):
        items += [_navigation_item(_("Conversations"), "ask", "dialogue:conversations", path)]
    if person.superuser or person.has("view_flow"):
        items += [_navigation_item(_("Flows"), "flow", "dialogue:flows", path)]
    if person.has(TEST) and not person.is_auditor:
        items += [_navigation_item(_("Test"), "test", "dialogue:tests", path)]
    if may_see_understanding(person):
        open_alerts = Alert.objects.filter(over_at=None).count() or None  # no badge where nothing is wrong
        items += [_navigation_item(_("Understanding"), "bot", "dialogue:understanding", path, open_alerts)]
    if may_see_audit(person):
        items += [_navigation_item(_("Audit"), "audit", "dialogue:audit", path)]
    if pages := _administration_pages(request, person):
        _title, name = pages[0]
        items += [_navigation_item(_("Status") if len(pages) == 1 else _("Admin"), "gear", name, path)]
    return items


def _navigation_item(title: str, picture: str, name: str, path: str, badge: int | None = None) -> NavigationItem:
    href, root = reverse(name), reverse("dialogue:home")
    sections = [href, *(root + section for section in _PAGES_ELSEWHERE.get(name, ()))]
    if name == "dialogue:users" and (records := _admin_address()):
        sections.append(records)
    return NavigationItem(title, picture, href, path.startswith(tuple(sections)), name.removeprefix("dialogue:"), badge)
