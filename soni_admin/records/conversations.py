"""Conversations in the admin, in the words of the console."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from dialogue.admin.rows import ConversationAdmin
from dialogue.models import Conversation
from dialogue.templatetags.formatting import icon
from dialogue.web.conversations.listing import ConversationRow, gate_columns, rows_with_lines
from dialogue.web.conversations.words import OUTCOME_WORDS, outcome_words
from soni_admin.records.kinds import NOTHING

NOTHING_STARTED = "none"


class WordedChangeList(ChangeList):
    """Reads the lines of all conversations of the page at once."""

    def get_results(self, request: HttpRequest) -> None:
        """Give each conversation its row of the console's list."""
        super().get_results(request)
        self.result_list = list(self.result_list)
        for conversation, row in zip(self.result_list, rows_with_lines(self.result_list), strict=True):
            conversation.in_words = row


class OutcomeFilter(admin.SimpleListFilter):
    """What conversations came to, in the console's words."""

    title = gettext_lazy("State")
    parameter_name = "came_to"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return the outcomes with their words."""
        named = [(str(outcome), str(words)) for outcome, words in OUTCOME_WORDS.items()]
        return [*named, (NOTHING_STARTED, outcome_words(""))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Conversation]) -> QuerySet[Conversation]:
        """Return the conversations with the chosen outcome."""
        chosen = self.value()
        if not chosen:
            return queryset
        return queryset.filter(outcome="" if chosen == NOTHING_STARTED else chosen)


class WordedConversationAdmin(ConversationAdmin):
    """The list tells conversations apart by their customers and their last messages."""

    list_display = ("customer", "assistant", "last_line", "standing", "last_activity", "console_link")
    list_filter = (OutcomeFilter, "assistant", "test", "channel")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Conversation]:
        """Read with each row how its newest gate ended."""
        rows: QuerySet[Conversation] = super().get_queryset(request)
        return rows.annotate(**gate_columns())

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[ChangeList]:
        """Return the list that knows the lines."""
        return WordedChangeList

    @admin.display(description=gettext_lazy("Customer"))
    def customer(self, row: Conversation) -> str:
        """Return the name, and below it the channel and whether it is a test."""
        parts = [_row(row).channel, *([_("test")] if row.test and row.channel != "test" else [])]
        return format_html("<bdi>{}</bdi> <small>{}</small>", row.customer_text, " · ".join(parts))

    @admin.display(description=gettext_lazy("Last message"))
    def last_line(self, row: Conversation) -> str:
        """Return what was said last, masked and cut."""
        line = _row(row).end_line or _row(row).first_line
        return format_html("<bdi>{}</bdi>", line) if line else NOTHING

    @admin.display(description=gettext_lazy("State"), ordering="outcome")
    def standing(self, row: Conversation) -> str:
        """Return what the conversation came to, as the console's list shows it, and how much was not understood."""
        words = _row(row)
        sign = icon(words.sign, "s") if words.sign else ""
        chip = format_html('<span class="chip {}">{} {}</span>', words.tone, sign, words.outcome)
        number = row.unclear_turns
        if not number:
            return chip
        unclear = ngettext("%(counter)s not understood", "%(counter)s not understood", number) % {"counter": number}
        return format_html("{} <small>{}</small>", chip, unclear)


def _row(conversation: Conversation) -> ConversationRow:
    """The row of the console's list, which was read with the others."""
    row: ConversationRow = conversation.in_words  # type: ignore[attr-defined]
    return row
