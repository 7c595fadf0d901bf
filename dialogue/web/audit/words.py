"""Audit entries as sentences: "Olga approved g6", with links to the gate and the conversation."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from html import unescape
from typing import Any

from django.db.models import Q
from django.urls import reverse
from django.utils.html import format_html, strip_tags
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dialogue.audit.chain import CONSOLE
from dialogue.engine.language.compiler import Assistant as Definition
from dialogue.models import Assistant, AuditEntry, Conversation, HITLSession
from dialogue.turns.live.flow_words import flow_title, titles_of

_PHRASES = {
    "session.opened": gettext_lazy("The assistant opened {gate}"),
    "session.claim": gettext_lazy("{who} claimed {gate}"),
    "session.release": gettext_lazy("{who} released {gate}"),
    "session.claim_returned": gettext_lazy("The claim of {holder} on {gate} ran out"),
    "session.take_over": gettext_lazy("{who} took over {gate}"),
    "session.save_draft": gettext_lazy("{who} saved a draft for {gate}"),
    "session.snooze": gettext_lazy("{who} snoozed {gate}"),
    "session.unsnooze": gettext_lazy("{who} put {gate} back into the queue"),
    "session.extend": gettext_lazy("{who} extended the deadline of {gate}"),
    "session.submit": gettext_lazy("{who} answered {gate}: {action}"),
    "session.agree": gettext_lazy("{who} agreed on {gate}: {action}"),
    "session.expire": gettext_lazy("{gate} expired"),
    "session.cancel": gettext_lazy("{who} withdrew {gate}"),
    "session.cancelled": gettext_lazy("{gate} was withdrawn"),
    "session.note": gettext_lazy("{who} wrote a note on {gate}"),
    "session.prioritise": gettext_lazy("{who} changed the priority of {gate}"),
    "session.tag": gettext_lazy("{who} changed the tags of {gate}"),
    "session.escalated": gettext_lazy("{gate} was escalated to {role}"),
    "session.undecided": gettext_lazy("{who} cannot decide {gate}"),
    "session.resend_link": gettext_lazy("{who} sent the mail link of {gate} again"),
    "session.revoke_link": gettext_lazy("{who} closed the mail link of {gate}"),
    "session.retry": gettext_lazy("{who} retried the delivery of {gate}"),
    "session.abandon": gettext_lazy("{who} gave up the delivery of {gate}"),
    "session.say": gettext_lazy("{who} wrote to the customer in {gate}"),
    "session.set_slots": gettext_lazy("{who} set values in {gate}"),
    "session.hand_back": gettext_lazy("{who} returned {gate} to the assistant"),
    "session.left": gettext_lazy("The customer of {gate} went back to the assistant"),
    "session.overtaken": gettext_lazy("The customer changed {gate} before the decision was applied"),
    "session.orphaned": gettext_lazy("The decision of {gate} found no open question"),
    "session.seen_in_full": gettext_lazy("{who} saw {gate} with its sensitive values"),
    "link.made": gettext_lazy("A mail link for {gate} was created"),
    "link.sent": gettext_lazy("The mail link of {gate} was sent"),
    "link.incident": gettext_lazy("The mail link of {gate} could not be sent"),
    "turn": gettext_lazy("The assistant ran {subject} of {conversation}"),
    "turn.failed": gettext_lazy("A turn of {conversation} failed"),
    "turn.retried": gettext_lazy("{who} retried a failed turn of {conversation}"),
    "turn.abandoned": gettext_lazy("{who} gave up a failed turn of {conversation}"),
    "conversation.looked": gettext_lazy("{who} read {conversation} as administrator"),
    "conversation.unmasked": gettext_lazy("{who} showed the sensitive values of {conversation}"),
    "conversation.masked": gettext_lazy("{who} masked the values of {conversation} again"),
    "conversation.cancelled": gettext_lazy("{who} ended {conversation}"),
    "conversation.erased": gettext_lazy("{who} erased {conversation}"),
    "conversation.migrated": gettext_lazy("{who} moved {conversation} to another release"),
    "conversation.forked": gettext_lazy("{who} copied {conversation} into a test"),
    "conversation.promoted": gettext_lazy("{who} made a scenario from {conversation}"),
    "conversation.example": gettext_lazy("{who} added an example from {conversation} to {flow}"),
    "conversation.example_proposed": gettext_lazy("{who} proposed an example from {conversation} for {flow}"),
    "conversation.example_refused": gettext_lazy("{who} refused an example from {conversation}"),
    "flow_saved": gettext_lazy("{who} saved version {version} of {flow} in {subject}"),
    "flow_archived": gettext_lazy("{who} archived {flow} of {subject}"),
    "release_published": gettext_lazy("{who} published release {release} of {subject}"),
    "release_activated": gettext_lazy("{who} activated release {release} of {subject}"),
    "images_loaded": gettext_lazy("{who} loaded the images of {subject}"),
    "document_stored": gettext_lazy("{who} stored the document {document} of {subject}"),
    "document_removed": gettext_lazy("{who} removed the document {document} of {subject}"),
    "program_made": gettext_lazy("{who} trained program {program} for {subject}"),
    "program_promoted": gettext_lazy("{who} put program {program} of {subject} into use"),
    "program_taken_back": gettext_lazy("{who} took program {program} of {subject} out of use"),
    "reply.saved": gettext_lazy("{who} saved a reply"),
    "reply.deleted": gettext_lazy("{who} deleted a saved reply"),
    "token.made": gettext_lazy("{who} created the API token “{token}”"),
    "token.revoked": gettext_lazy("{who} revoked the API token “{token}”"),
    "signing_secret.made": gettext_lazy("{who} created the signing secret {secret} of {subject}"),
    "signing_secret.replaced": gettext_lazy("{who} replaced the signing secret of {subject} by {secret}"),
    "signing_secret.revoked": gettext_lazy("{who} revoked the signing secret {secret} of {subject}"),
    "origin.allowed": gettext_lazy("{who} allowed {origin} to show {subject}"),
    "origin.removed": gettext_lazy("{who} no longer allows {origin} to show {subject}"),
    "channel.added": gettext_lazy("{who} connected {address} to {assistant}"),
    "channel.changed": gettext_lazy("{who} replaced the credentials of {subject}"),
    "channel.secret_replaced": gettext_lazy("{who} replaced the secret of {subject}"),
    "channel.paused": gettext_lazy("{who} paused {subject}"),
    "channel.resumed": gettext_lazy("{who} resumed {subject}"),
    "channel.removed": gettext_lazy("{who} removed {subject} from {assistant}"),
    "channel.failed": gettext_lazy("A request to {subject} could not be taken ({error})"),
    "channel.incident": gettext_lazy("Line {line} could not be sent through {subject}"),
    "channel.resent": gettext_lazy("{who} sent line {line} through {subject} again"),
    "channel.skipped": gettext_lazy("{who} gave up line {line} for {subject}"),
    "webhook.made": gettext_lazy("{who} added a webhook to {host}"),
    "webhook.changed": gettext_lazy("{who} changed the events of the webhook to {host}"),
    "webhook.paused": gettext_lazy("{who} paused {subject}"),
    "webhook.resumed": gettext_lazy("{who} resumed {subject}"),
    "webhook.secret_replaced": gettext_lazy("{who} replaced the secret of {subject}"),
    "webhook.tested": gettext_lazy("{who} sent a test to {subject}"),
    "webhook.resent": gettext_lazy("{who} sent a delivery of {subject} again"),
    "webhook.deleted": gettext_lazy("{who} deleted the webhook to {host}"),
    "request.delivered": gettext_lazy("The answer to the request {subject} was fetched or delivered"),
    "request.incident": gettext_lazy("The answer to the request {subject} could not be delivered"),
    "receipt_key.made": gettext_lazy("A new key that signs receipts was created"),
    "callback_secret.replaced": gettext_lazy("{who} replaced the secret with which its agents are called back"),
    "audit.exported": gettext_lazy("{who} exported the audit record"),
    "conversations.exported": gettext_lazy("{who} exported the list of conversations"),
    "audit.verified": gettext_lazy("{who} verified the audit record"),
    "sign_in.limited": gettext_lazy("Too many failed sign-ins from one place"),
    "account.added": gettext_lazy("{who} added the account {account}"),
    "account.roles_changed": gettext_lazy("{who} changed the roles of {account}"),
    "account.deactivated": gettext_lazy("{who} deactivated the account {account}"),
    "account.activated": gettext_lazy("{who} activated the account {account}"),
    "account.password_link": gettext_lazy("{who} created a password link for {account}"),
    "account.password_set": gettext_lazy("{account} set a password through a link"),
}
"""One sentence for each act. {who} is the actor; {gate} and {conversation} become links where the reader may open them;
the other names are keys of the entry's facts."""

_KINDS = {
    "flow_saved": gettext_lazy("Saved a flow"),
    "flow_archived": gettext_lazy("Archived a flow"),
    "release_published": gettext_lazy("Published a release"),
    "release_activated": gettext_lazy("Activated a release"),
    "document_stored": gettext_lazy("Stored a document"),
    "document_removed": gettext_lazy("Removed a document"),
    "program_made": gettext_lazy("Trained a program"),
    "program_promoted": gettext_lazy("Put a program into use"),
    "program_taken_back": gettext_lazy("Took a program out of use"),
    "token.made": gettext_lazy("Created an API token"),
    "token.revoked": gettext_lazy("Revoked an API token"),
    "signing_secret.made": gettext_lazy("Created a signing secret"),
    "signing_secret.replaced": gettext_lazy("Replaced a signing secret"),
    "signing_secret.revoked": gettext_lazy("Revoked a signing secret"),
    "origin.allowed": gettext_lazy("Allowed a site to show the chat"),
    "origin.removed": gettext_lazy("No longer allows a site to show the chat"),
    "channel.added": gettext_lazy("Connected a channel"),
    "channel.removed": gettext_lazy("Removed a channel"),
    "channel.failed": gettext_lazy("A request to a channel could not be taken"),
    "channel.incident": gettext_lazy("A line could not be sent through a channel"),
    "channel.resent": gettext_lazy("Sent a line through a channel again"),
    "channel.skipped": gettext_lazy("Gave up a line for a channel"),
    "webhook.made": gettext_lazy("Added a webhook"),
    "webhook.changed": gettext_lazy("Changed the events of a webhook"),
    "webhook.deleted": gettext_lazy("Deleted a webhook"),
    "request.delivered": gettext_lazy("The answer to a request was fetched or delivered"),
    "request.incident": gettext_lazy("The answer to a request could not be delivered"),
    "account.added": gettext_lazy("Added an account"),
    "account.deactivated": gettext_lazy("Deactivated an account"),
    "account.activated": gettext_lazy("Activated an account"),
    "account.password_set": gettext_lazy("Set a password through a link"),
}
"""Acts of one kind in words, where the sentence of one act cannot be told without its facts."""

_NOUNS = {
    "gate": gettext_lazy("a gate"),
    "conversation": gettext_lazy("a conversation"),
    "flow": gettext_lazy("a flow"),
    "holder": gettext_lazy("a person"),
    "role": gettext_lazy("a role"),
    "account": gettext_lazy("an account"),
}
_SUBJECT_NOUNS = {
    "turn": gettext_lazy("a turn"),
    "images_loaded": gettext_lazy("an assistant"),
    "channel": gettext_lazy("a channel"),
    "webhook": gettext_lazy("a webhook"),
}
"""What the subject of an act is, by the first word of its name."""

_ANSWERS = {
    "approve": gettext_lazy("{who} approved {gate}"),
    "reject": gettext_lazy("{who} rejected {gate}"),
}
"""Sentences for the two answers that nearly every gate has."""

_ANSWERED = ("session.submit", "session.agree")
"""The acts whose sentence names the chosen action."""

_ACTORS = {
    "engine": gettext_lazy("The assistant"),
    "clock": gettext_lazy("The clock"),
    "system": gettext_lazy("The system"),
    "sign-in": gettext_lazy("The sign-in"),
    "customer": gettext_lazy("The customer"),
}
_CHANNELS = {
    "page": gettext_lazy("console"),
    "bar": gettext_lazy("typed line"),
    "api": gettext_lazy("API"),
    "chat": gettext_lazy("chat"),
    "mcp": gettext_lazy("assistant, through MCP"),
    "terminal": gettext_lazy("terminal"),
    "link": gettext_lazy("mail link"),
    "sweep": gettext_lazy("deadline"),
    "scenario": gettext_lazy("scenario"),
    "file": gettext_lazy("file"),
}

_ABOUT_ASSISTANTS = ("flow_", "release_", "images_", "document_", "program_", "signing_secret.", "origin.")
"""How acts begin whose subject is an assistant, by its name."""

_NAME = re.compile(r"\{(\w+)\}")
"""A name in a sentence that stands for a fact."""


@dataclass(frozen=True)
class AuditRow:
    """An entry as a list shows it. `gate_text` is masked; it and `channel` are empty where there is none.

    `act` is the sentence without the person and without links: "Claimed g6". `subject` is in words.

    `is_test`: it belongs to a test conversation, so that it decided nothing for a customer. `gate` and `conversation`
    are what it is about, where this reader may open them.
    """

    entry: AuditEntry
    who: str
    sentence: SafeString
    act: str
    subject: str
    gate_text: str
    channel: str
    is_test: bool
    gate: HITLSession | None
    conversation: Conversation | None


@dataclass(frozen=True)
class LinkedRows:
    """What the entries of one page are about: the gates by name and the conversations by id that this reader may open.

    `gate_texts` say what a gate asks and about what, masked. `tests` are the ids of test conversations. `people` has
    the names of accounts by (number, sign-in name), `assistants` the assistants by name.
    """

    gates: dict[str, HITLSession]
    gate_texts: dict[str, str]
    conversations: dict[str, Conversation]
    tests: frozenset[str]
    people: Mapping[tuple[int, str], str]
    assistants: Mapping[str, Assistant]


def actor_text(entry: AuditEntry, people: Mapping[tuple[int, str], str]) -> str:
    """The person who acted, or the part of the product: "The clock".

    Where the sign-in name was recorded, it is the person's name; a name that was recorded stays as it was then.
    """
    if entry.actor_id:
        return people.get((entry.actor_id, entry.actor), entry.actor)
    return str(_ACTORS.get(entry.actor, entry.actor))


def channel_text(channel: str) -> str:
    """The way in which somebody acted, in words; a project's own as it is stored."""
    return str(_CHANNELS.get(channel, channel))


def audit_row(entry: AuditEntry, linked: LinkedRows) -> AuditRow:
    """Return the entry with its sentence."""
    through = str(entry.facts.get("through") or "")
    channel = channel_text(through)
    if through == "mcp":
        channel = f"{channel} ({_fact_text(entry.facts, 'token')})"
    text = linked.gate_texts.get(entry.subject, "")
    who = actor_text(entry, linked.people)
    act = _sentence_without_person(entry, linked)
    return AuditRow(
        entry,
        who,
        _sentence(entry, who, linked),
        act,
        _subject_text(entry, linked),
        text,
        channel,
        entry.chain in linked.tests,
        linked.gates.get(entry.subject),
        linked.conversations.get(entry.chain),
    )


def act_text(act: str) -> str:
    """A kind of act in words, without the person: "Claimed a gate", "Saved a flow".

    An act without a sentence, of another version or of a project's own code, as it is stored.
    """
    if act in _KINDS:
        return str(_KINDS[act])
    phrase = _PHRASES.get(act)
    if phrase is None:
        return act
    words = _NAME.sub(lambda name: _noun(act, name[1]), str(phrase))
    return capfirst(words.strip(" :"))


def _noun(act: str, name: str) -> str:
    """What stands for a fact of any entry of this act, such as "a gate"; "" for the person and what ends a sentence."""
    if name == "subject":
        return str(_SUBJECT_NOUNS.get(act.partition(".")[0], ""))
    return str(_NOUNS.get(name, ""))


def sentence_condition(word: str) -> Q:
    """The entries whose sentence has the word, in the reader's language: "approved" finds approvals only."""
    plain = word.casefold()
    acts = [act for act, phrase in _PHRASES.items() if plain in _own_words(phrase)]
    answers = [action for action, phrase in _ANSWERS.items() if plain in _own_words(phrase)]
    has_own_sentence = Q(act="session.submit", facts__action__in=list(_ANSWERS))
    by_phrase = Q(act__in=acts) & ~has_own_sentence
    by_action = Q(act__in=_ANSWERED, facts__action__icontains=word) & ~has_own_sentence
    return by_phrase | by_action | Q(act="session.submit", facts__action__in=answers)


def answer_condition(answer: str) -> Q:
    """The entries of gates that were answered with “approve”, with “reject”, or with anything else for “other”."""
    if answer == "other":
        return Q(act="session.submit") & ~Q(facts__action__in=list(_ANSWERS))
    return Q(act="session.submit", facts__action=answer)


def _own_words(phrase: Any) -> str:
    """The words of a sentence without the names that stand for its facts."""
    return _NAME.sub(" ", str(phrase)).casefold()


def gate_numbers(entries: Iterable[AuditEntry]) -> set[int]:
    """The numbers of the gates that the entries are about."""
    return {int(entry.subject[1:]) for entry in entries if _is_gate(entry.subject)}


def assistant_names(entries: Iterable[AuditEntry]) -> set[str]:
    """The names of the assistants that the entries are about."""
    subjects = {entry.subject for entry in entries if entry.act.startswith(_ABOUT_ASSISTANTS)}
    return subjects | {str(entry.facts["assistant"]) for entry in entries if entry.facts.get("assistant")}


def _is_gate(subject: str) -> bool:
    return subject[:1] == "g" and subject[1:].isascii() and subject[1:].isdigit() and len(subject) < 19


def _sentence(entry: AuditEntry, who: str, linked: LinkedRows) -> SafeString:
    phrase = str(_phrase(entry))
    words = _fact_words(entry, linked)
    facts = {name: format_html("<bdi>{}</bdi>", words(name)) for name in _NAME.findall(phrase)}
    parts = {
        "who": format_html("<b><bdi>{}</bdi></b>", who),
        "gate": _gate_link(entry, linked),
        "conversation": _conversation_link(entry, linked),
        "subject": format_html("<bdi>{}</bdi>", _subject_text(entry, linked)),
        "action": _action_label(entry, linked),
    }
    return format_html(phrase, **facts | parts)


def _sentence_without_person(entry: AuditEntry, linked: LinkedRows) -> str:
    return capfirst(unescape(strip_tags(_sentence(entry, "", linked))).strip(" :"))


def _phrase(entry: AuditEntry) -> Any:
    if entry.act == "session.submit" and (phrase := _ANSWERS.get(str(entry.facts.get("action")))):
        return phrase
    if entry.act == "conversation.looked" and entry.chain == CONSOLE:
        return _("{who} read records as administrator")
    # An act of another version, or of a project's own code: its name has no braces, but is escaped like any text.
    return _PHRASES.get(entry.act) or "{who}: " + entry.act.replace("{", "{{").replace("}", "}}")


def _subject_text(entry: AuditEntry, linked: LinkedRows) -> str:
    """The subject in the reader's language: a turn is recorded as “turn 3”, an assistant by its name."""
    number = entry.subject.removeprefix("turn ")
    if entry.act == "turn" and number.isdigit():
        return _("turn %s") % number
    return _assistant_text(entry.subject, linked) if entry.act.startswith(_ABOUT_ASSISTANTS) else entry.subject


def _fact_words(entry: AuditEntry, linked: LinkedRows) -> Callable[[str], str]:
    """Return what gives a fact in words by its name; flows and assistants have their titles."""

    def words(name: str) -> str:
        text = _fact_text(entry.facts, name)
        if name == "flow" and text:
            return f"“{flow_title(text, definition_of(entry, linked))}”"
        return _assistant_text(text, linked) if name == "assistant" else text

    return words


def definition_of(entry: AuditEntry, linked: LinkedRows) -> Definition | None:
    """The definition of the assistant that an entry is about, from which its flows have their titles; None without."""
    conversation = linked.conversations.get(entry.chain)
    home = linked.assistants.get(entry.subject) or (conversation.assistant if conversation else None)
    return titles_of(home) if home else None


def _assistant_text(name: str, linked: LinkedRows) -> str:
    home = linked.assistants.get(name)
    return home.translated_title if home else name


def _fact_text(facts: dict[str, Any], name: str) -> str:
    value = facts.get(name)
    return "" if value is None or isinstance(value, dict | list) else str(value)


def _gate_link(entry: AuditEntry, linked: LinkedRows) -> SafeString:
    gate = linked.gates.get(entry.subject)
    if gate is None:
        return format_html("{}", entry.subject)
    return format_html('<a href="{}">{}</a>', reverse("dialogue:gate", args=[gate.pk]), gate.name)


def _conversation_link(entry: AuditEntry, linked: LinkedRows) -> SafeString:
    row = linked.conversations.get(entry.chain)
    if row is None:
        return format_html("{}", _("a conversation"))
    text = _("the conversation of %s") % row.customer_text
    if not row.user_id and not row.user_ref:  # every guest has the same name
        text = f"{text} ({str(row.pk)[:8]})"
    return format_html('<a href="{}"><bdi>{}</bdi></a>', reverse("dialogue:conversation", args=[row.pk]), text)


def _action_label(entry: AuditEntry, linked: LinkedRows) -> SafeString:
    action = str(entry.facts.get("action") or "")
    gate = linked.gates.get(entry.subject)
    labels = {str(offer.get("id")): str(offer.get("label")) for offer in gate.actions} if gate else {}
    return format_html("“<bdi>{}</bdi>”", labels.get(action, action))
