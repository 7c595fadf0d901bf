"""Values of record fields in words, where the stored value says little to people."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.db.models import Model
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from dialogue.desk.access.token_scopes import scope_names
from dialogue.desk.forms.choices import label_of_handle
from dialogue.models import ApiToken, Conversation, FlowVersion, HITLSession, Submission, Turn
from dialogue.models.account import display_name
from dialogue.templatetags.formatting import exact_time, state_words
from dialogue.turns import clock
from dialogue.turns.live.flow_words import flow_title, step_title, titles_of
from dialogue.turns.live.titles import listed_title_for_reader, title_for_reader
from dialogue.web.audit.words import channel_text
from dialogue.web.conversations.words import outcome_words
from dialogue.web.gates.chat_rows import cause_text, channel_name
from dialogue.web.gates.filters import PRIORITIES
from dialogue.web.gates.rows import Outcome, decision_channel, outcome_of

Words = Callable[[Any], str | None]


def _scopes_in_words(token: ApiToken) -> str:
    if token.scopes is None:
        return _("All that the account may do")
    return ", ".join(scope_names(token.scopes)) or _("nothing")


def is_customers_answer(gate: HITLSession) -> bool:
    """Whether the customer was asked and has answered: the answer, such as “Yes”, is no state."""
    return gate.audience == HITLSession.Audience.USER and gate.state == HITLSession.State.SUBMITTED


def _outcome_text(gate: HITLSession) -> str:
    """What was chosen, where the state does not say it: the state of a decision by staff does."""
    is_decision = gate.state == HITLSession.State.SUBMITTED and not is_customers_answer(gate)
    return label_of_handle(gate, gate.handle) if gate.handle and not is_decision else ""


def _name_then(gate: HITLSession) -> str:
    """The decider's name at that time, where it is another one today."""
    return "" if gate.decided_by and display_name(gate.decided_by) == gate.decided_as else gate.decided_as


def _title_unlike_sentence(gate: HITLSession) -> str:
    """The title, where the sentence on top of the page masks a value in it; else the sentence says it."""
    title = title_for_reader(gate)
    return "" if title == listed_title_for_reader(gate) else capfirst(title)


def _channel_unlike_sentence(gate: HITLSession) -> str:
    """The channel of a decision, where the sentence on top of the page does not name it."""
    is_named = gate.state == HITLSession.State.SUBMITTED and decision_channel(gate)
    return "" if is_named else capfirst(channel_text(gate.decided_through))


def _four_eyes_text(gate: HITLSession) -> str:
    return _("Yes: the account that asked may not decide") if gate.four_eyes else _("No")


def _missed_deadline(gate: HITLSession) -> str | None:
    """Nothing for a gate that was decided or withdrawn before its deadline."""
    return "" if gate.state in (HITLSession.State.SUBMITTED, HITLSession.State.CANCELLED) else None


def standing_of(gate: HITLSession) -> Outcome:
    """Return who has the gate, or how it ended, in a word and in colour."""
    ended = outcome_of(gate)
    if is_customers_answer(gate):
        return replace(ended, words=pgettext("of one question", "Answered"), tone="line")
    if ended.words:
        return replace(ended, words=capfirst(ended.words))
    if gate.audience == HITLSession.Audience.USER:
        return Outcome(_("Waiting for the customer"), "", "ask")
    if gate.claim_holder_at(clock.now()) and gate.assignee is not None:
        return Outcome(_("With %(who)s") % {"who": display_name(gate.assignee)}, "blue", "hand")
    return Outcome(_("Unclaimed"), "line", "hand")


KINDS: dict[str, str | Promise] = {
    HITLSession.Kind.COLLECT: gettext_lazy("Question for a value"),
    HITLSession.Kind.CONFIRM: gettext_lazy("Confirmation"),
    HITLSession.Kind.INFORM: gettext_lazy("Notice to staff"),
    HITLSession.Kind.OFFER: gettext_lazy("Offer"),
    HITLSession.Kind.HUMAN: gettext_lazy("Decision by staff"),
    HITLSession.Kind.HANDOFF: gettext_lazy("Chat with staff"),
}
AUDIENCES: dict[str, str | Promise] = {
    HITLSession.Audience.USER: gettext_lazy("Customer"),
    HITLSession.Audience.STAFF: gettext_lazy("Staff"),
}

WORDS: dict[tuple[type[Model], str], Words] = {
    (ApiToken, "scopes"): _scopes_in_words,
    (Conversation, "channel"): lambda row: channel_name(row.channel),
    (Conversation, "outcome"): lambda row: outcome_words(row.outcome),
    (HITLSession, "at_stake"): lambda row: "",  # the sentence on top of the page says it
    (HITLSession, "audience"): lambda row: str(AUDIENCES[row.audience]),
    (HITLSession, "cause"): lambda row: cause_text(row) if row.cause else "",
    (HITLSession, "decided_as"): _name_then,
    (HITLSession, "decided_at"): lambda row: exact_time(row.decided_at) if row.decided_at else "",
    (HITLSession, "decided_through"): _channel_unlike_sentence,
    (HITLSession, "delivery"): lambda row: "" if row.delivery == "none" else row.get_delivery_display(),
    (HITLSession, "expires_at"): _missed_deadline,
    (HITLSession, "flow"): lambda row: flow_title(row.flow, titles_of(row.release)) if row.flow else "",
    (HITLSession, "four_eyes"): _four_eyes_text,
    (HITLSession, "kind"): lambda row: str(KINDS[row.kind]),
    (HITLSession, "on_timeout"): lambda row: label_of_handle(row, row.on_timeout) if row.on_timeout else "",
    (HITLSession, "opened_at"): lambda row: exact_time(row.opened_at),
    (HITLSession, "outcome"): _outcome_text,
    (HITLSession, "people_required"): lambda row: str(row.people_required) if row.people_required > 1 else "",
    (HITLSession, "priority"): lambda row: capfirst(str(PRIORITIES.get(row.priority, row.priority))),
    (HITLSession, "state"): lambda row: standing_of(row).words,
    (HITLSession, "step"): lambda row: step_title(row.flow, row.step, titles_of(row.release)) if row.step else "",
    (HITLSession, "title"): _title_unlike_sentence,
    (FlowVersion, "flow"): lambda row: flow_title(row.flow.name, titles_of(row.flow.assistant)),
    (Turn, "state"): lambda row: capfirst(state_words(row.state)),
    (Submission, "through"): lambda row: channel_text(row.through),
}
"""The words of a record's field by its model and its name; None where the stored value is shown as it is."""


def words_of_field(record: Model, name: str) -> str | None:
    """Return the value of a field in words, empty where it says nothing; None: the stored value is shown as it is."""
    words = WORDS.get((type(record), name))
    return words(record) if words else None
