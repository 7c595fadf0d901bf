"""The page of one gate: the template context, the card with its values, form and actions, and the path of the flow."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from dialogue.desk.access.people import DECIDE, Caller, Person, Right
from dialogue.desk.access.redaction import may_decide_now, redactor_at_gate, redactor_for, shows_in_full
from dialogue.desk.access.unmasking import shows_values
from dialogue.desk.command_bar.preview import example_for
from dialogue.desk.forms import choices
from dialogue.desk.forms.action_preview import consequences_of
from dialogue.desk.forms.form_answers import TextPart
from dialogue.desk.forms.overtaking import Overtaking, overtaking_of
from dialogue.desk.forms.refusals import Refused, past_of_action
from dialogue.desk.forms.time_elements import time_element
from dialogue.desk.queue.queue import next_most_urgent
from dialogue.desk.sessions import serializers
from dialogue.desk.sessions.receipts import has_receipt
from dialogue.engine.language.compiler import HumanAction
from dialogue.models import HITLSession, Turn
from dialogue.models.account import display_name
from dialogue.turns import clock
from dialogue.turns.live.flow_words import readable_assistant, step_title, titled_stack
from dialogue.turns.live.titles import title_for_reader
from dialogue.web.gates.agent_gate import agent_gate, editable_arguments
from dialogue.web.gates.chat_rows import channel_name
from dialogue.web.gates.forms import (
    NO_ATTEMPT,
    PREFIX,
    Attempt,
    Control,
    FormInput,
    controls_of,
    draft_input,
    stored_input,
    wrong_controls,
)
from dialogue.web.gates.operations import MENU, is_snoozed, offered_entries, snooze_choices
from dialogue.web.gates.rows import Outcome, decider_name, decision_channel, outcome_of, outcome_text
from dialogue.web.gates.sidebar import history_lines, sidebar_of
from dialogue.web.gates.value_rows import ValueRow, answer_rows, asked_rows, stake_rows
from dialogue.web.shared.filled_slots import filled_slots
from dialogue.web.shared.permissions import may_propose_examples, may_see_audit
from dialogue.web.shared.times import short_span_text
from dialogue.web.shared.transcript import newest_lines, redact_lines

State = HITLSession.State
MAX_TURNS = 200
"""Turns that are read on the way to a gate, and as many of what came after its decision."""


@dataclass(frozen=True)
class ActionOption:
    """One action with its consequence; `id` is empty for expiry that no action stands for.

    `step` is where it leads, `step_title` what pages call that step, `action` the name of an action that it runs.
    """

    id: str
    label: str
    style: str
    step: str
    text: str
    on_expiry: bool
    key: str
    reason: bool = False
    parts: tuple[TextPart, ...] = ()
    step_title: str = ""
    action: str = ""


@dataclass(frozen=True)
class PathStep:
    """One step of the path; `kind` is past, now or next, `note` when it was passed or why it is there."""

    step: str
    title: str
    kind: str
    note: str = ""


@dataclass(frozen=True)
class GatePage:
    """What the template reads, in the order of the page."""

    session: HITLSession
    title: str
    message: str
    error: str
    reason: str
    controls: list[Control]
    values: list[ValueRow]
    options: list[ActionOption]
    expiry: str
    allowed: frozenset[str]
    typed: FormInput
    refused: Refused | None
    selected: str
    holder: str
    is_mine: bool
    over: bool
    decided_by: str
    decided_what: str
    decided_word: str
    through: str
    late_by: str
    overtaking: Overtaking | None
    has_receipt: bool
    next: HITLSession | None
    asked: tuple[ValueRow, ...] = ()
    """The fields of the form as text, for a person who may only read an undecided gate; else empty."""

    @property
    def plain_values(self) -> list[ValueRow]:
        """The values that are one text; records have tables of their own."""
        return [value for value in self.values if value.table is None]

    @property
    def outcome(self) -> Outcome:
        """How the gate ended, in a word and in colour."""
        return outcome_of(self.session)

    @property
    def escalated_to(self) -> str:
        """The role that may act too since the escalation; empty before it."""
        role = self.session.escalates_to if self.session.escalated_at else None
        return role.name if role else ""

    @property
    def conflict(self) -> bool:
        """Whether another person decided before this one's submission arrived."""
        return self.refused is not None and self.over

    @property
    def wrong(self) -> list[Control]:
        return wrong_controls(self.controls)


def page_context(
    session: HITLSession, person: Person, attempt: Attempt = NO_ATTEMPT, refusal: str = ""
) -> dict[str, Any]:
    """Build the template context of one gate: the card with its heading, and what stands beside it.

    `attempt` is what was sent a moment ago and refused; `refusal` the text of another operation's refusal.
    """
    turns = turns_of(session)
    conversation, transcript = session.conversation, newest_lines(session.conversation)
    decides, unmasked = may_decide_now(session, person), shows_values(person, conversation)
    in_full = {entry["name"] for entry in session.shown} if decides else set()
    redact = redactor_for(person, conversation)
    history = serializers.session_history(session, redact)
    return card_context(session, person, attempt, refusal, turns) | {
        "agent": agent_gate(session, person),
        "lines": redact_lines(transcript.lines, redactor_at_gate(session, in_full=decides or unmasked)),
        "older": transcript.older,
        "channel": channel_name(conversation.channel),
        "asked": f"waiting:{session.step}",
        "slots": filled_slots(conversation, session.frame, unmasked=unmasked, in_full=in_full),
        "stack": titled_stack(conversation.stack, readable_assistant(session.release)),
        "path": path_steps(session, turns),
        "history": history_lines(history, person),
        "side": sidebar_of(session, person, history),
        "may_see_flows": person.superuser or person.has("view_flow"),
        "may_propose": may_propose_examples(person),
    }


def card_context(
    session: HITLSession,
    person: Person,
    attempt: Attempt = NO_ATTEMPT,
    refusal: str = "",
    turns: Sequence[Turn] | None = None,
    *,
    refused_snooze: str | None = None,
) -> dict[str, Any]:
    """Build the template context of the card and its heading alone.

    `refused_snooze` is the time that was refused: its menu stays open, if it is still offered, and shows the refusal.
    """
    page = gate_page(session, person, attempt, turns)
    return {
        "gate": page,
        "refusal": refusal,
        "refused_snooze": refused_snooze if "snooze" in page.allowed else None,
        "moves": offered_entries(MENU, page.allowed),
        "example": example_for(session, Caller(person.id, "bar")),
        "snoozes": snooze_choices(session),
        "snoozed": is_snoozed(session),
        "may_decide": person.has(DECIDE),
        "may_see_audit": may_see_audit(person),
    }


def gate_page(
    session: HITLSession, person: Person, attempt: Attempt = NO_ATTEMPT, turns: Sequence[Turn] | None = None
) -> GatePage:
    """Build the card as this person sees it, with what they typed and why it was refused, if it was.

    `turns` as `turns_of` has them, where they were read already.
    """
    unmasked, redactor = shows_in_full(session, person), redactor_for(person, session.conversation)
    over = session.state in HITLSession.FINAL
    draft = _unsent_input(session, person) if over else stored_input(session, person, masked=not unmasked)
    typed, refused = attempt.typed or draft, attempt.refused
    holder_id = session.claim_holder_at(clock.now())
    controls = controls_of(session, typed, refused)
    arguments = editable_arguments(session)
    only_reads = not over and not person.may(Right.DECIDE, session)
    in_form = set() if only_reads else _arguments_in_form(session, arguments, over=over)
    stake = stake_rows(session, turns_of(session) if turns is None else turns, in_form, unmasked=unmasked)
    return GatePage(
        session=session,
        title=redactor(title_for_reader(session)),
        message="" if choices.asks_about_unknown_outcome(session) else redactor(session.message),
        error=redactor(session.message) if choices.asks_about_unknown_outcome(session) else "",
        reason=_withdrawal_words(session) or redactor(session.reason),
        controls=[] if only_reads else controls,
        values=[*stake, *answer_rows(session, arguments, unmasked=unmasked)],
        options=action_options(session, unmasked=unmasked, controls=controls, redactor=redactor),
        expiry=choices.label_of_handle(session, session.on_timeout) if session.on_timeout else "",
        allowed=frozenset(serializers.allowed_operations(session, person)),
        typed=typed,
        refused=refused,
        selected=selected_action(session, attempt.typed),
        holder=display_name(session.assignee) if holder_id and session.assignee else "",
        is_mine=holder_id == person.id,
        over=over,
        decided_by=decider_name(session) if over else "",
        decided_what=outcome_text(session) if over else "",
        decided_word=past_of_action(session.handle) if over else "",
        through=decision_channel(session),
        late_by=short_span_text(clock.now() - session.decided_at) if session.decided_at else "",
        overtaking=overtaking_of(session),
        has_receipt=has_receipt(session),
        next=next_most_urgent(person, session.number, HITLSession.Kind.HUMAN),
        asked=tuple(asked_rows(session, arguments, unmasked=unmasked)) if only_reads else (),
    )


def _arguments_in_form(session: HITLSession, arguments: Mapping[str, str], *, over: bool) -> set[str]:
    """Return the proposed arguments that stand in the form of an open gate, or among the answers of a decided one."""
    return {argument for field, argument in arguments.items() if not over or field in session.values}


def _withdrawal_words(session: HITLSession) -> str:
    """Why a gate was withdrawn where only a word is stored for it; "" for a reason that people wrote."""
    if session.state != State.CANCELLED or session.decided_by_id:
        return ""
    words = {
        "cancelled": _("The request was stopped before anybody decided."),
        "voided": _("The customer changed what it was about."),
        "conversation_over": _("The conversation ended before anybody decided."),
        "customer_left": _("The customer went back to the assistant."),
    }
    return words.get(session.reason, "")


def _unsent_input(session: HITLSession, person: Person) -> FormInput:
    """Return what this person typed into a gate that is over and did not submit; empty for the one who decided it."""
    return FormInput({}) if person.account and session.decided_by_id == person.account else draft_input(session, person)


def selected_action(session: HITLSession, sent: FormInput | None) -> str:
    """Return the id of the action that Ctrl+Enter sends: the one just pressed, or the only one; else empty.

    A draft's action does not count: it may be days old, or another person's.
    """
    pressed = choices.action_of(session, sent.action) if sent and sent.action else None
    action = pressed or choices.only_action(session)
    return action.id if action else ""


def path_steps(session: HITLSession, turns: Sequence[Turn]) -> list[PathStep]:
    """Return the passed steps with their times, the step that waits, and the steps that the answers lead to."""
    title = partial(step_title, session.flow, assistant=readable_assistant(session.release))
    steps = list(_passed_steps(session, turns, title))
    if session.state in HITLSession.FINAL:
        has_gate_step = any(step.step == session.step for step in steps)
        return (
            steps
            if has_gate_step
            else [*steps, PathStep(session.step, title(session.step), "past", outcome_text(session))]
        )
    options_by_step: dict[str, list[ActionOption]] = {}
    for option in action_options(session, unmasked=False):
        options_by_step.setdefault(option.step, []).append(option)
    return [
        *steps,
        PathStep(session.step, title(session.step), "now"),
        *(_next_step(step, title(step), options) for step, options in options_by_step.items()),
    ]


def _form_texts(controls: Sequence[Control]) -> dict[str, str]:
    """Return the form's current values by field name, as the consequence's text shows them."""
    chosen = {control.name: [choice.display for choice in control.choices if choice.chosen] for control in controls}
    texts = {
        control.name: (chosen[control.name] or [""])[0] if control.choices else control.picker.display or control.value
        for control in controls
        if control.kind != "file"
    }
    return {name.removeprefix(PREFIX): text for name, text in texts.items()}


def action_options(
    session: HITLSession,
    *,
    unmasked: bool,
    controls: Sequence[Control] = (),
    redactor: Callable[[str], str] | None = None,
) -> list[ActionOption]:
    """Return the actions in the order of the flow, and expiry when it leads to a step of its own."""
    typed = _form_texts(controls)
    outcomes = consequences_of(session, unmasked=unmasked, typed=typed, redactor=redactor)
    options: list[ActionOption] = []
    for action in choices.actions_of(session):
        outcome = outcomes.get(action.id)
        key = _shortcut_key(session, action)
        options.append(
            ActionOption(
                id=action.id,
                label=choices.label_of(action),
                style="primary" if action.approves else action.style,
                step=outcome.next if outcome else "",
                text=outcome.text if outcome else "",
                parts=outcome.parts if outcome else (),
                action=outcome.action if outcome else "",
                on_expiry=session.on_timeout == action.id,
                key="" if any(other.key == key for other in options) else key,
                reason=bool(action.reason),
            )
        )
    expiry = outcomes.get("")
    if expiry is not None and session.on_timeout and not any(option.on_expiry for option in options):
        options.append(ActionOption("", _("Expiry"), "default", expiry.next, expiry.text, True, "", parts=expiry.parts))
    assistant = readable_assistant(session.release)
    return [replace(option, step_title=step_title(session.flow, option.step, assistant)) for option in options]


def _shortcut_key(session: HITLSession, action: HumanAction) -> str:
    """Return the shortcut of the action's button: a approves, x refuses, "" for others. The first of several has it."""
    if action.approves:
        return "a"
    # In flows only refusals ask for a reason; the text of an answer to an agent may be any reply.
    needs_reason = bool(action.reason) and not session.is_from_agent
    return "x" if needs_reason or action.style == "danger" or action.id in choices.REFUSALS else ""


def _passed_steps(session: HITLSession, turns: Sequence[Turn], title: Callable[[str], str]) -> Iterator[PathStep]:
    """Yield each passed step once, in the order in which it was passed last."""
    steps: dict[str, Turn] = {}
    for turn in turns:
        for entry in turn.record.get("steps", ()):
            if entry.get("flow") == session.flow:
                steps.pop(entry["step"], None)
                steps[entry["step"]] = turn
    for name, turn in steps.items():
        yield PathStep(name, title(name), "past", time_element(turn.finished_at))


def _next_step(step: str, title: str, options: list[ActionOption]) -> PathStep:
    labels = ", ".join(option.label for option in options)
    return PathStep(step, title, "next", _("on %s") % labels)


def turns_of(session: HITLSession) -> list[Turn]:
    """Return the turns since this run of the flow began, oldest first, with numbers, records and times."""
    rows = Turn.objects.filter(conversation=session.conversation_id).only("number", "record", "finished_at")
    if session.decided_at is None:
        return _since_frame_start(_newest_turns(rows), session.frame)
    later = rows.filter(finished_at__gt=session.decided_at).order_by("number")
    return [
        *_since_frame_start(_newest_turns(rows.filter(finished_at__lte=session.decided_at)), session.frame),
        *later[:MAX_TURNS],
    ]


def _newest_turns(rows: QuerySet[Turn]) -> list[Turn]:
    return list(rows.order_by("-number")[:MAX_TURNS])[::-1]


def _since_frame_start(turns: list[Turn], frame: str) -> list[Turn]:
    """Return the turns from the one that began the frame; all of them when it is not among them."""
    starts = [index for index, turn in enumerate(turns) if _starts_frame(turn, frame)]
    return turns[starts[-1] :] if starts else turns


def _starts_frame(turn: Turn, frame: str) -> bool:
    return any(
        change.get("change") == "started" and change.get("frame") == frame for change in turn.record.get("stack", ())
    )
