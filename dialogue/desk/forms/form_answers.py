"""The answers of a gate's form as texts about it show them: typed so far, decided, or not answered yet."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.db.models import Q

from dialogue.desk.forms import forms
from dialogue.desk.forms.forms import REASON
from dialogue.engine.slots.definitions.labels import words_of_name
from dialogue.engine.slots.display import display_or_redact, format_value
from dialogue.models import Event, HITLSession, Message
from dialogue.turns.live.serializers import MASK

_START, _END = "\ue000", "\ue001"
_MARKED = re.compile(f"{_START}([a-z0-9_.]+){_END}")


@dataclass(frozen=True)
class TextPart:
    """A piece of a sentence; with a `field`, the text of that field or its placeholder."""

    text: str
    field: str = ""
    placeholder: str = ""


@dataclass(frozen=True)
class FormAnswers:
    """The answers of one step's form as text by field, and whether they are decided."""

    step: str
    names: frozenset[str]
    values: Mapping[str, str]
    decided: bool = False

    def with_typed(self, values: Mapping[str, str]) -> "FormAnswers":
        """Return the answers with what is typed in the form; decided answers stay."""
        return self if self.decided else replace(self, values={name: text for name, text in values.items() if text})

    def text_for(self, name: str, handle: str) -> str | None:
        """Return the text for `<step>.<field>`, marked while it may change; None for another step."""
        step, _dot, field = name.partition(".")
        if step != self.step or not field:
            return None
        if field == "action":
            return handle
        if self.decided:
            return self.values.get(field, "")
        return f"{_START}{field}{_END}" if field in self.names else None

    def split_text(self, text: str) -> tuple[TextPart, ...]:
        """Split a text into pieces, with each marked field filled in."""
        pieces = _MARKED.split(text)
        return tuple(
            TextPart(piece) if index % 2 == 0 else self._part_of_field(piece)
            for index, piece in enumerate(pieces)
            if piece
        )

    def _part_of_field(self, field: str) -> TextPart:
        placeholder = f"[{words_of_name(field)}]"
        return TextPart(self.values.get(field, placeholder), field, placeholder)


def answers_for(session: HITLSession, *, unmasked: bool) -> FormAnswers:
    """Return what was decided in the session's form; without values while it is undecided."""
    fields = forms.fields_of(session)
    names = frozenset({field.name for field in fields} | {REASON})
    if session.state not in HITLSession.FINAL:
        return FormAnswers(session.step, names, {})
    read_by = forms.reading_context_of(session)
    format_for = format_value if unmasked else display_or_redact
    values = {
        field.name: MASK
        if field.slot.sensitive and not unmasked
        else format_for(field.slot, session.values[field.name], language=read_by.language, timezone=read_by.timezone)
        for field in fields
        if session.values.get(field.name) is not None
    }
    reason = {REASON: session.reason} if session.reason else {}
    return FormAnswers(session.step, names, {**reason, **values}, True)


def message_after(session: HITLSession, step: str) -> str | None:
    """Return what this `say` step told the customer in the turn of the decision; None before that turn."""
    events = Event.objects.filter(session=session).values("pk")
    of_turn = Q(turn__event__in=events) | Q(reply_to__in=events)
    lines = Message.objects.filter(of_turn, conversation=session.conversation_id, key=f"say:{step}")
    return lines.order_by("seq").values_list("text", flat=True).first()
