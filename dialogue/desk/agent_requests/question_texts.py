"""How a question of another system's agent reads on our desk: its title, its arguments, the words of its answers."""

import json
import re
from typing import Any

from dialogue.dialects.answer_forms import is_sensitive
from dialogue.dialects.pauses import OfferedAnswer, Pause
from dialogue.turns.live.serializers import redactor_for_values, sensitive_texts

MAX_TITLE_CHARACTERS = 200
MAX_ARGUMENT_CHARACTERS = 4_000
LABELS = {
    "approve": {"en": "Approve", "es": "Aprobar"},
    "edit": {"en": "Approve with changes", "es": "Aprobar con cambios"},
    "reject": {"en": "Reject", "es": "Rechazar"},
    "respond": {"en": "Reply", "es": "Responder"},
    "answer": {"en": "Send the answer", "es": "Enviar la respuesta"},
    "accept": {"en": "Done", "es": "Hecho"},
    "decline": {"en": "Decline", "es": "Declinar"},
    "cancel": {"en": "Cancel", "es": "Cancelar"},
    "ignore": {"en": "Ignore", "es": "Ignorar"},
}


def label_of_answer(answer: OfferedAnswer) -> Any:
    """Return the words on an answer's button: the agent's own, or ours in every language."""
    own_label = answer.label.replace("{", "(").replace("}", ")")  # braces would name a slot
    return own_label or LABELS.get(answer.id) or answer.id.replace("_", " ").capitalize()


def shown_args(pause: Pause) -> list[dict[str, Any]]:
    """Return the proposed arguments as the values that a gate shows."""
    if pause.proposal is None:
        return []
    properties = pause.form.get("properties", {}) if pause.form else {}
    return [_shown_arg(name, value, properties.get(name)) for name, value in pause.proposal.args.items()]


def _shown_arg(name: str, value: Any, schema: Any) -> dict[str, Any]:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    entry = {"name": name, "value": value, "shown": text[:MAX_ARGUMENT_CHARACTERS]}
    return {**entry, "sensitive": True} if is_sensitive(schema) else entry


def masked_question(pause: Pause, shown: list[dict[str, Any]]) -> str:
    """Return the question, with the secrets among the arguments masked: titles stand in lists and in mails."""
    return redactor_for_values(sensitive_texts(shown))(pause.question)


_LINK = re.compile(r"!?\[([^\]\n]*)\]\((?:[^()\n]|\([^()\n]*\))*\)")
_MARKS = re.compile(r"\*\*|~~|`")


def _plain_line(line: str) -> str:
    return _MARKS.sub("", _LINK.sub(r"\1", line)).strip("#>*_- ")


def title_of(question: str) -> str:
    """Return the first line of a question without its markdown marks, short enough for a row of a list."""
    lines = (_plain_line(line) for line in question.splitlines())
    line = " ".join(next((line for line in lines if line), "?").split())
    return line if len(line) <= MAX_TITLE_CHARACTERS else f"{line[: MAX_TITLE_CHARACTERS - 1]}…"
