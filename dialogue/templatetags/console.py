"""Icons, clocks and the rail."""

import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from itertools import groupby
from uuid import uuid4

from django import template
from django.conf import settings
from django.http import HttpRequest
from django.template.context import RequestContext
from django.templatetags.static import static
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import get_current_timezone_name
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dialogue.desk.access.people import TEST, Person
from dialogue.desk.command_bar.preview import FALLBACK_LINE
from dialogue.models import Alert, HITLSession
from dialogue.models.account import Account, display_name
from dialogue.turns import clock
from dialogue.web.gates.counts import count_text, counts_of_request
from dialogue.web.gates.queue import last_event_number
from dialogue.web.shared import turn_trace
from dialogue.web.shared.people import person_of_request
from dialogue.web.shared.permissions import may_command, may_see_gates, may_see_status, may_see_understanding
from dialogue.web.shared.times import span_text, time_text

register = template.Library()

LANGUAGES = ("en", "es")
"""Of the console's own texts."""
THEMES = ("light", "dark")
TINTS = 5


@dataclass(frozen=True)
class Place:
    """One entry of the rail; `badge` None where nothing is counted."""

    title: str
    icon: str
    href: str
    here: bool
    badge_name: str = ""
    badge: int | None = None


@register.simple_tag
@cache
def icon(name: str, size: str = "") -> SafeString:
    """A drawing of the sprite; it says nothing that the words beside it do not."""
    sprite = static("dialogue/icons.svg")
    return format_html('<svg class="icon {}" aria-hidden="true"><use href="{}#i-{}"/></svg>', size, sprite, name)


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


@register.simple_tag
def offered_languages() -> list[tuple[str, str]]:
    """(code, name) of the project's languages that the console speaks; none where the project has one language."""
    if not any(name.endswith("LocaleMiddleware") for name in settings.MIDDLEWARE):
        return []
    return [(code, name) for code, name in settings.LANGUAGES if code in LANGUAGES]


@register.simple_tag
def csrf_cookie() -> str:
    """The name of the cookie that scripts read the CSRF token from."""
    return settings.CSRF_COOKIE_NAME


@register.simple_tag
def server_time() -> str:
    """The server's clock, which the pages' countdowns go by."""
    return clock.now().isoformat()


@register.simple_tag
def server_zone() -> str:
    """The time zone that this page's times are in."""
    return get_current_timezone_name()


@register.simple_tag
def fresh_key() -> str:
    """An idempotency key for one form: sent twice, it counts once."""
    return uuid4().hex


@register.simple_tag(takes_context=True)
def inbox_cursor(context: RequestContext) -> int | None:
    """Where the page's socket begins: the last event that there was before the page's rows were read."""
    if "inbox_cursor" in context:
        known: int = context["inbox_cursor"]
        return known
    return last_event_number() if may_see_gates(person_of_request(context["request"])) else None


@register.simple_tag
def whole_seconds(session: HITLSession) -> int:
    """The time that this session had when it was opened, in seconds; 0 without a deadline."""
    return int((session.expires_at - session.opened_at).total_seconds()) if session.expires_at else 0


@register.filter
def initials(user: Account | str) -> str:
    """Two letters for a face."""
    name = user if isinstance(user, str) else display_name(user)
    words = [word for word in name.replace("_", " ").replace(".", " ").split() if word[0].isalnum()]
    letters = [word[0] for word in (words[:1] + words[-1:] if len(words) > 1 else words)]
    return "".join(letters).upper() or "?"


@register.filter
def person_name(user: Account | None) -> str:
    """The name of an account's person; empty for None."""
    return display_name(user) if user is not None else ""


@register.filter
def state_words(state: str) -> str:
    """A state of a conversation, a gate or a flow, in the reader's language."""
    return str(_STATES.get(state, state))


@register.filter
def tint(name: object) -> str:
    """A colour that stays with a name."""
    return f"tint-{sum(str(name).encode()) % TINTS + 1}"


@register.filter
def at_time(at: datetime | None) -> SafeString | str:
    """The moment as `<time>`, in short."""
    if at is None:
        return ""
    return format_html('<time datetime="{}">{}</time>', at.isoformat(), time_text(at, clock.now()))


@register.filter
def many(count: int) -> str:
    """A count of rows, which was not counted to its end: "99+"."""
    return count_text(count)


@register.filter
def since(at: datetime) -> SafeString:
    """How long ago, counting up on the page."""
    words = span_text(clock.now() - at)
    return format_html('<time datetime="{0}" data-since="{0}">{1}</time>', at.isoformat(), words)


@register.filter
def until(at: datetime) -> SafeString:
    """How long still, counting down on the page."""
    now = clock.now()
    words = span_text(at - now) if at > now else _("overdue")
    mark = '<time datetime="{0}" data-until="{0}" data-past="{1}">{2}</time>'
    return format_html(mark, at.isoformat(), _("overdue"), words)


@register.filter
def span(length: timedelta) -> str:
    """A span in its largest unit."""
    return span_text(length)


@register.filter
def filled(phrase: str, fact: object) -> str:
    """The phrase with the fact in the place of its `%s`."""
    return phrase.replace("%s", str(fact))


@register.filter
def slice_id(identity: object) -> str:
    """The beginning of an id, which tells rows of a list apart."""
    return str(identity)[:8]


@register.filter
def command_words(command: object) -> str:
    """A command of a record, in words."""
    return turn_trace.command_text(command)


@register.filter
def as_stubs(stubs: dict[str, list[dict[str, object]]]) -> str:
    """Stubs in the form of scenario files; JSON is YAML."""
    lines = ((name, json.dumps(stub, ensure_ascii=False)) for name, listed in stubs.items() for stub in listed)
    grouped = groupby(lines, key=lambda line: line[0])
    return "".join(f"{name}:\n" + "".join(f"  - {text}\n" for _name, text in rows) for name, rows in grouped)


@register.inclusion_tag("dialogue/rail.html", takes_context=True)
def rail(context: RequestContext) -> dict[str, object]:
    """The main navigation: only places that this person may open."""
    request: HttpRequest = context["request"]
    person = person_of_request(request)
    return {
        "places": _places(request, person),
        "looks_after": may_see_status(person),
        "request": request,
        "user": request.user,
        **_forms(context),
    }


@register.inclusion_tag("dialogue/command_bar.html", takes_context=True)
def command_bar(context: RequestContext) -> dict[str, object]:
    """The bar at the bottom of every page of the console, for who may use it."""
    person = person_of_request(context["request"])
    return {
        "allowed": may_command(person),
        "me": person.id,
        "messages": context.get("messages", ()),
        "example": context.get("example", FALLBACK_LINE),
        **_forms(context),
    }


@register.simple_tag
def runs_of(steps: dict[str, int], step: str) -> int:
    """How many scenarios came through this step."""
    return steps.get(step, 0)


@register.simple_tag
def waiting_in(waiting: dict[str, int], assistant: str, flow: str) -> int:
    """How many conversations wait in this flow."""
    return waiting.get(f"{assistant}/{flow}", 0)


def _forms(context: RequestContext) -> dict[str, object]:
    return {"csrf_token": context.get("csrf_token")}


def _places(request: HttpRequest, person: Person) -> list[Place]:
    path, places = request.path, []
    if may_see_gates(person):
        badges = counts_of_request(request).badges
        places += [_place(_("Inbox"), "inbox", "dialogue:inbox", path, badges["inbox"])]
        places += [_place(_("Gates"), "gate", "dialogue:gates", path, badges["gates"])]
        places += [_place(_("Figures"), "chart", "dialogue:figures", path)]
    if person.superuser or person.has("view_conversation"):
        places += [_place(_("Chats"), "ask", "dialogue:conversations", path)]
    if person.superuser or person.has("view_flow"):
        places += [_place(_("Flows"), "flow", "dialogue:flows", path)]
    if person.has(TEST) and not person.is_auditor:
        places += [_place(_("Test"), "test", "dialogue:tests", path)]
    if may_see_understanding(person):
        places += [_place(_("Learning"), "bot", "dialogue:understanding", path, _open_alerts())]
    in_admin = getattr(request.user, "is_staff", False)
    if in_admin and (person.superuser or person.has("view_auditentry")):
        with suppress(NoReverseMatch):  # a project may have no admin, or one under another name
            places += [_place(_("Audit"), "audit", "admin:dialogue_auditentry_changelist", path)]
    return places


def _open_alerts() -> int | None:
    """How many things only people can mend; None where nothing is wrong."""
    return Alert.objects.filter(over_at=None).count() or None


def _place(title: str, picture: str, name: str, path: str, badge: int | None = None) -> Place:
    href, root = reverse(name), reverse("dialogue:home")
    sections = (href, *(root + section for section in _ELSEWHERE.get(name, ())))
    return Place(title, picture, href, path.startswith(sections), name.removeprefix("dialogue:"), badge)


_ELSEWHERE = {"dialogue:flows": ("assistants/", "releases/"), "dialogue:tests": ("scenarios/",)}
"""Pages that belong to a place and have addresses of their own."""


_STATES = {
    "idle": gettext_lazy("idle"),
    "running": gettext_lazy("running"),
    "waiting": gettext_lazy("waits"),
    "done": gettext_lazy("over"),
    "failed": gettext_lazy("needs a person"),
    "cancelled": gettext_lazy("withdrawn"),
    "open": gettext_lazy("open"),
    "claimed": gettext_lazy("claimed"),
    "submitted": gettext_lazy("decided"),
    "expired": gettext_lazy("expired"),
    "active": gettext_lazy("active"),
    "paused": gettext_lazy("paused"),
    "parked": gettext_lazy("parked"),
    "calling": gettext_lazy("waits for what it called"),
    "planned": gettext_lazy("planned"),
}
