"""Gates and chats in the admin, in the words of the console."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.text import Truncator, capfirst
from django.utils.translation import gettext_lazy

from dialogue.admin.reading import state_column
from dialogue.admin.rows import MAX_TEXT_CHARACTERS, FlowFilter, HITLSessionAdmin
from dialogue.desk.forms.choices import label_of_handle
from dialogue.desk.forms.time_elements import time_element
from dialogue.models import HITLSession
from dialogue.turns.live.flow_words import place_title, titles_of
from dialogue.turns.live.values_at_stake import summary_line
from dialogue.web.gates.chat_rows import cause_text
from dialogue.web.gates.rows import decider_name
from soni_admin.records.fact_words import AUDIENCES, KINDS, is_customers_answer, standing_of
from soni_admin.records.kinds import NOTHING

CHIP = '<span class="chip {}">{}</span>'
REQUEST = "<b><bdi>{}</bdi></b> <small><bdi>{}</bdi></small>"
DELIVERY = state_column("delivery", "")
USUAL_DELIVERIES = (HITLSession.Delivery.NONE, HITLSession.Delivery.APPLIED)


class WordedFilter(admin.ChoicesFieldListFilter):
    """Choices with the words that the records have."""

    words: Mapping[str, str | Promise] = {**KINDS, **AUDIENCES}

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        """Return Django's choices, the first for all, each with its words."""
        everything, *choices = super().choices(changelist)
        yield everything
        for (value, _label), choice in zip(self.field.flatchoices, choices, strict=True):
            yield {**choice, "display": self.words[value]}


class WordedGateAdmin(HITLSessionAdmin):
    """The list says what is asked about what, who decided, and how."""

    list_display = ("name", "request", "customer", "place", "standing", "decision", "expiry", "console_link")
    list_filter = ("state", "delivery", ("kind", WordedFilter), ("audience", WordedFilter), ("flow", FlowFilter))
    list_select_related = (
        *("release__assistant", "conversation__user", "conversation__release"),
        *("decided_by", "assignee"),
    )

    @admin.display(description=gettext_lazy("Request"), ordering="title")
    def request(self, gate: HITLSession) -> str:
        """Return what the customer was asked, why a chat was handed over, or a title with its values at stake."""
        if gate.kind == HITLSession.Kind.HANDOFF:
            return format_html(REQUEST, KINDS[gate.kind], capfirst(cause_text(gate)))
        if gate.audience == HITLSession.Audience.USER and gate.message:
            return format_html("<bdi>{}</bdi>", Truncator(gate.message).chars(MAX_TEXT_CHARACTERS))
        return format_html(REQUEST, gate.title, summary_line(gate))

    def redact_rows(self, rows: Sequence[HITLSession]) -> None:
        """Mask the sensitive values in titles, and in what customers were asked."""
        # The engine is loaded when something is masked, not at start.
        from dialogue.turns.live.redaction import redactors_of

        super().redact_rows(rows)
        asked = [gate for gate in rows if gate.audience == HITLSession.Audience.USER]
        redactors = redactors_of(gate.conversation for gate in asked)
        for gate in asked:
            gate.message = redactors[gate.conversation_id](gate.message)

    @admin.display(description=gettext_lazy("Customer"))
    def customer(self, gate: HITLSession) -> str:
        """Return the customer of the gate's conversation."""
        return format_html("<bdi>{}</bdi>", gate.conversation.customer_text)

    @admin.display(description=gettext_lazy("Flow and step"), ordering="flow")
    def place(self, gate: HITLSession) -> str:
        """Return the titles of the flow and its step; a request of an agent has none, nor has a chat without a flow."""
        return place_title(gate.flow, gate.step, titles_of(gate.release)) if gate.flow else NOTHING

    @admin.display(description=gettext_lazy("State"), ordering="state")
    def standing(self, gate: HITLSession) -> str:
        """Return who has it, or how it ended, and a delivery that is not as usual."""
        standing = standing_of(gate)
        chip = format_html(CHIP, standing.tone, standing.words)
        if is_customers_answer(gate):
            return format_html("{} <small><bdi>{}</bdi></small>", chip, capfirst(label_of_handle(gate, gate.handle)))
        if gate.delivery in USUAL_DELIVERIES:
            return chip
        return format_html("{} {}", chip, DELIVERY(self, gate))

    @admin.display(description=gettext_lazy("Expires"), ordering="expires_at")
    def expiry(self, gate: HITLSession) -> str:
        """Return the deadline of a gate that is not decided."""
        if gate.state in HITLSession.FINAL or gate.expires_at is None:
            return NOTHING
        return time_element(gate.expires_at)

    @admin.display(description=gettext_lazy("Decided"), ordering="decided_at")
    def decision(self, gate: HITLSession) -> str:
        """Return who ended it and when."""
        if gate.decided_at is None:
            return NOTHING
        return format_html("<bdi>{}</bdi> <small>{}</small>", decider_name(gate), time_element(gate.decided_at))
