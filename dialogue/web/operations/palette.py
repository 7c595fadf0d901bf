"""The command palette: what a person can go to or do, found by a few words. Nothing is carried out by a search."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import reduce
from operator import and_
from urllib.parse import urlencode

from django.db.models import Case, Q, When
from django.http import HttpRequest, JsonResponse
from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise
from django.utils.translation import get_language, get_language_info, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from dialogue.desk.access.people import TEST, AccountClosed, Caller, Person, read_person, visible_sessions
from dialogue.desk.agent_requests.opening import authored_assistants
from dialogue.desk.command_bar import bar, lines
from dialogue.desk.command_bar.completion import complete_line
from dialogue.desk.command_bar.preview import preview_command
from dialogue.desk.forms import choices
from dialogue.desk.forms.action_preview import consequences_of, preview_line
from dialogue.desk.forms.refusals import LineRefused, Refused, SessionNotFound
from dialogue.desk.queue.keyset import keyset_page_of_parts
from dialogue.models import Conversation, Flow, HITLSession
from dialogue.models.account import name_matches
from dialogue.models.assistants.flow import OWN_DOCUMENT
from dialogue.turns import clock
from dialogue.turns.live.flow_words import step_title, titles_of
from dialogue.turns.live.titles import listed_title_for_reader
from dialogue.web.flows.flow_cards import title_of_text
from dialogue.web.gates.filters import QueueQuery
from dialogue.web.gates.queue import find_tab, queue_page
from dialogue.web.gates.rows import row_of
from dialogue.web.gates.tour import may_take_tour
from dialogue.web.shared.languages import offered_languages
from dialogue.web.shared.people import caller_of, needs, person_of_request
from dialogue.web.shared.permissions import (
    is_staff,
    may_change_flows,
    may_command,
    may_export_audit,
    may_manage_channels,
    may_manage_webhooks,
    may_propose_examples,
    may_read,
    may_see_accounts,
    may_see_audit,
    may_see_flows,
    may_see_gates,
    may_see_status,
    may_see_tokens,
    may_see_understanding,
    may_test,
)
from dialogue.web.shared.scope import conversation_parts, every_conversation
from dialogue.web.shared.times import span_text, time_text

MAX_QUERY_CHARACTERS = 100
MAX_ROWS = 5
"""Rows of one group."""
MAX_SCANNED_FLOWS = 200
MAX_SCANNED_ASSISTANTS = 200
MAX_PREVIEWS = 6
"""Lines that are tried out for one search: each costs the checks of the real command."""
CHANNEL = "bar"
LINES_OF_GATE = ("claim {gate}", "release {gate}", "snooze {gate} 15m", "snooze {gate} 1h")

_STEP = re.compile(r"\bstep:\s*[\"']?([A-Za-z][\w-]*)")
_GATE_NAME = re.compile(r"@?g([0-9]{1,18})")
_GATE = re.compile(r"@?g?([0-9]{1,18})")
_GATE_LINE = re.compile(r"g[0-9]{1,18}(\.[0-9]{1,4})?\s")


@dataclass(frozen=True)
class PaletteItem:
    """One row of the palette.

    Of `href` (go there), `line` (a line of the command bar to carry out), `text` (what to write on), `dialog` (the
    id of a dialog of the page to open) and `press` (the name of a command in the account's menu), one is not empty.
    """

    title: str
    detail: str = ""
    end: str = ""
    icon: str = "arrow"
    tone: str = ""
    href: str = ""
    line: str = ""
    text: str = ""
    dialog: str = ""
    press: str = ""


@dataclass(frozen=True)
class MenuCommand:
    """A command of the account's menu: its title, other words that find it, and its name in the menu."""

    title: str | Promise
    words: str
    icon: str
    name: str


@dataclass(frozen=True)
class ConsolePage:
    """A page that the palette leads to: its title, other words that find it, its address' name, and who may open it."""

    title: str | Promise
    words: str
    icon: str
    name: str
    allowed: Callable[[Person], bool]


PAGES = (
    ConsolePage(gettext_lazy("Inbox"), "chats handoff messages", "inbox", "dialogue:inbox", may_see_gates),
    ConsolePage(gettext_lazy("Gates"), "approvals queue decisions", "gate", "dialogue:gates", may_see_gates),
    ConsolePage(gettext_lazy("Figures"), "statistics charts reports", "chart", "dialogue:figures", may_see_gates),
    ConsolePage(gettext_lazy("Conversations"), "chats history", "ask", "dialogue:conversations", may_read),
    ConsolePage(gettext_lazy("Flows"), "editor assistants", "flow", "dialogue:flows", may_see_flows),
    ConsolePage(gettext_lazy("New assistant"), "create", "plus", "dialogue:new_assistant", may_change_flows),
    ConsolePage(gettext_lazy("Test"), "try console", "test", "dialogue:tests", may_test),
    ConsolePage(gettext_lazy("Understanding"), "nlu learning", "bot", "dialogue:understanding", may_see_understanding),
    ConsolePage(gettext_lazy("Saved replies"), "templates", "bolt", "dialogue:replies", may_propose_examples),
    ConsolePage(
        gettext_lazy("Webhooks"), "events endpoints deliveries", "bolt", "dialogue:webhooks", may_manage_webhooks
    ),
    ConsolePage(gettext_lazy("Channels"), "telegram e-mail", "send", "dialogue:channels", may_manage_channels),
    ConsolePage(gettext_lazy("Audit"), "record log acts", "audit", "dialogue:audit", may_see_audit),
    ConsolePage(
        gettext_lazy("Verify the audit record"), "check hashes", "audit", "dialogue:audit_verify", may_export_audit
    ),
    ConsolePage(gettext_lazy("Status of the service"), "health", "gear", "dialogue:status", may_see_status),
    ConsolePage(gettext_lazy("First steps"), "start guide", "flow", "dialogue:first_steps", is_staff),
    ConsolePage(gettext_lazy("Your settings"), "account password time zone", "gear", "dialogue:account", is_staff),
)
ADMINISTRATION_PAGES = (
    ConsolePage(gettext_lazy("Users"), "accounts people roles", "hand", "dialogue:users", may_see_accounts),
    ConsolePage(gettext_lazy("API tokens"), "keys programs", "bolt", "dialogue:tokens", may_see_tokens),
)
"""Pages that ask, as Django's admin does, for an account that may sign in there."""
ASSISTANT_PAGES = (
    ConsolePage(gettext_lazy("Releases"), "publish versions roll back", "flow", "dialogue:releases", may_see_flows),
    ConsolePage(gettext_lazy("Test"), "try console", "test", "dialogue:test", may_test),
    ConsolePage(gettext_lazy("Scenarios"), "tests coverage", "check", "dialogue:scenarios", may_test),
    ConsolePage(
        gettext_lazy("Understanding"), "nlu training", "bot", "dialogue:understanding_of", may_see_understanding
    ),
    ConsolePage(gettext_lazy("Documents"), "knowledge answers", "note", "dialogue:documents", may_see_flows),
    ConsolePage(gettext_lazy("Integrate"), "widget website api", "globe", "dialogue:integrate", may_see_flows),
)
"""Pages of one assistant: their addresses have its name."""
HELP_PAGES = (
    ConsolePage(
        gettext_lazy("Reference of the flow language"), "yaml help guide", "flow", "dialogue:reference", may_see_flows
    ),
    ConsolePage(gettext_lazy("API documentation"), "openapi rest", "prompt", "dialogue:api-docs", is_staff),
)

MENU_COMMANDS = (
    MenuCommand(gettext_lazy("Dark theme"), "light mode colours night", "moon", "theme"),
    MenuCommand(gettext_lazy("Browser notifications"), "alerts desktop messages on off", "bell", "notifications"),
    MenuCommand(gettext_lazy("Sound for new items"), "alerts bell noise on off", "sound", "sound"),
    MenuCommand(gettext_lazy("Single-letter keys"), "keyboard shortcuts on off", "prompt", "letters"),
    MenuCommand(gettext_lazy("Sign out"), "log out logout leave", "back", "sign-out"),
)
"""Commands of the account's menu, in its order. The browser presses their buttons in the menu."""


@needs(is_staff)
@require_GET
def search(request: HttpRequest) -> JsonResponse:
    """Return `{groups: [{title, items}], note}`; `note` says why a complete line would be refused.

    The words of the query are in `q`. A leading `>` finds actions only, `?` help only. The keys of an item are those
    of `PaletteItem`.
    """
    query = request.GET.get("q", "").replace("\0", "").strip()[:MAX_QUERY_CHARACTERS]
    mode, words = (query[0], query[1:].strip()) if query[:1] in (">", "?") else ("", query)
    groups, note = _groups_of(request, mode, words)
    found = [
        {"title": str(title), "items": [asdict(item) for item in items]} for title, items in groups.items() if items
    ]
    return JsonResponse({"groups": found, "note": note})


def _groups_of(request: HttpRequest, mode: str, words: str) -> tuple[dict[str, list[PaletteItem]], str]:
    person = person_of_request(request)
    groups: dict[str, list[PaletteItem]] = {}
    note = ""
    if mode == "" and words:
        groups[_("Gates")] = _gate_items(person, words)
        groups[_("Customers")] = _customer_items(person, words)
        groups[_("Flows")] = _flow_items(person, words)
        groups[_("Assistants")] = _assistant_items(person, words)
    if mode == "":
        may_administer = getattr(request.user, "is_staff", False)
        groups[_("Pages")] = _page_items((*PAGES, *ADMINISTRATION_PAGES) if may_administer else PAGES, person, words)
    if mode in ("", ">"):
        actions, note = _actions(person, caller_of(request, CHANNEL), words)
        is_search = mode == "" and words and not actions and not note
        commands = _menu_items(person, words)
        is_search = is_search and not commands
        groups[_("Actions")] = [*actions, *commands, *(_search_items(person, words) if is_search else ())]
    if mode == "?" or words:
        groups[_("Help")] = _help_items(person, words)
    return groups, note


def _page_items(pages: tuple[ConsolePage, ...], person: Person, words: str) -> list[PaletteItem]:
    sought = words.casefold().split()
    items = []
    for page in pages:
        text = f"{page.title} {page.words}".casefold()
        if all(word in text for word in sought) and page.allowed(person):
            with suppress(NoReverseMatch):
                items.append(PaletteItem(str(page.title), icon=page.icon, href=reverse(page.name)))
    return items


def _menu_items(person: Person, words: str) -> list[PaletteItem]:
    """Commands of the account's menu that have every word: theme, sounds, languages, tour and sign-out."""
    sought = words.casefold().split()
    if not sought:
        return []
    languages = [
        MenuCommand(name, "{name} {name_local} language".format(**get_language_info(code)), "globe", f"language-{code}")
        for code, name in offered_languages()
        if code != get_language()
    ]
    tour = [MenuCommand(_("Tour of the gate"), "help introduction", "gate", "tour")] if may_take_tour(person) else []
    return [
        PaletteItem(str(command.title), icon=command.icon, press=command.name)
        for command in (*tour, *MENU_COMMANDS, *languages)
        if all(word in f"{command.title} {command.words}".casefold() for word in sought)
    ]


def _assistant_items(person: Person, words: str) -> list[PaletteItem]:
    """Pages of assistants that have every word in their own title or in the assistant's: "releases bank"."""
    pages, sought = [page for page in ASSISTANT_PAGES if page.allowed(person)], words.casefold().split()
    items = []
    for home in authored_assistants().order_by("name")[:MAX_SCANNED_ASSISTANTS] if pages else ():
        for page in pages:
            text = f"{home.translated_title} {home.name} {page.title} {page.words}".casefold()
            if all(word in text for word in sought):
                href = reverse(page.name, args=[home.name])
                items.append(PaletteItem(str(page.title), home.translated_title, icon=page.icon, href=href))
    return items[: MAX_ROWS + 1]


def _help_items(person: Person, words: str) -> list[PaletteItem]:
    keys = PaletteItem(_("Keys of this page"), icon="prompt", end="?", dialog="keys")
    names = f"{keys.title} keyboard shortcuts help".casefold()
    matches = all(word in names for word in words.casefold().split())
    return [*([keys] if matches else []), *_page_items(HELP_PAGES, person, words)]


def _search_items(person: Person, words: str) -> Iterator[PaletteItem]:
    address = "?" + urlencode({"q": words})
    if may_see_gates(person):
        yield PaletteItem(_("Show only gates with “%s”") % words, icon="gate", href=reverse("dialogue:gates") + address)
    if may_read(person):
        title = _("Search all conversations for “%s”") % words
        everywhere = "?" + urlencode({"q": words, "tests": "too"})
        yield PaletteItem(title, icon="search", href=reverse("dialogue:conversations") + everywhere)


def _gate_items(person: Person, words: str) -> list[PaletteItem]:
    """Gates by number; by words those that wait, then those that were decided, as the searches of their lists do."""
    if not may_see_gates(person) and not person.has(TEST):
        return []
    number = _GATE.fullmatch(words.lower())
    if number:
        sessions = list(visible_sessions(person).filter(pk=int(number[1]), audience=HITLSession.Audience.STAFF))
    elif may_see_gates(person):
        waiting = queue_page(person, find_tab("groups"), QueueQuery(q=words)).rows[:MAX_ROWS]
        decided = queue_page(person, find_tab("done"), QueueQuery(q=words)).rows if len(waiting) < MAX_ROWS else []
        sessions = [*waiting, *decided][:MAX_ROWS]
    else:
        sessions = []
    return [_gate_item(session, person) for session in sessions]


def _gate_item(session: HITLSession, person: Person) -> PaletteItem:
    row, now = row_of(session, person), clock.now()
    left = ""
    if row.deadline:
        left = _("%s left") % span_text(row.deadline - now) if row.deadline > now else _("overdue")
    is_chat = session.kind == HITLSession.Kind.HANDOFF
    customer = session.conversation.customer_text
    return PaletteItem(
        title=" · ".join(row.values) or listed_title_for_reader(session),
        detail=" · ".join([*([listed_title_for_reader(session)] if row.values else []), session.name, customer]),
        end=row.outcome.words if row.over else left,
        icon="ask" if is_chat else "gate",
        tone="closed" if row.over else "gate",
        href=reverse("dialogue:inbox_chat" if is_chat else "dialogue:gate", args=[session.number]),
    )


def _customer_items(person: Person, words: str) -> list[PaletteItem]:
    """The newest conversations of customers whose names have all the words."""
    if not may_read(person):
        return []
    conditions = (Q(user_ref__icontains=word) | name_matches(word, "user") for word in words.split()[:8])
    page = keyset_page_of_parts(
        every_conversation(),
        conversation_parts(person),
        ("-active_at", "-id"),
        scan_filter=reduce(and_, conditions),
        limit=MAX_ROWS,
    )
    return [_customer_item(conversation) for conversation in page.rows]


def _customer_item(conversation: Conversation) -> PaletteItem:
    return PaletteItem(
        title=conversation.customer_text,
        detail=conversation.assistant.translated_title,
        end=_("active %s") % time_text(conversation.active_at),
        icon="hand",
        tone="collect",
        href=reverse("dialogue:conversation", args=[conversation.pk]),
    )


def _flow_items(person: Person, words: str) -> list[PaletteItem]:
    """Flows by their titles, whose name or title has the words, then steps; a step's link leads to its line."""
    if not may_see_flows(person):
        return []
    sought = "_".join(words.casefold().split())
    named = Q(name__icontains=sought) | Q(assistant__title__icontains=words)
    in_text = Q(head__text__icontains=f"step: {sought}") | Q(head__text__icontains=words)
    rows = Flow.objects.filter(named | in_text, archived=False, head__isnull=False)
    rows = rows.order_by(Case(When(named, then=0), default=1), "name")
    flows, steps = [], []
    for row in rows.select_related("assistant__active_release", "head")[:MAX_SCANNED_FLOWS]:
        home, text = row.assistant, row.head.text if row.head else ""
        assistant, href = home.translated_title or home.name, reverse("dialogue:flow", args=[home.name, row.name])
        shown = _("Settings of %s") % assistant if row.name == OWN_DOCUMENT else title_of_text(row.name, text)
        if sought in row.name.casefold() or any(words.casefold() in known.casefold() for known in (shown, assistant)):
            end, detail = _("Version %s") % (row.head.number if row.head else 0), f"{row.name} · {assistant}"
            flows.append(PaletteItem(shown, detail, end, icon="flow", tone="branch", href=href))
        for step, line in _steps_named(sought, text):
            title = f"{shown} › {step_title(row.name, step, titles_of(home))}"
            detail, at_line = f"{row.name} › {step} · {assistant}", f"{href}#line-{line}"
            steps.append(PaletteItem(title, detail, icon="flow", tone="branch", href=at_line))
    return [*flows[:MAX_ROWS], *steps[:MAX_ROWS]]


def _steps_named(sought: str, text: str) -> Iterator[tuple[str, int]]:
    for number, line in enumerate(text.splitlines(), 1):
        for match in _STEP.finditer(line):
            if sought in match[1].casefold():
                yield match[1], number


def _actions(person: Person, caller: Caller, words: str) -> tuple[list[PaletteItem], str]:
    """The lines of the command bar that fit and would be accepted now; and why a whole line would be refused."""
    if not may_command(person):
        return [], ""
    line = f"@{words}" if _GATE_LINE.match(words.lower()) else words
    items = [item for text in _lines_for(line, person) if (item := _line_item(text, caller)) is not None]
    return items, "" if items else _refusal_of(line, caller)


def _lines_for(line: str, person: Person) -> list[str]:
    number = _GATE.fullmatch(line.lower())
    if not line:
        return ["next"] if may_see_gates(person) else []
    if not number:
        texts = {text.strip(): text for text in (line, *complete_line(line, person))}
        return list(texts.values())[:MAX_PREVIEWS]
    session = visible_sessions(person).filter(pk=int(number[1]), audience=HITLSession.Audience.STAFF).first()
    if session is None or session.state in HITLSession.FINAL:
        return []
    decisions = [
        f"submit {session.name} {action.id}{' ' if action.reason else ''}" for action in choices.actions_of(session)
    ]
    others = LINES_OF_GATE if session.follow_up_at is None else ("unsnooze {gate}", *LINES_OF_GATE)
    return [*decisions[:MAX_PREVIEWS], *(line.format(gate=session.name) for line in others)]


def _line_item(line: str, caller: Caller) -> PaletteItem | None:
    """The line with what it would do; a line to go on writing; None if it would be refused."""
    try:
        command = lines.parse_line(line)
    except LineRefused:
        is_beginning = line.endswith(" ")
        return PaletteItem(f"{line.strip()} …", _("Go on writing"), icon="prompt", text=line) if is_beginning else None
    needs_reason = False
    if isinstance(command, lines.Submit) and line.endswith(" "):
        command, needs_reason = replace(command, reason="…"), True
    try:
        preview = preview_command(command, caller)
    except (LineRefused, Refused, AccountClosed):
        return None
    command = bar.resolve_command(command, caller)
    if not isinstance(command, lines.Submit):
        return PaletteItem(f"{preview.effect} {preview.next}".strip(), line.strip(), icon="bolt", line=line.strip())
    session = bar.visible_session(command.number, caller)
    title = _title_of_answer(session, command)
    if needs_reason:
        return PaletteItem(title, _("Go on writing: the reason"), icon="prompt", text=line)
    return PaletteItem(title, _consequence_of(session, command) or line.strip(), icon="bolt", line=line.strip())


def _title_of_answer(session: HITLSession, answer: lines.Submit) -> str:
    """The answer as its button says it, the gate, and the reason: "Reject g12: unknown payee"."""
    action = choices.action_of(session, answer.action)
    title = f"{choices.label_of(action) if action else answer.action} {session.name}"
    return f"{title}: {answer.reason}" if answer.reason else title


def _consequence_of(session: HITLSession, answer: lines.Submit) -> str:
    """What the answer leads to, as under the gate's buttons; empty where that is not known."""
    action = choices.action_of(session, answer.action)
    consequence = consequences_of(session).get(action.id) if action else None
    return preview_line(session, action.id, consequence) if action and consequence else ""


def _refusal_of(line: str, caller: Caller) -> str:
    """Why this line would be refused; empty unless it begins like a command, or is the name of a gate."""
    if name := _GATE_NAME.fullmatch(line.lower()):
        number = int(name[1])
        is_known = visible_sessions(read_person(caller.user)).filter(pk=number).exists()
        return "" if is_known else str(SessionNotFound(number))
    word = line.split(maxsplit=1)[0].lower() if line else ""
    if not line.startswith("@") and (word not in lines.COMMANDS or " " not in line):
        return ""
    try:
        preview_command(lines.parse_line(line), caller)
    except (LineRefused, Refused, AccountClosed) as refused:
        return str(refused)
    return ""
