"""The models of Django's admin for its readers: groups, a sentence each, the console's pages, and names of rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import Group
from django.db.models import Model
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dialogue.admin.reading import short_id
from dialogue.models import (
    Assistant,
    AuditEntry,
    Conversation,
    Event,
    Flow,
    HITLSession,
    Message,
    Release,
    Submission,
    Turn,
)
from dialogue.models.account import Account, display_name
from dialogue.turns.live.flow_words import flow_title, titles_of
from dialogue.turns.live.titles import listed_title_for_reader
from dialogue.web.accounts.listing import role_of

NOTHING = "–"
"""What stands for an empty value."""


@dataclass(frozen=True)
class RecordKind:
    """One model as the index lists it; addresses are empty where there is no such page."""

    name: str
    sentence: str
    address: str
    page: str
    page_words: str
    add_address: str
    add_words: str


@dataclass(frozen=True)
class RecordGroup:
    """Models about the same things."""

    title: str
    kinds: list[RecordKind]


GROUPS: tuple[tuple[Promise, tuple[str, ...]], ...] = (
    (gettext_lazy("People and access"), ("User", "Group", "ApiToken")),
    (gettext_lazy("Conversations"), ("Conversation", "Message", "Turn", "Event", "ActionRun")),
    (gettext_lazy("Gates"), ("HITLSession", "Submission")),
    (gettext_lazy("Assistants"), ("Assistant", "FlowVersion", "Release")),
    (gettext_lazy("Audit"), ("AuditEntry",)),
)
"""The groups of the index; models that are not named follow in a last group."""
SENTENCES: dict[str, Promise] = {
    "User": gettext_lazy("The accounts of people and programs, with their groups and single permissions."),
    "Group": gettext_lazy("Roles, and groups of people who answer the same gates: what their members may do."),
    "ApiToken": gettext_lazy("The tokens of programs: for which account, with which scopes, until when."),
    "Conversation": gettext_lazy("Every chat: its customer, its assistant and its state."),
    "Message": gettext_lazy("The lines of all chats, with sensitive values masked."),
    "Turn": gettext_lazy("What was made of each message or decision, and how long it took."),
    "Event": gettext_lazy("What arrived, in its order: messages, decisions and timers, applied or not yet."),
    "ActionRun": gettext_lazy("Each call of an action: when it began and ended, and what went wrong."),
    "HITLSession": gettext_lazy("What waited for staff: its state, its deadline and how it was decided."),
    "Submission": gettext_lazy("Every answer to a gate, also those that were refused."),
    "Assistant": gettext_lazy("Each assistant with its active release."),
    "FlowVersion": gettext_lazy("Every version of every flow that was saved, and by whom."),
    "Release": gettext_lazy("What was published, by whom and when."),
    "AuditEntry": gettext_lazy("Who did what and when, in chains that show every later change."),
}
"""What the records of a model hold."""
PAGES: dict[str, tuple[Promise, str]] = {
    "User": (gettext_lazy("Users"), "dialogue:users"),
    "ApiToken": (gettext_lazy("API tokens"), "dialogue:tokens"),
    "Conversation": (gettext_lazy("Conversations"), "dialogue:conversations"),
    "HITLSession": (gettext_lazy("Gates"), "dialogue:gates"),
    "Assistant": (gettext_lazy("Flows"), "dialogue:flows"),
    "AuditEntry": (gettext_lazy("Audit"), "dialogue:audit"),
}
"""The console's pages about the same rows."""
ADD_WORDS: dict[str, Promise] = {
    "User": gettext_lazy("New user"),
    "Group": gettext_lazy("New group"),
    "ApiToken": gettext_lazy("New token"),
}
"""What the buttons say that add rows of these models, as on the pages of the console."""


def grouped_kinds(app_list: Sequence[Mapping[str, Any]]) -> list[RecordGroup]:
    """Return the models of Django's `app_list` by group; it holds what the reader may see."""
    models = {model["object_name"]: model for app in app_list for model in app["models"]}
    named = [(str(title), [models.pop(name) for name in names if name in models]) for title, names in GROUPS]
    groups = [*named, (_("Others"), [*models.values()])]
    return [RecordGroup(title, [_kind(model) for model in found]) for title, found in groups if found]


def _kind(model: Mapping[str, Any]) -> RecordKind:
    name = model["object_name"]
    page_name, page = PAGES.get(name, ("", ""))
    return RecordKind(
        name=str(model["name"]),
        sentence=str(SENTENCES.get(name, "")),
        address=model["admin_url"] or "",
        page=reverse(page) if page else "",
        page_words=_("Open the %s page") % page_name if page else "",
        add_address=model["add_url"] or "",
        add_words=add_words(model["model"]._meta),
    )


def add_words(options: Any) -> str:
    """What the button says that adds a row, such as “New user”; `options` are the model's."""
    return str(ADD_WORDS.get(options.object_name) or _("Add %s") % options.verbose_name)


def _release_name(release: Release) -> str:
    facts = {"assistant": release.assistant.translated_title, "number": release.number}
    return _("%(assistant)s, release %(number)s") % facts


NAMES: tuple[tuple[type[Model], Callable[[Any], str]], ...] = (
    (Account, display_name),
    (Group, lambda row: role_of(row).title),
    (Conversation, lambda row: f"{row.customer_text} {short_id(row.pk)}"),
    (HITLSession, lambda row: f"{row.name} {capfirst(listed_title_for_reader(row))}"),
    (Submission, lambda row: f"{row.session.name} {capfirst(listed_title_for_reader(row.session))}"),
    (Assistant, lambda row: row.translated_title),
    (Flow, lambda row: flow_title(row.name, titles_of(row.assistant))),
    (Release, _release_name),
    (Turn, lambda row: f"{capfirst(row._meta.verbose_name)} {row.number}"),
    (Event, lambda row: f"{capfirst(row._meta.verbose_name)} {row.number}"),
    (AuditEntry, lambda row: f"{capfirst(row._meta.verbose_name)} {row.pk}"),
    (Message, lambda row: f"{capfirst(row._meta.verbose_name)} {row.pk}"),
)
"""What people call rows: a person by name, a chat by its customer, others by kind and number."""


def name_of(record: Model) -> str:
    """What people call a row; by default its text."""
    return next((name(record) for model, name in NAMES if isinstance(record, model)), str(record))


def console_page_of(record: Model) -> str:
    """The address of the console's page about a row; empty where there is none."""
    match record:
        case Account():
            return reverse("dialogue:user", args=[record.pk])
        case AuditEntry():
            return reverse("dialogue:audit_entry", args=[record.pk])
        case Conversation():
            return reverse("dialogue:conversation", args=[record.pk])
        case Release():
            return reverse("dialogue:releases", args=[record.assistant.name])
        case HITLSession():
            page = "dialogue:inbox_chat" if record.kind == HITLSession.Kind.HANDOFF else "dialogue:gate"
            return reverse(page, args=[record.number])
        case Submission():
            return console_page_of(record.session)
        case _:
            return _page_of_conversation(record)


def console_page_words(record: Model) -> str:
    """What the link to the console's page about a row says, such as “Open the gate”."""
    match record:
        case Account():
            return _("Open in Users")
        case AuditEntry():
            return _("Open in Audit")
        case Release():
            return _("Open the releases")
        case HITLSession():
            return _("Open the chat") if record.kind == HITLSession.Kind.HANDOFF else _("Open the gate")
        case Submission():
            return console_page_words(record.session)
        case _:
            return _("Open the conversation")


def _page_of_conversation(record: Model) -> str:
    conversation = getattr(record, "conversation", None)
    return console_page_of(conversation) if isinstance(conversation, Conversation) else ""
