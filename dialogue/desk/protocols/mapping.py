"""Gates in other protocols: AG-UI's interrupts and resumes, LangChain's decisions, agent-inbox's responses.

One table maps each protocol's words to meanings, which then run the usual operations. The shapes are those of
AG-UI 1.1 (docs.ag-ui.com, "Interrupts"), of LangChain's human-in-the-loop middleware and of agent-inbox's README.

An approval applies to the values shown: an edit may fill the gate's form, but may not change a value that it shows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from dialogue.desk.access.people import read_caller, visible_sessions
from dialogue.desk.forms import choices, forms, refusals
from dialogue.desk.forms.action_preview import display_value
from dialogue.desk.forms.sentences import sentence as _
from dialogue.desk.protocols.incoming import ProtocolReply, as_text
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer, Caller, InputFormat, Outcome
from dialogue.dialects.pauses import Meaning
from dialogue.engine.language.steps import HumanAction
from dialogue.models import HITLSession


class AgentProtocol(Enum):
    """A protocol; the value is its name in the API's URLs."""

    AG_UI = "ag-ui"
    LANGCHAIN = "langchain"
    AGENT_INBOX = "agent-inbox"


MEANINGS: dict[tuple[AgentProtocol, str], Meaning] = {
    (AgentProtocol.AG_UI, "approved"): Meaning.AGREE,
    (AgentProtocol.AG_UI, "edited"): Meaning.EDIT,
    (AgentProtocol.AG_UI, "denied"): Meaning.REFUSE,
    (AgentProtocol.AG_UI, "action"): Meaning.CHOOSE,
    (AgentProtocol.AG_UI, "cancelled"): Meaning.LEAVE,
    (AgentProtocol.LANGCHAIN, "approve"): Meaning.AGREE,
    (AgentProtocol.LANGCHAIN, "edit"): Meaning.EDIT,
    (AgentProtocol.LANGCHAIN, "reject"): Meaning.REFUSE,
    (AgentProtocol.LANGCHAIN, "respond"): Meaning.RESPOND,
    (AgentProtocol.AGENT_INBOX, "accept"): Meaning.AGREE,
    (AgentProtocol.AGENT_INBOX, "edit"): Meaning.EDIT,
    (AgentProtocol.AGENT_INBOX, "response"): Meaning.RESPOND,
    (AgentProtocol.AGENT_INBOX, "ignore"): Meaning.LEAVE,
}
"""The meaning of each protocol's words."""


@dataclass(frozen=True)
class Offer:
    """What a gate offers to other protocols: the actions behind the meanings, and the names of the form's fields."""

    agrees: HumanAction | None
    refuses: HumanAction | None
    names: tuple[str, ...]
    meanings: frozenset[Meaning] = field(default=frozenset())


def offer_of(session: HITLSession) -> Offer:
    """Return the meanings that this gate has exactly one action for; leaving it undecided is always possible."""
    agrees, refuses = choices.agreeing_action(session), choices.refusing_action(session)
    names = tuple(field.name for field in forms.fields_of(session))
    meanings = {Meaning.CHOOSE, Meaning.LEAVE}
    meanings |= {Meaning.AGREE} if agrees else set()
    meanings |= {Meaning.EDIT} if agrees and names else set()
    meanings |= {Meaning.REFUSE, Meaning.RESPOND} if refuses else set()
    return Offer(agrees, refuses, names, frozenset(meanings))


def submit_reply(
    protocol: AgentProtocol, number: int, caller: Caller, reply: ProtocolReply, *, key: str = ""
) -> Outcome:
    """Do what a reply means. Status 201 for a submission; 200 for a gate left undecided, which is noted.

    Raises Refused, and UnknownAction for a word that this gate has no action for.
    """
    visible_session = visible_sessions(read_caller(caller)).filter(pk=number).first()
    if visible_session is None:
        raise refusals.SessionNotFound(number)
    session = visible_session
    _check_address(session, reply)
    meaning = MEANINGS[protocol, reply.word]
    offer = offer_of(session)
    if meaning not in offer.meanings:
        words = ", ".join(words_of(protocol, offer))
        facts = {"word": reply.word, "words": words}
        raise refusals.UnknownAction(
            _("“%(word)s” is not available for this gate. Choose: %(words)s.") % facts, session=session
        )
    if meaning is Meaning.LEAVE:
        return service.add_note(number, caller, _("Left undecided through %s.") % protocol.value)
    input_format = InputFormat.TYPED if protocol is AgentProtocol.AGENT_INBOX else InputFormat.JSON
    return service.submit(number, caller, _answer_meant(session, meaning, offer, reply, input_format), key=key)


def words_of(protocol: AgentProtocol, offer: Offer) -> list[str]:
    """Return the protocol's words for what this gate offers."""
    return [
        word for (spoken_in, word), meaning in MEANINGS.items() if spoken_in is protocol and meaning in offer.meanings
    ]


def _answer_meant(
    session: HITLSession, meaning: Meaning, offer: Offer, reply: ProtocolReply, input_format: InputFormat
) -> Answer:
    agrees, refuses = offer.agrees.id if offer.agrees else "", offer.refuses.id if offer.refuses else ""
    match meaning:
        case Meaning.AGREE:
            return Answer(agrees, {}, input_format)
        case Meaning.EDIT:
            return Answer(agrees, _own_fields(session, offer, reply.values), input_format)
        case Meaning.REFUSE | Meaning.RESPOND:
            return Answer(refuses, {}, input_format, reply.text)
        case Meaning.CHOOSE | Meaning.LEAVE:
            return Answer(reply.action, reply.values, input_format, reply.text)


def _own_fields(session: HITLSession, offer: Offer, edited: Mapping[str, Any]) -> dict[str, Any]:
    """Return the edited form fields. Raises InvalidValue if another value differs from what the gate shows."""
    args = args_of(session)
    others = [name for name in edited if name not in offer.names]
    changed = [name for name in others if as_text(edited[name]) != as_text(args.get(name))]
    if changed:
        message = _("The gate shows this value; it cannot be changed here.")
        wrong = [refusals.WrongField(name, "", "bound", message, forms.quote_value(edited[name])) for name in changed]
        raise forms.wrong_values(session, wrong)
    return {name: value for name, value in edited.items() if name in offer.names}


def args_of(session: HITLSession) -> dict[str, Any]:
    """Return the values at stake as stored, by name; sensitive ones masked."""
    return {
        entry["name"]: display_value(entry, unmasked=False)
        if entry.get("sensitive")
        else entry.get("masked", entry).get("value")
        for entry in session.shown
    }


def _check_address(session: HITLSession, reply: ProtocolReply) -> None:
    """Raise InvalidValue or UnknownAction if the reply names another conversation, session or step."""
    about = {reply.thread: str(session.conversation_id), reply.interrupt: str(session.uid)}
    if any(addressed and addressed != actual for addressed, actual in about.items()):
        raise refusals.InvalidValue(_("This answers another question than %s.") % session.name, session=session)
    if reply.about and reply.about != session.step:
        facts = {"gate": session.name, "step": session.step, "action": forms.quote_value(reply.about)}
        detail = _("%(gate)s asks about %(step)s; an answer cannot make “%(action)s” of it.") % facts
        raise refusals.UnknownAction(detail, session=session)
