"""Conversations, gates, flows and what became of them, each as a list of rows."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy

from dialogue.admin.reading import MaskedAdmin, ReadOnlyAdmin, person_of
from dialogue.desk.access.looks import mask_lines, veil_for
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
from dialogue.turns.live.serializers import listed_title

LONGEST_TEXT = 160
"""Characters of a text that a list shows."""


@admin.register(Conversation)
class ConversationAdmin(ReadOnlyAdmin):
    every = "view_every_conversation"
    list_display = ("id", "customer", "assistant", "state", "test", "active_at")
    list_filter = ("state", "assistant", "test", "channel")
    date_hierarchy = "active_at"
    search_fields = ("id", "user_ref", *(f"user__{name}" for name in name_fields()))
    exclude = ("token_sha256", "origin", "stack", "lease_owner", "lease_until", "epoch")
    list_select_related = ("assistant", "user")


@admin.register(Message)
class MessageAdmin(MaskedAdmin):
    """A line by itself is plain: not for auditors, who read transcripts masked in the console. The list is masked."""

    every = "view_every_conversation"
    list_display = ("at", "conversation", "seq", "role", "listed")
    list_filter = ("role",)
    date_hierarchy = "at"
    search_fields = ("text", "key")
    ordering = ("-at", "-id")
    list_select_related = ("conversation__release",)

    @admin.display(description=gettext_lazy("Text"))
    def listed(self, row: Message) -> str:
        return row.text if len(row.text) <= LONGEST_TEXT else f"{row.text[:LONGEST_TEXT]}…"

    def mask(self, rows: Sequence[Message]) -> None:
        mask_lines(rows)

    def searchable(self, row: Message) -> str:
        return f"{row.text} {row.key}"

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        person = person_of(request)
        return person is not None and not person.checks_only and super().has_view_permission(request, obj)


@admin.register(Turn)
class TurnAdmin(ReadOnlyAdmin):
    every = "view_every_conversation"
    list_display = ("finished_at", "conversation", "number", "state", "milliseconds", "llm_calls", "tokens")
    list_filter = ("state",)
    date_hierarchy = "finished_at"
    ordering = ("-finished_at", "-id")
    exclude = ("record", "stack")


@admin.register(Event)
class EventAdmin(ReadOnlyAdmin):
    every = "view_every_conversation"
    list_display = ("accepted_at", "conversation", "number", "kind", "state", "attempts", "reference")
    list_filter = ("state", "kind")
    date_hierarchy = "accepted_at"
    search_fields = ("reference", "client_id")
    ordering = ("-accepted_at", "-id")
    exclude = ("payload", "understanding", "body_sha256")


class VeiledAdmin(ReadOnlyAdmin):
    """Rows whose texts may quote what a customer said: who audits reads them masked, as transcripts are."""

    veiled: tuple[str, ...] = ()

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        row, person = super().get_object(request, object_id, from_field), person_of(request)
        if row is not None:
            veil = veil_for(person, self.conversation_of(row))
            for name in self.veiled:
                setattr(row, name, veil(getattr(row, name)))  # nothing of it is saved
        return row

    def conversation_of(self, row: Any) -> Conversation:
        found: Conversation = getattr(row, "session", row).conversation
        return found


@admin.register(HITLSession)
class HITLSessionAdmin(VeiledAdmin, MaskedAdmin):
    veiled = ("title", "message", "reason")
    every = "view_every_hitlsession"
    list_display = ("name", "listed", "flow", "step", "state", "delivery", "decided_as", "decided_at", "expires_at")
    list_filter = ("state", "delivery", "kind", "audience", "flow")
    date_hierarchy = "opened_at"
    search_fields = ("title", "flow", "step", "decided_as")
    ordering = ("-number",)
    exclude = ("shown", "values", "schema", "actions", "digest")

    @admin.display(description=gettext_lazy("Title"))
    def listed(self, row: HITLSession) -> str:
        return row.title

    def mask(self, rows: Sequence[HITLSession]) -> None:
        for row in rows:
            row.title = listed_title(row)

    def searchable(self, row: HITLSession) -> str:
        return f"{row.title} {row.flow} {row.step} {row.decided_as}"


@admin.register(Submission)
class SubmissionAdmin(VeiledAdmin):
    veiled = ("reason", "detail")
    every = "view_every_hitlsession"
    list_display = ("at", "session", "operation", "by", "through", "status", "code", "accepted")
    list_filter = ("accepted", "operation", "status", "through")
    date_hierarchy = "at"
    ordering = ("-at", "-id")
    exclude = ("values", "body_sha256")


@admin.register(ActionRun)
class ActionRunAdmin(VeiledAdmin):
    """What actions did, and why they did not; their inputs and outputs are what customers said."""

    veiled = ("error",)
    every = "view_every_conversation"
    list_display = ("intended_at", "conversation", "action", "state", "attempts", "finished_at", "reported")
    list_filter = ("state", "action")
    date_hierarchy = "intended_at"
    search_fields = ("key", "action")
    ordering = ("-intended_at", "-id")
    exclude = ("inputs", "inputs_sha256", "outputs", "epoch")

    @admin.display(description=gettext_lazy("Error"))
    def reported(self, row: ActionRun) -> str:
        """Sensitive inputs are masked before an error is stored."""
        return Truncator(row.error).chars(LONGEST_TEXT)


@admin.register(Assistant, FlowVersion)
class VersionAdmin(ReadOnlyAdmin):
    every = "view_flow"


@admin.register(Release)
class ReleaseAdmin(ReadOnlyAdmin):
    every = "view_flow"
    list_display = ("assistant", "number", "published_at", "published_by", "note", "engine_version")
    list_filter = ("assistant",)
    date_hierarchy = "published_at"
    search_fields = ("note",)
