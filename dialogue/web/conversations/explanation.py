"""Why the assistant said what it said: the record of a turn in sentences, each with the line of the flow that acted."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from dialogue.desk.forms.choices import action_of, label_of
from dialogue.engine.slots.definitions.labels import words_of_name
from dialogue.engine.slots.display import format_value
from dialogue.engine.slots.models import Slot
from dialogue.models import Event, HITLSession, Release, Turn
from dialogue.turns.live.failed_steps import failed_steps
from dialogue.turns.live.flow_words import flow_title, flow_words, readable_assistant, step_words
from dialogue.turns.live.redaction import redactor_of
from dialogue.web.conversations.step_lines import StepLines, step_lines
from dialogue.web.shared.words.commands import COMMANDS, MAX_VALUE_CHARACTERS, READERS
from dialogue.web.shared.words.turns import SAID

EVENTS: dict[str, str | Promise] = {
    Event.Kind.CHOICE: gettext_lazy("Chose a button"),
    Event.Kind.DECISION: gettext_lazy("Staff answered"),
    Event.Kind.EXPIRY: gettext_lazy("No answer of staff in time"),
    Event.Kind.CANCEL: gettext_lazy("The conversation was cancelled"),
    Event.Kind.SAY: gettext_lazy("A person wrote"),
    Event.Kind.SLOTS: gettext_lazy("A person filled in values"),
    Event.Kind.HAND_BACK: gettext_lazy("The person gave the chat back"),
    Event.Kind.TIMEOUT: gettext_lazy("Silent for too long: the conversation ended"),
    Event.Kind.FILE: gettext_lazy("Sent a file"),
    Event.Kind.TIMER: gettext_lazy("A time was over"),
    Event.Kind.SIGNAL: gettext_lazy("Another program reported an event"),
    Event.Kind.START: gettext_lazy("A flow was begun for the customer"),
    Event.Kind.NOTIFY: gettext_lazy("A message was sent to the customer"),
}
"""What came, where it was no typed message."""


@dataclass(frozen=True)
class StepPlace:
    """Where a step stands in its flow: the words of the link, and its address ("" for who may not see flows)."""

    words: str
    url: str


@dataclass(frozen=True)
class Reason:
    """One sentence: `head` in bold, then `text`; `sign` is an icon and `tone` a class, "warm" for what went wrong."""

    sign: str
    tone: str
    head: str
    text: str
    place: StepPlace | None = None


class Explanation:
    """Explains the turns of one conversation. `redact` masks what this reader may not see."""

    def __init__(self, assistant_name: str, redact: Callable[[str], str], *, links: bool, live_release: int) -> None:
        self._assistant_name, self._redact = assistant_name, redact
        self._links, self._live_release = links, live_release
        self._mask: Callable[[str], str] | None = None

    def reasons(self, turn: Turn) -> list[Reason]:
        """Return why, in the order of what happened; [] where retention has deleted the record."""
        if not turn.record:
            return []
        return list(_TurnReasons(self, turn).all())

    def place(self, release: Release, lines: StepLines, flow: str, step: str, title: str) -> StepPlace | None:
        """Return the link to a step: to its line while that release is live, else to the step by its name."""
        line = lines.get((flow, step))
        if line is None:
            return None
        words = _("Line %(line)s of “%(flow)s”") % {"line": line, "flow": title}
        if not self._links:
            return StepPlace(words, "")
        anchor = f"line-{line}" if release.pk == self._live_release or not step else f"step-{step}"
        return StepPlace(words, f"{reverse('dialogue:flow', args=[self._assistant_name, flow])}#{anchor}")

    def redact(self, text: str) -> str:
        return self._redact(text)

    def mask(self, turn: Turn, text: str) -> str:
        """Mask the conversation's sensitive values for every reader: the gate's page shows them to those who decide."""
        if self._mask is None:
            self._mask = redactor_of(turn.conversation)
        return self._redact(self._mask(text))


class _TurnReasons:
    """The sentences of one turn."""

    def __init__(self, explanation: Explanation, turn: Turn) -> None:
        self._explanation, self._turn = explanation, turn
        self._record: dict[str, Any] = turn.record
        self._lines = step_lines(turn.release)
        self._assistant = readable_assistant(turn.release)

    def all(self) -> Iterator[Reason]:
        yield from self._what_came()
        yield from self._what_ran()
        yield from self._what_was_said()

    def _what_came(self) -> Iterator[Reason]:
        kind = self._turn.event.kind
        if kind != Event.Kind.MESSAGE:
            head = str(EVENTS.get(Event.Kind(kind), kind))
            yield Reason("hand" if kind in _STAFF_EVENTS else "clock", "", head, self._event_detail())
            return
        reading, path = self._turn.reading, self._record.get("path") or []
        if not path:
            yield Reason("hand", "", _("For the person who has the chat"), "")
        elif reading == Turn.Reading.NOT_UNDERSTOOD:
            yield Reason("warn", "warm", _("Not understood:"), self._why_not(path), self._standing_place())
        else:
            heads = {
                Turn.Reading.ASKED_BACK: ("ask", "warm", _("Unclear, so it asked back:")),
                Turn.Reading.CORRECTED: ("warn", "warm", _("Understood otherwise than meant; staff corrected it:")),
            }
            sign, tone, head = heads.get(Turn.Reading(reading), ("check", "", _("Understood:")))
            yield Reason(sign, tone, head, self._understood(path), self._acting_place())

    def _event_detail(self) -> str:
        session = self._turn.event.session
        if self._turn.event.kind == Event.Kind.DECISION and session is not None:
            return self._explanation.mask(self._turn, _answer_words(session))
        payload = self._turn.event.payload
        words = payload.get("value") or payload.get("handle") or payload.get("event") or payload.get("flow") or ""
        return self._explanation.redact(str(words)[:MAX_VALUE_CHARACTERS])

    def _why_not(self, path: list[Any]) -> str:
        nearest = next((entry["nearest"] for entry in path if isinstance(entry, dict) and entry.get("nearest")), None)
        if not nearest:
            return _("no rule and no example fits")
        if not nearest.get("label"):
            return _("no example is similar")
        facts = {"example": nearest.get("example", ""), "score": f"{float(nearest.get('score') or 0):.2f}"}
        return _("the nearest example, “%(example)s”, is too far away (%(score)s)") % facts

    def _understood(self, path: list[Any]) -> str:
        commands = [self._command_words(command) for command in self._record.get("proposed") or ()]
        text = ", ".join(filter(None, commands)) or _("nothing to do")
        names = [str(entry.get("part", "")) for entry in path if isinstance(entry, dict)]
        reader = str(READERS.get(names[-1], names[-1])) if names else ""
        confidence = self._record.get("confidence")
        how = ", ".join(filter(None, (reader, f"{confidence:.0%}" if confidence else "")))
        return self._explanation.redact(f"{text} – {how}" if how else text)

    def _command_words(self, command: Any) -> str:
        if not isinstance(command, dict):
            return str(COMMANDS.get(str(command), command))
        name, value = next(iter(command.items()), ("", None))
        if name in ("start_flow", "resume_flow", "cancel_flow"):
            words = flow_words(str(value), self._assistant) if value else ""
            return words if name == "start_flow" else self._named(name, words)
        if name == "clarify":
            flows = value if isinstance(value, list) else [value]
            return _("one of: %s") % ", ".join(flow_words(str(flow), self._assistant) for flow in flows)
        if isinstance(value, dict) and name != "digress":
            return ", ".join(f"{self._slot_title(name)} {self._slot_value(name, raw)}" for name, raw in value.items())
        return self._named(name, value)

    def _slot(self, name: str) -> Slot | None:
        """The slot of this name in a flow that the turn ran, or else of one that stood open after it."""
        entries = [*(self._record.get("steps") or ()), *reversed(self._turn.stack)]
        assistant = self._assistant
        slots = (assistant.slot(str(entry.get("flow")), name) for entry in entries) if assistant else iter(())
        return next(filter(None, slots), None)

    def _slot_title(self, name: str) -> str:
        slot = self._slot(name)
        return (slot.title.in_language(get_language() or "") if slot and slot.title else "") or _slot_words(name)

    def _slot_value(self, name: str, understood: Any) -> str:
        """The value as it was stored and pages show it; a sensitive one as it was understood, so that it is masked."""
        slot = self._slot(name)
        changes = [change for change in self._record.get("slots") or () if change.get("slot") == name]
        if slot is None or slot.hides_values or not changes or changes[-1].get("to") in (None, ""):
            return _value_words(understood)
        return _value_words(format_value(slot, changes[-1]["to"], language=get_language() or "en"))

    def _named(self, name: str, value: Any) -> str:
        words = str(COMMANDS.get(name, name.replace("_", " ")))
        detail = _value_words(value) if value not in (None, "") and not isinstance(value, dict) else ""
        return f"{words} ({detail})" if detail and name not in ("affirm", "deny") else words

    def _what_ran(self) -> Iterator[Reason]:
        flows = {str(step.get("step")): str(step.get("flow")) for step in self._record.get("steps") or ()}
        for action in self._record.get("actions") or ():
            step, name = str(action.get("step", "")), words_of_name(str(action.get("action", "")))
            place = self._place(flows.get(step, ""), step)
            if action.get("outcome") == "succeeded":
                yield Reason("bolt", "", _("Simulated:") if action.get("simulated") else _("Ran:"), name, place)
            else:
                error = self._explanation.redact(str(action.get("error") or action.get("outcome") or ""))
                yield Reason("warn", "warm", _("Failed:"), f"{name}: {error}"[:300], place)
        for entry in failed_steps(self._record):
            error = self._explanation.redact(str(entry["error"]))[:300]
            step = str(entry["step"])
            yield Reason("warn", "warm", _("Failed:"), error, self._place(flows.get(step, ""), step))

    def _what_was_said(self) -> Iterator[Reason]:
        keys = [str(key) for key in self._record.get("messages") or ()]
        for key in keys:
            name, _colon, about = key.partition(":")
            if name == "ask":
                is_again = self._turn.reading == Turn.Reading.NOT_UNDERSTOOD
                text = _("Asked again:") if is_again else _("Asked:")
                missing = _("%s was missing") % self._slot_title(about) if about else ""
                yield Reason("bot", "", text, missing, self._standing_place())
            elif name == "waiting":
                asked = step_words(self._standing(about)[0], about, self._assistant)
                yield Reason("gate", "", _("Asked staff:"), asked, self._standing_place(about))
            elif words := SAID.get(name):
                sign = "warn" if name in _WRONG else "bot"
                place = self._place(self._flow_of_step(about), about) if name == "say" else self._standing_place()
                yield Reason(sign, "warm" if name in _WRONG else "", str(words), "", place)

    def _flow_of_step(self, step: str) -> str:
        entries = self._record.get("steps") or ()
        return next((str(entry["flow"]) for entry in entries if entry.get("step") == step), "")

    def _standing(self, step: str = "") -> tuple[str, str]:
        """Flow and step that the conversation stood at after the turn: of this step, or else on top."""
        entries = [entry for entry in self._turn.stack if not step or entry.get("step") == step]
        return (str(entries[-1].get("flow", "")), str(entries[-1].get("step", ""))) if entries else ("", "")

    def _standing_place(self, step: str = "") -> StepPlace | None:
        return self._place(*self._standing(step))

    def _acting_place(self) -> StepPlace | None:
        """The first step that the message moved; a flow that it began stands at its own first line."""
        steps = self._record.get("steps") or ()
        if steps:
            return self._place(str(steps[0].get("flow", "")), str(steps[0].get("step", "")))
        started = [change for change in self._record.get("stack") or () if change.get("change") == "started"]
        return self._place(str(started[0].get("flow", "")), "") if started else self._standing_place()

    def _place(self, flow: str, step: str) -> StepPlace | None:
        return self._explanation.place(self._turn.release, self._lines, flow, step, flow_title(flow, self._assistant))


_WRONG = frozenset({"no_answer", "action_failed", "error", "expired", "timed_out"})
_STAFF_EVENTS = (Event.Kind.DECISION, Event.Kind.SAY, Event.Kind.SLOTS, Event.Kind.HAND_BACK)


def _slot_words(name: str) -> str:
    return ": ".join(map(words_of_name, name.split(".")))


def _answer_words(session: HITLSession) -> str:
    """Who answered a gate, the button, the form's values and the reason: "Olga Berg: Approve, Daily limit 500"."""
    action, fields = action_of(session, session.handle), session.schema.get("properties", {})
    values = [
        f"{fields.get(name, {}).get('title') or _slot_words(name)} {_value_words(value)}"
        for name, value in session.values.items()
        if value not in (None, "", [], {})
    ]
    reason = [f"“{session.reason[:MAX_VALUE_CHARACTERS]}”"] if session.reason else []
    answer = ", ".join([label_of(action) if action else session.handle, *values, *reason])
    return f"{session.decided_as}: {answer}" if session.decided_as else answer


def _value_words(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= MAX_VALUE_CHARACTERS else f"{text[:MAX_VALUE_CHARACTERS]}…"
