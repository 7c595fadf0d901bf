"""New assistants, each with a first flow that works: from one of the demo's, or from the smallest there is."""

import re
from collections.abc import Mapping
from pathlib import Path

from django.db import transaction

from dialogue.library.demo.seed import ASSISTANTS_FOLDER
from dialogue.library.documents.folders import OWN_FILE, load_folder
from dialogue.library.documents.graph_edits import name_from_words
from dialogue.library.documents.versions import store_documents
from dialogue.models import Assistant
from dialogue.models.account import Account

EMPTY_TEMPLATE = "empty"
FIRST_FLOW_BY_TEMPLATE = {EMPTY_TEMPLATE: "take_note", "bank": "transfer_money", "library": "reserve_book"}
"""The templates, each with the flow that its author looks at first."""
TEMPLATE_NAMES = tuple(FIRST_FLOW_BY_TEMPLATE)

MAX_NAME_NUMBER = 1_000
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")

_ASSISTANT_DOCUMENTS = {
    "en": """\
version: 1
assistant: {name}
title: {title}
description: {description}
language: {language}
knowledge:
  about:                          # what a question is answered from, without a flow
    questions: [What can you do?, Who are you?]
    answer: I take notes. Say “take a note” to begin.
""",
    "es": """\
version: 1
assistant: {name}
title: {title}
description: {description}
language: {language}
knowledge:
  about:                          # con esto se contesta una pregunta, sin ningún flujo
    questions: [¿Qué sabes hacer?, ¿Quién eres?]
    answer: Tomo notas. Escriba “tomar una nota” para empezar.
""",
}

_FIRST_FLOWS = {
    "en": """\
# A first flow: it asks two things, shows what it understood, and answers.
flow: take_note
title: take a note
description: Take down what somebody wants to be told.
examples:                         # how people ask for it
  - take a note
  - I want to leave a message
slots:
  who:  {type: text, description: Who leaves the note, prompt: What is your name?}
  note: {type: text, description: The note, prompt: What shall I write down?}
steps:
  - {step: ask_who, type: collect, slot: who}
  - {step: ask_note, type: collect, slot: note}
  - {step: check, type: confirm, message: "A note from {who}: {note}. Is that right?"}
  - {step: done, type: say, message: "Thank you, {who}. I have it."}
""",
    "es": """\
# Un primer flujo: pregunta dos cosas, muestra lo que ha entendido y contesta.
flow: take_note
title: tomar una nota
description: Anotar lo que alguien quiere que se sepa.
examples:                         # cómo lo pide la gente
  - tomar una nota
  - quiero dejar un recado
slots:
  who:  {type: text, description: Quién deja la nota, prompt: ¿Cómo se llama?}
  note: {type: text, description: La nota, prompt: ¿Qué quiere que anote?}
steps:
  - {step: ask_who, type: collect, slot: who}
  - {step: ask_note, type: collect, slot: note}
  - {step: check, type: confirm, message: "Una nota de {who}: {note}. ¿Es correcto?"}
  - {step: done, type: say, message: "Gracias, {who}. Queda anotado."}
""",
}
"""The documents of the smallest assistant by language; other languages begin with the English ones."""

_SATISFACTION_FILE = "satisfaction.yaml"
_SATISFACTION_FLOW = """\
# Two questions for the end of a flow. They are off. To turn them on, make this the last step of a flow:
#   - {step: rate, type: link, flow: satisfaction}
# The page Figures shows the answers; it finds them by the names of this flow and of its slots.
flow: satisfaction
title: {en: your opinion, es: su opinión}
description: Ask how satisfied the customer is and whether the request was solved.
start: false                      # it begins by a link only
slots:
  score:
    type: integer
    minimum: 1
    maximum: 5
    title: {en: rating, es: valoración}
    description: How satisfied the customer is, from 1 to 5
    prompt:
      en: "How satisfied are you, from 1 (not at all) to 5 (very)?"
      es: "¿Qué tan satisfecho está, de 1 (nada) a 5 (mucho)?"
  solved:
    type: boolean
    title: {en: solved, es: resuelto}
    description: Whether the request was solved
    prompt:
      en: Was your request solved?
      es: ¿Se resolvió su petición?
steps:
  - {step: ask_score, type: collect, slot: score}
  - {step: ask_solved, type: collect, slot: solved}
  - {step: thanks, type: say, message: {en: Thank you for your answer., es: Gracias por su respuesta.}}
"""


class NameRefused(Exception):
    """A name has lowercase letters, digits and underscores, begins with a letter, and no other assistant has it."""


class TemplateNotFound(Exception):
    """There is no template of that name."""


@transaction.atomic
def create_assistant(name: str, title: str, template: str, by: Account | None, language: str = "en") -> Assistant:
    """Keep a new assistant with its first flows, not yet published. Raises NameRefused, TemplateNotFound."""
    if not _NAME.fullmatch(name) or Assistant.objects.filter(name=name).exists():
        raise NameRefused(name)
    return store_documents(
        _template_documents(name, title.strip() or name, template, language), by, note=f"Begun from {template}"
    )


def name_from_title(title: str) -> str:
    """A name made from a title, such as "angel_s_bank" of "Ángel's bank"; "" without letters.

    A name in use gets a number.
    """
    name = name_from_words(title)
    names_in_use = (
        set(Assistant.objects.filter(name__startswith=name).values_list("name", flat=True)) if name else set()
    )
    candidates = (name, *(f"{name}_{number}" for number in range(2, MAX_NAME_NUMBER)))
    return next((candidate for candidate in candidates if candidate not in names_in_use), "")


def _template_documents(name: str, title: str, template: str, language: str) -> Mapping[str, str]:
    if template == EMPTY_TEMPLATE:
        spoken = language if language in _FIRST_FLOWS else "en"
        own_document = _ASSISTANT_DOCUMENTS[spoken].format(
            name=name, title=_quote_yaml(title), description=_quote_yaml(title), language=language
        )
        return {OWN_FILE: own_document, "take_note.yaml": _FIRST_FLOWS[spoken], _SATISFACTION_FILE: _SATISFACTION_FLOW}
    if template not in TEMPLATE_NAMES:
        raise TemplateNotFound(template)
    documents = load_folder(Path(ASSISTANTS_FOLDER) / template)
    own_document = _rename_assistant(documents[OWN_FILE], name, title)
    return {_SATISFACTION_FILE: _SATISFACTION_FLOW, **documents, OWN_FILE: own_document}


def _rename_assistant(text: str, name: str, title: str) -> str:
    """Only the lines of name and title change; comments and everything else stay."""
    text = re.sub(r"(?m)^assistant:.*$", lambda _found: f"assistant: {name}", text, count=1)
    return re.sub(r"(?m)^title:.*$", lambda _found: f"title: {_quote_yaml(title)}", text, count=1)


def _quote_yaml(text: str) -> str:
    """A text that YAML reads as text, whatever is in it."""
    line = " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{line}"'
