"""Read-only lists of conversations, gates, flows and their records."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.text import Truncator, capfirst
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from dialogue.admin.reading import (
    ReadOnlyAdmin,
    RedactedListAdmin,
    conversation_column,
    moment_column,
    person_of,
    state_column,
)
from dialogue.desk.access.redaction import redact_lines, redactor_for
from dialogue.desk.forms.choices import label_of_handle
from dialogue.engine.slots.definitions.labels import words_of_name
from dialogue.models import (
    ActionRun,
    Assistant,
    Conversation,
    Event,
    FlowVersion,
    HITLSession,
    Message,
    Release,
    Submission,
    Turn,
)
from dialogue.models.account import name_fields
from dialogue.turns.live.flow_words import titles_of_active_flows
from dialogue.turns.live.titles import listed_title_for_reader
from dialogue.turns.live.values_at_stake import summary_line

STATE = state_column("state", pgettext_lazy("record", "state"))
MOMENTS = gettext_lazy("Dates and deadlines")
MAX_TEXT_CHARACTERS = 160
"""Longer texts are cut in lists."""


class FlowFilter(admin.AllValuesFieldListFilter):
    """Flows by their titles. The choice of chats, which have no flow, has a name for screen readers too."""

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        titles = titles_of_active_flows()
        everything, *choices = super().choices(changelist)
        yield everything
        for choice in choices:
            name = str(choice["display"] or "")
            yield {**choice, "display": titles.get(name) or words_of_name(name) or gettext("none")}


@admin.register(Conversation)
class ConversationAdmin(ReadOnlyAdmin):
    view_permission = "view_every_conversation"
    list_display: tuple[str, ...] = ("customer", "assistant", "state_chip", "whose", "last_activity", "console_link")
    list_filter: ClassVar[tuple[Any, ...]] = ("state", "assistant", "test", "channel")
    date_hierarchy = "active_at"
    search_fields = ("id", "user_ref", *(f"user__{name}" for name in name_fields()))
    exclude = ("token_sha256", "origin", "stack", "lease_owner", "lease_until", "epoch")
    sections = (
        (
            gettext_lazy("Who talks with whom"),
            (*("user", "user_ref", "vouched", "assistant", "channel", "language", "test"),),
        ),
        (
            gettext_lazy("Where it stands"),
            ("outcome", "unclear_turns", "created_at", "active_at", "idle_until", "erased_at"),
        ),
    )
    technical = (
        *("release", "state", "explicit", "opening", "metadata"),
        *("last_message", "last_event", "last_turn"),
    )
    list_select_related = ("assistant", "user")
    state_chip = STATE
    last_activity = moment_column("active_at", gettext_lazy("Last activity"))

    @admin.display(description=gettext_lazy("Customer"))
    def customer(self, row: Conversation) -> str:
        return row.customer_text

    @admin.display(description=gettext_lazy("Kind"), ordering="test")
    def whose(self, row: Conversation) -> str:
        return gettext("test") if row.test else gettext("customer’s")

    @admin.display(description=gettext_lazy("Go to"))
    def console_link(self, row: Conversation) -> str:
        address = reverse("dialogue:conversation", args=[row.pk])
        return format_html('<a href="{}">{}</a>', address, gettext("Conversation"))


@admin.register(Message)
class MessageAdmin(RedactedListAdmin):
    """The list is redacted; the page of one line is not, so that auditors may not open it."""

    view_permission = "view_every_conversation"
    list_display = ("moment", conversation_column, "seq", "role", "short_text")
    list_filter = ("role",)
    date_hierarchy = "at"
    search_fields = ("text", "key")
    ordering = ("-at", "-id")
    list_select_related = ("conversation__release", "conversation__user")
    moment = moment_column("at", gettext_lazy("When"))

    @admin.display(description=gettext_lazy("Text"))
    def short_text(self, row: Message) -> str:
        return row.text if len(row.text) <= MAX_TEXT_CHARACTERS else f"{row.text[:MAX_TEXT_CHARACTERS]}…"

    def redact_rows(self, rows: Sequence[Message]) -> None:
        redact_lines(rows)

    def searchable_text(self, row: Message) -> str:
        return f"{row.text} {row.key}"

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        person = person_of(request)
        return person is not None and not person.is_auditor and super().has_view_permission(request, obj)


@admin.register(Turn)
class TurnAdmin(ReadOnlyAdmin):
    view_permission = "view_every_conversation"
    list_display = ("end", conversation_column, "number", "state_chip", "milliseconds", "llm_calls", "tokens")
    list_filter = ("state",)
    date_hierarchy = "finished_at"
    ordering = ("-finished_at", "-id")
    exclude = ("record", "stack")
    list_select_related = ("conversation__user",)
    search_fields = ("conversation__id", "conversation__user_ref")
    state_chip = STATE
    end = moment_column("finished_at", gettext_lazy("When"))


@admin.register(Event)
class EventAdmin(ReadOnlyAdmin):
    view_permission = "view_every_conversation"
    list_display = ("moment", conversation_column, "number", "kind", "state_chip", "attempts", "reference")
    list_filter = ("state", "kind")
    date_hierarchy = "accepted_at"
    search_fields = ("reference", "client_id", "conversation__id", "conversation__user_ref")
    list_select_related = ("conversation__user",)
    state_chip = STATE
    moment = moment_column("accepted_at", gettext_lazy("When"))
    ordering = ("-accepted_at", "-id")
    exclude = ("payload", "understanding", "body_sha256")


class RedactedRowAdmin(ReadOnlyAdmin):
    """Rows whose texts may quote customers: auditors read them redacted, as in transcripts."""

    redacted_fields: tuple[str, ...] = ()

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        row, person = super().get_object(request, object_id, from_field), person_of(request)
        if row is not None:
            redactor = redactor_for(person, self.conversation_of(row))
            for name in self.redacted_fields:
                setattr(row, name, redactor(getattr(row, name)))  # the row is never saved
        return row

    def conversation_of(self, row: Any) -> Conversation:
        conversation: Conversation = getattr(row, "session", row).conversation
        return conversation


@admin.register(HITLSession)
class HITLSessionAdmin(RedactedRowAdmin, RedactedListAdmin):
    redacted_fields = ("title", "message", "reason")
    view_permission = "view_every_hitlsession"
    list_display: tuple[str, ...] = (
        "name",
        "redacted_title",
        "at_stake",
        "flow",
        "step",
        "state_chip",
        "delivery_chip",
        "outcome",
        "decided_as",
        "decision_moment",
        "expiry",
        "console_link",
    )
    list_title = gettext_lazy("Gates and chats")
    list_select_related: ClassVar[tuple[str, ...]] = ("release__assistant", "conversation__user")
    state_chip = STATE
    delivery_chip = state_column("delivery", pgettext_lazy("record", "delivery"))
    decision_moment = moment_column("decided_at", gettext_lazy("Decided"))
    expiry = moment_column("expires_at", gettext_lazy("Expires"))
    list_filter: ClassVar[tuple[Any, ...]] = ("state", "delivery", "kind", "audience", ("flow", FlowFilter))
    date_hierarchy = "opened_at"
    search_fields = ("title", "flow", "step", "decided_as")
    ordering = ("-number",)
    exclude = ("shown", "values", "schema", "actions", "digest")
    readonly_fields = ("at_stake", "outcome")
    sections = (
        (
            gettext_lazy("Request"),
            (
                *("title", "at_stake", "message", "kind", "cause", "conversation", "flow", "step"),
                *("audience", "group", "queue", "channels", "priority", "opened_at"),
            ),
        ),
        (
            gettext_lazy("Decision"),
            (
                *("state", "outcome", "decided_by", "decided_as", "decided_at", "decided_through", "reason"),
                *("assignee", "claimed_until", "claim_required", "four_eyes", "people_required"),
            ),
        ),
        (gettext_lazy("Delivery to the conversation"), ("delivery",)),
        (
            MOMENTS,
            (
                *("due_at", "expires_at", "on_timeout", "follow_up_at"),
                *("escalates_at", "escalates_to", "escalated_at"),
            ),
        ),
    )
    technical = (
        *("release", "frame", "visit", "version", "handle", "summary", "search_text", "metadata"),
        *("urgent_at", "waits_since"),
    )

    @admin.display(description=gettext_lazy("At stake"))
    def at_stake(self, row: HITLSession) -> str:
        """The values that tell the gate from others of its kind, masked: "€8,450.00 · Lindqvist Marine AB"."""
        return summary_line(row) or "–"

    @admin.display(description=pgettext_lazy("record", "outcome"), ordering="handle")
    def outcome(self, row: HITLSession) -> str:
        """The label of the action that was chosen, or that the deadline has."""
        return label_of_handle(row, row.handle) if row.handle else "–"

    @admin.display(description=gettext_lazy("Go to"))
    def console_link(self, row: HITLSession) -> str:
        is_chat = row.kind == HITLSession.Kind.HANDOFF
        address = reverse("dialogue:inbox_chat" if is_chat else "dialogue:gate", args=[row.number])
        return format_html('<a href="{}">{}</a>', address, gettext("Chat") if is_chat else gettext("Gate"))

    @admin.display(description=gettext_lazy("Title"))
    def redacted_title(self, row: HITLSession) -> str:
        return row.title

    def redact_rows(self, rows: Sequence[HITLSession]) -> None:
        for row in rows:
            row.title = capfirst(listed_title_for_reader(row))

    def searchable_text(self, row: HITLSession) -> str:
        return f"{row.title} {row.flow} {row.step} {row.decided_as}"


@admin.register(Submission)
class SubmissionAdmin(RedactedRowAdmin):
    redacted_fields = ("reason", "detail")
    view_permission = "view_every_hitlsession"
    list_display = ("moment", "gate", "operation", "choice", "by", "through", "accepted", "code")
    list_select_related = ("session__release__assistant", "session__conversation", "by")
    readonly_fields = ("choice",)
    sections = (
        (
            gettext_lazy("Answer"),
            ("session", "operation", "choice", "by", "through", "at", "reason", "accepted", "detail", "contested"),
        ),
    )
    technical = ("action", "link", "idempotency_key", "status", "code")
    list_filter = ("accepted", "operation", "status", "through")
    date_hierarchy = "at"
    ordering = ("-at", "-id")
    exclude = ("values", "body_sha256", "sentence")
    moment = moment_column("at", gettext_lazy("When"))

    @admin.display(description=gettext_lazy("Gate"), ordering="session")
    def gate(self, row: Submission) -> str:
        """The name of the gate, with what it asks below it."""
        title = capfirst(listed_title_for_reader(row.session))
        return format_html("{} <small><bdi>{}</bdi></small>", row.session.name, title)

    @admin.display(description=gettext_lazy("Choice"), ordering="action")
    def choice(self, row: Submission) -> str:
        """The label of the action that was chosen."""
        return label_of_handle(row.session, row.action) if row.action else "–"


@admin.register(ActionRun)
class ActionRunAdmin(RedactedRowAdmin):
    """Calls of actions. Their inputs and outputs hold what customers said, and are not shown."""

    redacted_fields = ("error",)
    view_permission = "view_every_conversation"
    list_display = ("begin", conversation_column, "action", "state_chip", "attempts", "end", "short_error")
    list_filter = ("state", "action")
    date_hierarchy = "intended_at"
    search_fields = ("key", "action")
    ordering = ("-intended_at", "-id")
    exclude = ("inputs", "inputs_sha256", "outputs", "epoch")
    list_select_related = ("conversation__user",)
    state_chip = STATE
    begin = moment_column("intended_at", gettext_lazy("Begun"))
    end = moment_column("finished_at", gettext_lazy("Ended"))

    @admin.display(description=gettext_lazy("Error"))
    def short_error(self, row: ActionRun) -> str:
        """The error, cut. Sensitive inputs were redacted before it was stored."""
        return Truncator(row.error).chars(MAX_TEXT_CHARACTERS)


@admin.register(Assistant)
class AssistantAdmin(ReadOnlyAdmin):
    view_permission = "view_flow"
    list_display = ("translated", "name", "active_release", "creation")
    technical = ("translations",)
    search_fields = ("name", "title")
    list_select_related = ("active_release__assistant",)
    creation = moment_column("created_at", gettext_lazy("Created"))

    @admin.display(description=gettext_lazy("Title"), ordering="title")
    def translated(self, row: Assistant) -> str:
        return row.translated_title


@admin.register(FlowVersion)
class FlowVersionAdmin(ReadOnlyAdmin):
    view_permission = "view_flow"
    list_display = ("flow", "assistant", "number", "author", "note", "saving")
    list_filter = ("flow__assistant",)
    date_hierarchy = "saved_at"
    search_fields = ("flow__name", "note", "text")
    ordering = ("-saved_at", "-id")
    list_select_related = ("flow__assistant__active_release", "author")
    saving = moment_column("saved_at", gettext_lazy("Saved"))

    @admin.display(description=pgettext_lazy("record", "assistant"), ordering="flow__assistant")
    def assistant(self, row: FlowVersion) -> str:
        return row.flow.assistant.translated_title


@admin.register(Release)
class ReleaseAdmin(ReadOnlyAdmin):
    view_permission = "view_flow"
    list_display = ("assistant", "number", "publication", "published_by", "note", "engine_version")
    technical = ("sha256", "engine_version", "texts")
    list_filter = ("assistant",)
    date_hierarchy = "published_at"
    search_fields = ("note",)
    list_select_related = ("assistant",)
    publication = moment_column("published_at", gettext_lazy("Published"))
