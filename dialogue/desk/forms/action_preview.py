"""Previews of what each action of a session would do, from the release's flow and the values at stake.

No preview contains text of a language model: "Approve → Send: Send the money, with amount 8,450.00, beneficiary …", and
for programs "Approve → send: runs send_money with amount 8,450.00, …".
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.translation import get_language, gettext_noop
from django.utils.translation import gettext as _

from dialogue.desk.forms import choices
from dialogue.desk.forms.agent_answers import consequence_texts
from dialogue.desk.forms.form_answers import FormAnswers, TextPart, answers_for, message_after
from dialogue.engine.language.compiler import (
    END,
    Action,
    AnyStep,
    Assistant,
    Call,
    Collect,
    Flow,
    Handoff,
    Human,
    Link,
    Say,
)
from dialogue.engine.language.later_use import tells_reason
from dialogue.engine.slots.definitions.labels import words_of_name
from dialogue.engine.slots.display import display_or_redact, field_of, format_value
from dialogue.engine.stack import unknown_outcomes
from dialogue.models import HITLSession
from dialogue.turns.live.flow_words import flow_words, readable_assistant, step_title
from dialogue.turns.live.serializers import MASK
from dialogue.turns.live.values_at_stake import text_for_reader, yes_or_no


@dataclass(frozen=True)
class Consequence:
    """Where an action leads: the next step, its type, the sentence, and an action that would run with its inputs.

    `parts` is the sentence in pieces; a piece that comes from a field of the form names it.
    """

    next: str
    type: str
    text: str
    inputs: dict[str, str] = field(default_factory=dict)
    parts: tuple[TextPart, ...] = ()
    action: str = ""


def consequences_of(
    session: HITLSession,
    *,
    unmasked: bool = False,
    typed: Mapping[str, str] | None = None,
    redactor: Callable[[str], str] | None = None,
    names_actions: bool = False,
) -> dict[str, Consequence]:
    """Return the consequence of each action by its id, and of expiry under ""; empty if the flow has lost the step.

    A text that reads a field of the form shows what is `typed` there, or a placeholder. Afterwards it shows what was
    decided, and on the way that was taken what was really said, through the reader's `redactor`. With `names_actions`,
    for programs, an action is told by its name; otherwise by its contract's description.
    """
    from dialogue.turns.compiled_releases import assistant_of  # the engine is loaded when a gate is shown, not at start

    if session.is_from_agent:
        return _consequences_for_agent(session)
    assistant = assistant_of(session.release)
    flow = assistant.flows.get(session.flow)
    step = flow.step(session.step) if flow and flow.has_step(session.step) else None
    if flow is None or not isinstance(step, Human | Action):
        return {}
    answers = answers_for(session, unmasked=unmasked).with_typed(typed or {})
    fields = RecordFields(assistant, flow, _slots_at_stake(session), unmasked)
    values = values_at_stake(session, unmasked=unmasked)
    scene = Scene(assistant, flow, values, answers, fields, names_actions=names_actions)
    targets = _targets_of_actions(flow, step) if isinstance(step, Human) else _targets_of_outcomes(flow, step)
    outcomes = {handle: scene.consequence(target, handle) for handle, target in targets.items()}
    decided = outcomes.get(session.handle) if answers.decided and redactor else None
    message = message_after(session, decided.next) if decided and decided.type == "say" else None
    if decided and redactor and message is not None:
        text = _tells_customer(redactor(message))
        outcomes[session.handle] = replace(decided, text=text, parts=(TextPart(text),))
    return outcomes


def _consequences_for_agent(session: HITLSession) -> dict[str, Consequence]:
    """Return what another system's agent does after each answer; no step of ours follows."""
    texts = consequence_texts(session)
    return {handle: Consequence("", "agent", text, parts=(TextPart(text),)) for handle, text in texts.items()}


def is_reason_told(session: HITLSession) -> bool:
    """Whether the flow tells the customer the reason of the decision."""
    from dialogue.turns.compiled_releases import assistant_of  # the engine is loaded when a gate is shown, not at start

    flow = assistant_of(session.release).flows.get(session.flow)
    step = flow.step(session.step) if flow and flow.has_step(session.step) else None
    return flow is not None and isinstance(step, Human) and tells_reason(flow, step)


def _targets_of_actions(flow: Flow, step: Human) -> dict[str, str]:
    """Return the target step of each action of a human step, and of expiry under ""."""
    targets = {action.id: step.next.get(action.id) or flow.next_step(step.step) for action in step.actions}
    targets[""] = step.expiry_step or flow.next_step(step.step)
    return {handle: flow.resolve_target(step.step, target) for handle, target in targets.items()}


def _targets_of_outcomes(flow: Flow, step: Action) -> dict[str, str]:
    """Return the target step of each answer to "did the action happen?", and of expiry under ""."""
    happened, failed = flow.next_step(step.step), step.on_error or flow.settings.on_error or END
    return {
        unknown_outcomes.HAPPENED: happened,
        unknown_outcomes.DID_NOT_HAPPEN: failed,
        unknown_outcomes.TRY_AGAIN: step.step,
        "": failed,
    }


def values_at_stake(session: HITLSession, *, unmasked: bool = False) -> dict[str, str]:
    """Return the filled slots of the frame and those that the session shows, as text, by name.

    Of sensitive values only the last four characters are shown, unless `unmasked`.
    """
    return {
        name: text_for_staff(session, {**slot, "name": name}, unmasked=unmasked)
        for name, slot in _slots_at_stake(session).items()
        if slot.get("value") is not None
    }


def _slots_at_stake(session: HITLSession) -> dict[str, Any]:
    stack = session.conversation.stack
    slots: Mapping[str, Any] = next((entry["slots"] for entry in stack if entry["frame"] == session.frame), {})
    return {**{entry["name"]: entry for entry in session.shown}, **slots}


@dataclass(frozen=True)
class RecordFields:
    """The fields of the records at stake, as text. `stored` has the records' slots by name."""

    assistant: Assistant
    flow: Flow
    stored: Mapping[str, Any]
    unmasked: bool

    def text_of(self, name: str) -> str | None:
        """Return the text of a field by its dotted name, such as order.address.zip, or None."""
        head, _dot, path = name.partition(".")
        slot = self.assistant.slot(self.flow.flow, head)
        if not path or slot is None or head not in self.stored:
            return None
        part = field_of(slot, self.stored[head].get("value"), path)
        if part is None:
            return None
        if slot.sensitive and not self.unmasked:
            return MASK
        format_for = format_value if self.unmasked else display_or_redact
        return format_for(*part, language=get_language() or self.assistant.language, timezone=self.assistant.timezone)


def display_value(slot: Mapping[str, Any], *, unmasked: bool) -> str:
    """Return a stored value as text, masked if it is sensitive; yes and no in the active language."""
    slot = slot if unmasked else {**slot, **slot.get("masked", {})}
    value = slot.get("value")
    text = yes_or_no(value) if isinstance(value, bool) else str(slot.get("shown") or value or "")
    return text if unmasked or not slot.get("sensitive") else redact_value(text)


def text_for_staff(session: HITLSession, entry: Mapping[str, Any], *, unmasked: bool) -> str:
    """Return a value of a gate with amounts, numbers and days as the reader writes them, masked if it is sensitive."""
    return text_for_reader(session, entry) or display_value(entry, unmasked=unmasked)


def redact_value(text: str) -> str:
    """Mask all but the last four characters; all of them in a text of fewer than eight."""
    return f"{MASK} {text[-4:]}" if len(text) >= 8 and MASK not in text else text if MASK in text else MASK


STEP_WORDS = {
    "confirm": gettext_noop("asks the customer for a yes or no"),
    "branch": gettext_noop("decides by its conditions how to go on"),
    "while": gettext_noop("repeats its steps while its condition holds"),
    "for_each": gettext_noop("goes through a list"),
    "set": gettext_noop("notes values and goes on"),
    "wait": gettext_noop("waits"),
}
"""What the steps do that say nothing of their own, by type."""


@dataclass(frozen=True)
class Scene:
    """The context in which steps are described: the assistant, the flow, and the values as text."""

    assistant: Assistant
    flow: Flow
    values: Mapping[str, str]
    answers: FormAnswers
    fields: RecordFields
    names_actions: bool = False

    def consequence(self, target: str, handle: str) -> Consequence:
        """Describe what happens if the flow continues at this step after this action."""
        if target == END or not self.flow.has_step(target):
            return Consequence(END, "end", _("the flow ends"), parts=(TextPart(_("the flow ends")),))
        step = self.flow.step(target)
        inputs = self._inputs_of(step, handle) if isinstance(step, Action) else {}
        parts = self.answers.split_text(self._describe_step(step, inputs, handle))
        plain = {name: "".join(part.text for part in self.answers.split_text(text)) for name, text in inputs.items()}
        action = step.call if isinstance(step, Action) else ""
        return Consequence(step.step, step.type, "".join(part.text for part in parts), plain, parts, action)

    def _display_value(self, name: str, handle: str) -> str | None:
        if name.startswith("="):
            return "…"  # computed when the message is sent
        answer = self.answers.text_for(name, handle)
        if answer is not None:
            return answer
        return self.values.get(name) if "." not in name else self.fields.text_of(name)

    def _describe_step(self, step: AnyStep, inputs: Mapping[str, str], handle: str) -> str:
        match step:
            case Action():
                return self._describe_action(step.call, inputs)
            case Say():
                template = step.message.in_language(get_language() or self.assistant.language)
                return _tells_customer(template.render(lambda name: self._display_value(name, handle)))
            case Collect():
                return _("asks the customer for %s") % self._label_of(step.slot)
            case Call() | Link():
                return _("goes on with %s") % flow_words(step.flow, self.assistant)
            case Human():
                return _("asks staff again: %s") % self._gate_title(step, handle)
            case Handoff():
                return _("hands the chat to a person")
            case _:
                return _(STEP_WORDS[step.type])

    def _describe_action(self, name: str, inputs: Mapping[str, str]) -> str:
        contract = self.assistant.actions.get(name)
        if self.names_actions:
            return _runs_action(name, self._labelled(inputs))
        if contract is None or contract.description is None:
            return _runs_action(f"“{words_of_name(name)}”", self._labelled(inputs))
        language = get_language() or self.assistant.language
        return _does_action(contract.description.in_language(language).rstrip(" ."), self._labelled(inputs))

    def _labelled(self, inputs: Mapping[str, str]) -> str:
        """Return the inputs with their names in words: a slot's title in the reader's language, or the name."""
        return ", ".join(f"{self._label_of(name)} {value}" for name, value in inputs.items())

    def _label_of(self, name: str) -> str:
        slot = self.assistant.slot(self.flow.flow, name)
        title = slot.title.in_language(get_language() or self.assistant.language) if slot and slot.title else ""
        return title or words_of_name(name)

    def _gate_title(self, step: Human, handle: str) -> str:
        template, language = step.title_template, get_language() or ""
        if template is None:
            return step.title.in_language(language)
        return template.in_language(language).render(lambda name: self._display_value(name, handle))

    def _inputs_of(self, step: Action, handle: str) -> dict[str, str]:
        if step.inputs is not None:
            return {
                name: self._display_value(expression.text, handle) or expression.text
                for name, expression in step.inputs.items()
            }
        contract = self.assistant.actions.get(step.call)
        return {name: self.values[name] for name in (contract.inputs if contract else ()) if name in self.values}


def _tells_customer(text: str) -> str:
    return _("tells the customer: “%s”") % text


def _runs_action(name: str, values: str) -> str:
    if not values:
        return _("runs %s") % name
    return _("runs %(action)s with %(values)s") % {"action": name, "values": values}


def _does_action(description: str, values: str) -> str:
    return (
        _("%(description)s, with %(values)s") % {"description": description, "values": values}
        if values
        else description
    )


def program_line(session: HITLSession, handle: str, consequence: Consequence) -> str:
    """Return what programs are told, by the names in the flow: "Approve → send: runs send_money with …"."""
    label = choices.label_of_handle(session, handle)
    return f"{label} → {consequence.next}: {consequence.text}" if consequence.next else f"{label} → {consequence.text}"


def preview_line(session: HITLSession, handle: str, consequence: Consequence) -> str:
    """Return the line under a button: "Approve → Send: Send the money, with …"."""
    label, following = choices.label_of_handle(session, handle), consequence.next
    if following == END or not following:
        return f"{label} → {consequence.text}"
    return f"{label} → {step_title(session.flow, following, readable_assistant(session.release))}: {consequence.text}"
