"""assistant.yaml: its slots, its actions, its knowledge and the responses that it overrides."""

from collections.abc import Callable, Collection, Iterator

from dialogue.engine.language.documents import ActionContract, Assistant
from dialogue.engine.language.verifier.declared_slots import check_slots
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.names import REFUSAL_NAMES
from dialogue.engine.slots.builtin_responses import placeholder_names, response_keys
from dialogue.engine.slots.file_values import file_slot_of
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.templates import Template, is_language_tag
from dialogue.engine.source.parser import DocumentPath
from dialogue.engine.source.phrases import Phrase
from dialogue.engine.source.problems import did_you_mean, nearest_name

SignatureCheck = Callable[[str, ActionContract], str]
"""Returns why the Python function of this name does not fit this contract, or ""."""


def check_assistant(
    assistant: Assistant, registered: Collection[str] | None = None, signature_check: SignatureCheck | None = None
) -> Iterator[Finding]:
    """Yield errors in slots, contracts, knowledge and responses; `registered` names the Python actions, if known."""
    if registered is not None:
        yield from _check_registered(assistant, registered)
    if signature_check is not None:
        yield from _check_functions(assistant, signature_check)
    for name, record in assistant.records.items():
        yield from check_slots("", record.fields, ("records", name, "fields"))
    yield from check_slots("", assistant.slots)
    for name, contract in assistant.actions.items():
        yield from check_slots("", contract.inputs, ("actions", name, "inputs"))
        yield from check_slots("", contract.outputs, ("actions", name, "outputs"))
        yield from _check_effect(("actions", name), contract)
        yield from _check_file_outputs(("actions", name, "outputs"), contract)
    for name, event in assistant.events.items():
        yield from check_slots("", event.payload, ("events", name, "payload"))
    yield from _check_texts(assistant)
    yield from _check_phrases(assistant)
    yield from _check_responses(assistant)


def _check_phrases(assistant: Assistant) -> Iterator[Finding]:
    """Yield an error for each phrase that stands for two acts."""
    acts: dict[str, str] = {}
    for act in type(assistant.phrases).model_fields:
        for number, phrase in enumerate(getattr(assistant.phrases, act)):
            words = " ".join(phrase.casefold().split())
            if words in acts:
                text = Phrase("`{phrase}` stands under `{act}` too", phrase=phrase[:64], act=acts[words])
                yield Finding("phrase", "error", "", ("phrases", act, number), text, Phrase("Delete one of them"))
            acts.setdefault(words, act)


def _check_registered(assistant: Assistant, registered: Collection[str]) -> Iterator[Finding]:
    for name in (action for action in assistant.actions if action not in registered):
        text = Phrase("no Python action is registered as `{name}`", name=name)
        near = nearest_name(name, registered)
        advice = (
            Phrase("Did you mean `{match}`?", match=near)
            if near
            else Phrase('Register it with @registry.action("{name}")', name=name)
        )
        yield Finding("unregistered_action", "error", "", ("actions", name), text, advice, on_key=True)


def _check_functions(assistant: Assistant, signature_check: SignatureCheck) -> Iterator[Finding]:
    """Yield an error for each contract whose Python function does not fit it."""
    for name, contract in assistant.actions.items():
        if problem := signature_check(name, contract):
            advice = Phrase(
                "Register one function, def {name}(inputs, *, key, conversation), with the version of the contract",
                name=name,
            )
            yield Finding("action_signature", "error", "", ("actions", name), problem, advice, on_key=True)


def _check_effect(path: DocumentPath, contract: ActionContract) -> Iterator[Finding]:
    """Yield what makes no sense for an action that only reads."""
    if not contract.only_reads:
        return
    if not contract.outputs:
        text = Phrase("an action without outputs and without an effect does nothing")
        advice = Phrase("Declare its outputs, or delete `effect: none`")
        yield Finding("effect", "warning", "", (*path, "effect"), text, advice, on_key=True)
    if "idempotent" in contract.model_fields_set and not contract.idempotent:
        text = Phrase("`idempotent: false` has no meaning beside `effect: none`, which may always be repeated")
        advice = Phrase("Delete `idempotent`, or `effect` if a call does change something")
        yield Finding("effect", "warning", "", (*path, "idempotent"), text, advice, on_key=True)


def _check_file_outputs(path: DocumentPath, contract: ActionContract) -> Iterator[Finding]:
    """Yield outputs that are files: only people send files."""
    for name, slot in contract.outputs.items():
        if file_slot_of(slot) is not None:
            text = Phrase("`{name}` is a file, and an action cannot return one", name=name)
            advice = Phrase("Return its address as a text, and show it with `links`")
            yield Finding("file_output", "error", "", (*path, name), text, advice, on_key=True)


def _check_texts(assistant: Assistant) -> Iterator[Finding]:
    slots = frozenset(assistant.slots)
    for topic, entry in assistant.knowledge.items():
        yield from _check_template(("knowledge", topic, "answer"), entry.answer, slots)
    for record_name, record in assistant.records.items():
        for name, field in record.fields.items():
            yield from _check_slot_texts(("records", record_name, "fields", name), field, slots)
    for name, slot in assistant.slots.items():
        yield from _check_slot_texts(("slots", name), slot, slots)


def _check_slot_texts(path: DocumentPath, slot: Slot, slots: frozenset[str]) -> Iterator[Finding]:
    for key, known_names in (("prompt", slots), ("invalid", slots | REFUSAL_NAMES)):
        template = getattr(slot, key)
        if template:
            yield from _check_template((*path, key), template, known_names)


def _check_template(path: DocumentPath, template: Template, known_names: frozenset[str]) -> Iterator[Finding]:
    for name in sorted(template.names - known_names):
        text = Phrase("the text names `{{{name}}}`, which has no value here", name=name)
        yield Finding("unknown_slot", "error", "", path, text, did_you_mean(name, known_names))


def _check_responses(assistant: Assistant) -> Iterator[Finding]:
    for key, variations in assistant.responses.items():
        path = ("responses", key)
        if key.split(":")[0] not in response_keys():
            text = Phrase("there is no response `{key}`", key=key[:64])
            yield Finding("unknown_response", "error", "", path, text, did_you_mean(key, response_keys()), on_key=True)
            continue
        for language, templates in variations.items():
            if not is_language_tag(language):
                text = Phrase("`{language}` is not a language tag", language=language[:64])
                yield Finding("language", "error", "", path, text, Phrase("Write one such as en or es"))
            for template in templates:
                yield from _check_template(path, template, placeholder_names(key) | frozenset(assistant.slots))
