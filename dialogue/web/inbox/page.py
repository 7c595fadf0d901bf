"""Everything that the page of one chat shows beside the queue: the talk, where the bot stopped, values, notes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from django.utils.html import format_html
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from dialogue.desk.access.people import Person
from dialogue.desk.access.redaction import redactor_for
from dialogue.desk.access.unmasking import shows_values
from dialogue.desk.chats.chats import ChatSlot, chat_holder, settable_slots
from dialogue.desk.forms.action_preview import display_value
from dialogue.desk.forms.time_elements import time_element
from dialogue.desk.sessions import serializers
from dialogue.desk.sessions.drafts import draft_of
from dialogue.engine.slots.definitions.labels import label_of_slot
from dialogue.models import Conversation, HITLSession, Message, Turn
from dialogue.models.account import display_name
from dialogue.turns.live.flow_words import readable_assistant, step_title, titled_stack
from dialogue.web.gates.chat_rows import cause_text, channel_name, ending_text, language_name
from dialogue.web.gates.forms import Control, control_for, input_text
from dialogue.web.gates.operations import MenuEntry, offered_entries
from dialogue.web.gates.page import PathStep
from dialogue.web.gates.sidebar import history_lines
from dialogue.web.inbox.queue import next_chat
from dialogue.web.shared.customer_names import unverified_element
from dialogue.web.shared.filled_slots import origin_text

REPLY = "reply"
"""The name of the text in the composer, among the values of a draft."""
MAX_PASSED_STEPS = 6
"""How many of the passed steps are shown."""
MAX_TURNS = 60
"""In how many of the newest turns the times of the steps are looked for."""
MAX_FACTS = 8
MENU = (
    MenuEntry("takeover", gettext_lazy("Take over"), gettext_lazy("Why?"), "reason", "take_over"),
    MenuEntry("expire", gettext_lazy("Expire now"), gettext_lazy("Why?"), "reason", "expire", ends=True),
)


@dataclass(frozen=True)
class SlotRow:
    """One slot, the origin of its value, and the form field that changes it."""

    name: str
    title: str
    flow: str
    display: str
    source: str
    origin: str
    control: Control
    sensitive: bool
    sent: bool = False

    @property
    def is_refused(self) -> bool:
        return bool(self.control.error)


@dataclass(frozen=True)
class Note:
    """A colleague's note."""

    at: datetime | None
    by: str
    text: str


@dataclass(frozen=True)
class ChatPage:
    """What the template reads. `status` is mine, free, other or over; `allowed` names the possible operations.

    `moves` is the menu's entries that ask for a reason. A chat without a flow for its timeout cannot be expired.
    """

    session: HITLSession
    status: str
    holder: str
    ending: str
    allowed: frozenset[str]
    draft: str
    draft_of: str
    moves: list[MenuEntry]
    cause: str
    channel: str
    next: HITLSession | None


def chat_page(session: HITLSession, person: Person) -> ChatPage:
    """Return the chat's heading and composer as this person sees them."""
    holder = chat_holder(session)
    over = session.state in HITLSession.FINAL
    draft = draft_of(session, person.id)
    allowed = frozenset(serializers.allowed_operations(session, person))
    return ChatPage(
        session=session,
        status="over" if over else _chat_status(holder.pk if holder else None, person),
        holder=display_name(holder) if holder else "",
        ending=ending_text(session) if over else "",
        allowed=allowed,
        draft=str(draft.values.get(REPLY, "")),
        draft_of=draft.author,
        moves=offered_entries(MENU, allowed if session.on_timeout else allowed - {"expire"}),
        cause=cause_text(session),
        channel=channel_name(session.conversation.channel),
        next=next_chat(person, session.number),
    )


def slot_rows(session: HITLSession, person: Person) -> list[SlotRow]:
    """Return the slots of the active flows; empty after the chat went back."""
    if session.state in HITLSession.FINAL:
        return []
    unmasked = shows_values(person, session.conversation)
    return [_slot_row(session, slot, unmasked) for slot in settable_slots(session)]


def row_with_error(row: SlotRow, typed: str, error: str) -> SlotRow:
    """Return the row with the typed text and its error."""
    choices = tuple(replace(choice, chosen=choice.value == typed) for choice in row.control.choices)
    return replace(row, control=replace(row.control, value=typed, error=error, choices=choices))


def path_steps(session: HITLSession) -> list[PathStep]:
    """Return the last steps that the bot passed, with their times, and the step where it stopped."""
    entry = next(reversed(session.conversation.stack), None)
    if entry is None:
        return []
    times = _step_times(session.conversation, entry["flow"])
    title = partial(step_title, entry["flow"], assistant=readable_assistant(session.conversation.release))
    steps = [step for step in dict.fromkeys(entry.get("path", ())) if step != entry["step"]][-MAX_PASSED_STEPS:]
    passed_steps = [PathStep(step, title(step), "past", times.get(step, "")) for step in steps]
    stopped_at = [PathStep(entry["step"], title(entry["step"]), "now", cause_text(session))] if entry["step"] else []
    return passed_steps + stopped_at


def customer_facts(conversation: Conversation) -> list[tuple[str, str]]:
    """Return what is known of the customer: pairs of name and text."""
    language = language_name(conversation.language)
    facts = [(_("Language"), language)] if language else []
    facts.append((_("Began"), time_element(conversation.created_at)))
    earlier = _earlier_conversation(conversation)
    if earlier is not None:
        moment = time_element(earlier.active_at)
        facts.append((_("Last contact"), format_html("{}, {}", moment, earlier.assistant.translated_title)))
    for name, value in conversation.metadata.items():
        if isinstance(value, str | int | float):
            facts.append((str(name), str(value) if _is_vouched(conversation, name) else unverified_element(str(value))))
    return facts[:MAX_FACTS]


def _is_vouched(conversation: Conversation, name: str) -> bool:
    """Whether staff may trust this entry of the metadata.

    A visitor who sends a signed token writes the metadata beside it: only what the token claims too is signed.
    """
    claims = conversation.opening.get("claims")
    if not conversation.vouched or conversation.user_id is not None or claims is None:
        return conversation.vouched
    return name in claims and claims[name] == conversation.metadata[name]


def notes_of(acts: Iterable[dict[str, Any]]) -> list[Note]:
    """Return the notes in the session's history."""
    notes = [act for act in acts if act["act"] == "session.note" and not act["refused"]]
    return [Note(datetime.fromisoformat(act["at"]), act["by"], act["text"]) for act in notes]


def sidebar_context(session: HITLSession, person: Person) -> dict[str, Any]:
    """Build the template context of what stands beside the transcript."""
    history = serializers.session_history(session, redactor_for(person, session.conversation))
    acts = [act for act in history if act["refused"] or act["act"] != "session.say"]
    return {
        "slots": slot_rows(session, person),
        "stack": titled_stack(session.conversation.stack, readable_assistant(session.conversation.release)),
        "path": path_steps(session),
        "facts": customer_facts(session.conversation),
        "notes": notes_of(acts),
        "history": history_lines(acts, person),
    }


def transcript_entries(lines: list[Message], session: HITLSession) -> list[dict[str, Any]]:
    """Return `{line, wait}` for each line; `wait` is `{asked_at, span, open}` after a handoff, else None."""
    return [{"line": line, "wait": _wait_of(line, lines[at + 1 :], session)} for at, line in enumerate(lines)]


def _wait_of(line: Message, later: list[Message], session: HITLSession) -> dict[str, Any] | None:
    if line.key != "handoff":
        return None
    answers: Iterator[Message] = (
        line_or_handoff
        for line_or_handoff in later
        if line_or_handoff.role == Message.Role.OPERATOR or line_or_handoff.key == "handoff"
    )
    answer = next(answers, None)
    is_answered = answer is not None and answer.role == Message.Role.OPERATOR
    if is_answered and answer is not None:
        return {"asked_at": line.at, "span": answer.at - line.at, "open": False}
    return {"asked_at": line.at, "span": None, "open": answer is None and session.state in HITLSession.UNDECIDED}


def _chat_status(holder: int | None, person: Person) -> str:
    if holder is None:
        return "free"
    return "mine" if holder == person.id else "other"


def _slot_row(session: HITLSession, chat_slot: ChatSlot, unmasked: bool) -> SlotRow:
    stored = dict(chat_slot.stored)
    value, hidden = stored.get("value"), chat_slot.slot.hides_values and not unmasked
    typed = "" if value is None or hidden else input_text(chat_slot.slot, value)
    title = label_of_slot(chat_slot.name.rpartition(".")[2], chat_slot.slot.title, get_language() or "")
    return SlotRow(
        name=chat_slot.name,
        title=title,
        flow=chat_slot.flow,
        display=display_value(stored, unmasked=unmasked) if value is not None else "",
        source=str(stored.get("source", "")),
        origin=origin_text(stored) if stored else "",
        control=control_for(chat_slot.slot, f"slot-{chat_slot.name.replace('.', '-')}", title, typed),
        sensitive=chat_slot.slot.hides_values,
    )


def _step_times(conversation: Conversation, flow: str) -> dict[str, str]:
    """The moments at which the steps of a flow were passed last, as `<time>`."""
    times: dict[str, str] = {}
    turns = Turn.objects.filter(conversation=conversation).order_by("-number").only("record", "finished_at")[:MAX_TURNS]
    for turn in reversed(list(turns)):
        for entry in turn.record.get("steps", ()):
            if entry.get("flow") == flow:
                times[entry["step"]] = time_element(turn.finished_at)
    return times


def _earlier_conversation(conversation: Conversation) -> Conversation | None:
    if conversation.user_id is None:
        return None
    others = Conversation.objects.filter(user=conversation.user_id).exclude(pk=conversation.pk)
    return others.select_related("assistant").order_by("-active_at").first()
