"""An assistant's scenarios as rows: saving and reading documents, and making one of a conversation."""

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from ruamel.yaml import YAML

from dialogue.library.documents.folders import SUFFIX
from dialogue.models import Assistant, Conversation, ScenarioDocument
from dialogue.models import Scenario as ScenarioRow
from dialogue.models.account import Account
from dialogue.scenarios.format.files import Scenario, ScenarioFile
from dialogue.scenarios.format.reading import read_text
from dialogue.scenarios.format.recording import record_scenario
from dialogue.turns import clock

MAX_NAME_CHARACTERS = 100


class StaleDocument(Exception):
    """Another author saved these scenarios after you opened them; `theirs` is the document as it stands now."""

    def __init__(self, theirs: ScenarioDocument) -> None:
        super().__init__(self.__doc__)
        self.theirs = theirs


class NameTaken(Exception):
    """There is a scenario document of this name already."""


@dataclass(frozen=True)
class Edit:
    """An author's text of a document; `base` is the version that it was made from, 0 for a new document."""

    name: str
    text: str
    base: int = 0


@transaction.atomic
def save_document(assistant: Assistant, edit: Edit, by: Account | None) -> ScenarioDocument:
    """Keep the text, and make a row of every scenario in it. Raises FlowProblems, StaleDocument, NameTaken."""
    file = read_text(edit.text, edit.name + SUFFIX)
    existing = ScenarioDocument.objects.select_for_update().filter(assistant=assistant, name=edit.name).first()
    if existing is None:
        fields = {"assistant": assistant, "name": edit.name, "text": edit.text}
        document = ScenarioDocument.objects.create(**fields, saved_by=by, saved_at=clock.now())
    else:
        document = _update_document(existing, edit, by)
    _make_rows(document, file)
    return document


def replace_document(assistant: Assistant, name: str, text: str, by: Account | None = None) -> ScenarioDocument:
    """Keep the text in place of whatever has this name. Raises FlowProblems."""
    existing = ScenarioDocument.objects.filter(assistant=assistant, name=name).first()
    return save_document(assistant, Edit(name, text, existing.version if existing else 0), by)


def record_conversation(conversation: Conversation, name: str, by: Account | None) -> ScenarioDocument:
    """A document of one scenario that plays this conversation again. Raises NameTaken."""
    assistant = conversation.assistant
    if ScenarioDocument.objects.filter(assistant=assistant, name=document_name(name)).exists():
        raise NameTaken(name)
    text = yaml_text(json.loads(record_scenario(conversation, name, f"../assistants/{assistant.name}")))
    document = save_document(assistant, Edit(document_name(name), text), by)
    if has_real_messages(conversation):
        document.origin = conversation
        document.save(update_fields=["origin"])
    return document


def has_real_messages(conversation: Conversation) -> bool:
    """Whether a real person wrote this conversation, or the one that it was forked from."""
    trial = getattr(conversation, "trial", None)
    return trial.private if trial else not conversation.test


def document_name(title: str) -> str:
    """The name of a document for a title that a person typed: lowercase letters, digits and underscores."""
    letters = "".join(
        character if character.isalnum() and character.isascii() else "_" for character in title.strip().casefold()
    )
    return "_".join(part for part in letters.split("_") if part)[:MAX_NAME_CHARACTERS] or "scenario"


def yaml_text(plain: Mapping[str, Any]) -> str:
    """Plain data as a text that people can edit."""
    writer = YAML(typ="safe", pure=True)
    writer.default_flow_style = False
    writer.allow_unicode = True
    writer.width = 110
    writer.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    stream = io.StringIO()
    writer.dump(dict(plain), stream)
    return stream.getvalue()


def _update_document(document: ScenarioDocument, edit: Edit, by: Account | None) -> ScenarioDocument:
    if edit.base == 0:
        raise NameTaken(edit.name)
    if edit.base != document.version:
        raise StaleDocument(document)
    document.text, document.saved_by, document.saved_at = edit.text, by, clock.now()
    document.version += 1
    document.save(update_fields=["text", "version", "saved_by", "saved_at"])
    return document


def _make_rows(document: ScenarioDocument, file: ScenarioFile) -> None:
    """What was run before is known no more: its text may have changed."""
    document.scenarios.all().delete()
    ScenarioRow.objects.bulk_create(
        ScenarioRow(
            assistant=document.assistant,
            document=document,
            place=index,
            title=scenario.name[:300],
            turns=len(scenario.turns),
            gates=_gate_count(scenario),
        )
        for index, scenario in enumerate(file.scenarios)
    )


def _gate_count(scenario: Scenario) -> int:
    return sum(turn.operator is not None and turn.operator.submit is not None for turn in scenario.turns)
