"""What the page of a record says on top, in sentences: what was asked, who decided what and when."""

from datetime import datetime

from django.db.models import Model
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from dialogue.desk.forms.deadlines import moment_text
from dialogue.desk.forms.refusals import decision_sentence
from dialogue.desk.forms.sentences import at_moment
from dialogue.models import Conversation, HITLSession
from dialogue.models.account import display_name
from dialogue.turns import clock
from dialogue.turns.live.titles import listed_title_for_reader
from dialogue.turns.live.values_at_stake import SEPARATOR, summary_line
from dialogue.web.conversations.words import outcome_words
from dialogue.web.gates.rows import decider_name, decision_channel, outcome_text

State = HITLSession.State


def sentences_of(record: Model) -> list[SafeString]:
    """Return the sentences of a gate, a chat or a conversation; other records have none."""
    match record:
        case HITLSession():
            return [_what_was_asked(record), _what_came_of_it(record)]
        case Conversation():
            return [_who_talks(record)]
        case _:
            return []


def _what_was_asked(gate: HITLSession) -> SafeString:
    conversation = gate.conversation
    facts = {
        "assistant": conversation.assistant.translated_title,
        "customer": format_html("<bdi>{}</bdi>", conversation.customer_text),
        "moment": _on(gate.opened_at),
        "what": format_html("<b><bdi>{}</bdi></b>", _request_line(gate)),
    }
    if gate.kind == HITLSession.Kind.HANDOFF:
        return format_html(_("{assistant} handed the chat of {customer} over to staff {moment}: {what}."), **facts)
    if gate.audience == HITLSession.Audience.USER:
        return format_html(_("{assistant} asked {customer} {moment}: {what}."), **facts)
    if gate.is_from_agent:
        return format_html(_("An agent of another system asked staff {moment}: {what}."), **facts)
    return format_html(_("{assistant} asked staff {moment}: {what}. The customer is {customer}."), **facts)


def _request_line(gate: HITLSession) -> str:
    parts = (capfirst(listed_title_for_reader(gate)), summary_line(gate))
    return SEPARATOR.join(filter(None, parts))


def _what_came_of_it(gate: HITLSession) -> SafeString:
    if gate.decided_at is None:
        return _who_is_awaited(gate)
    moment = _on(gate.decided_at)
    if gate.state == State.EXPIRED:
        answer = outcome_text(gate) if gate.handle else ""
        if answer:
            words = _("It expired {moment} without a decision, so “{answer}” was taken.")
            return format_html(words, moment=moment, answer=answer)
        return format_html(_("It expired {moment} without a decision."), moment=moment)
    if gate.state == State.CANCELLED:
        return format_html(_("It was withdrawn {moment} ({who})."), moment=moment, who=decider_name(gate))
    decided = decision_sentence(gate, lambda at: moment_text(at, clock.now(), is_dated=True) if at else "")
    channel = decision_channel(gate)
    return format_html("{} {}.", decided, channel) if channel else format_html("{}.", decided)


def _who_is_awaited(gate: HITLSession) -> SafeString:
    parts = [_awaited_person(gate)]
    if gate.expires_at is not None:
        parts.append(_("It expires %s.") % _on(gate.expires_at))
    return format_html("{}", " ".join(parts))


def _awaited_person(gate: HITLSession) -> str:
    if gate.audience == HITLSession.Audience.USER:
        return _("The customer has not answered yet.")
    holder = gate.assignee if gate.claim_holder_at(clock.now()) else None
    if gate.kind == HITLSession.Kind.HANDOFF:
        return _("%s has the chat.") % display_name(holder) if holder else _("Nobody has taken the chat yet.")
    if holder is not None:
        return _("%s has claimed it and has not decided yet.") % display_name(holder)
    return _("Nobody has decided yet.")


def _who_talks(conversation: Conversation) -> SafeString:
    return format_html(
        _("{customer} has talked with {assistant} since {moment}. Now: {state}."),
        customer=format_html("<b><bdi>{}</bdi></b>", conversation.customer_text),
        assistant=conversation.assistant.translated_title,
        moment=moment_text(conversation.created_at, clock.now(), is_dated=True),
        state=outcome_words(conversation.outcome),
    )


def _on(moment: datetime) -> str:
    """The moment with its preposition: "on 23 Nov, 14:17"."""
    return str(at_moment(moment_text(moment, clock.now(), is_dated=True)))
