"""Choices from data: the list behind the options exists, its entries have the fields that are named, and types fit."""

from collections.abc import Iterator, Mapping

from dialogue.engine.language.documents import Assistant
from dialogue.engine.language.steps import AnyStep, Collect, Human
from dialogue.engine.language.verifier.called_flows.failures import is_failure_handled
from dialogue.engine.language.verifier.choices.entries import check_entries
from dialogue.engine.language.verifier.choices.sources import OptionScope, check_source, entry_of
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.flow_views import FlowView, kind_of
from dialogue.engine.slots.candidates import stores_records
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.option_sources import DataOptions, OptionsFrom
from dialogue.engine.source.parser import DocumentPath
from dialogue.engine.source.phrases import Phrase

_KEYS_OF_CHOICES = ("on_empty", "on_error", "single")


def check_data_choices(view: FlowView) -> Iterator[Finding]:
    """Yield errors in the options from data of a flow's slots and forms, and keys that only such a choice has."""
    yield from _check_slots(
        OptionScope(view.flow.flow, view.slots, view.kinds, view.assistant.actions), view.flow.slots
    )
    for path, step in view.steps_with_paths:
        if isinstance(step, Human):
            yield from _check_form(view, path, step)
        if isinstance(step, Collect) and step.slot in view.slots:
            yield from _check_question(view, path, step, view.slots[step.slot])


def _scope_of(view: FlowView) -> OptionScope:
    return OptionScope(view.flow.flow, view.slots, view.kinds, view.assistant.actions)


def check_shared_choices(assistant: Assistant) -> Iterator[Finding]:
    """Yield errors in the options from data of the assistant's slots, contracts and records."""
    kinds = {name: kind_of(slot) for name, slot in assistant.slots.items()}
    yield from _check_slots(OptionScope("", assistant.slots, kinds, assistant.actions), assistant.slots)
    for name, contract in assistant.actions.items():
        for part, slots in (("inputs", contract.inputs), ("outputs", contract.outputs)):
            yield from _refuse_in("", slots, ("actions", name, part), Phrase("an action"))
    for name, record in assistant.records.items():
        yield from _refuse_in("", record.fields, ("records", name, "fields"), Phrase("a record"))


def _check_slots(scope: OptionScope, slots: Mapping[str, Slot]) -> Iterator[Finding]:
    for name, slot in slots.items():
        path = options_path(slot, ("slots", name))
        if path and slot.options_from is not None:
            yield from _check_options(scope, path, slot, slot.options_from)
        yield from _refuse_in(scope.flow, slot.fields, ("slots", name, "fields"), Phrase("an object"))


def options_path(slot: Slot, path: DocumentPath) -> DocumentPath:
    """Return the path of the mapping that names the data, or () without one."""
    if isinstance(slot.options, DataOptions):
        return (*path, "options")
    return options_path(slot.items, (*path, "items")) if slot.items is not None else ()


def _refuse_in(flow: str, slots: Mapping[str, Slot], path: DocumentPath, where: str) -> Iterator[Finding]:
    """Yield an error for each part of a record or a contract that takes its options from data."""
    for name, slot in slots.items():
        # The fields of a record that a slot has by its name are reported where the record is declared.
        if (found := options_path(slot, (*path, name))) and not slot.record:
            text = Phrase("options from data are chosen by users, so a part of {where} cannot have them", where=where)
            yield Finding(
                "data_options", "error", flow, found, text, Phrase("Give the options to the slot that is collected")
            )
        if not slot.record:
            yield from _refuse_in(flow, slot.fields, (*path, name, "fields"), where)


def _check_form(view: FlowView, path: DocumentPath, step: Human) -> Iterator[Finding]:
    scope = _scope_of(view)
    for name, field in step.form.items():
        found, source = options_path(field, (*path, "form", name)), field.options_from
        if not found or source is None:
            continue
        if stores_records(field):
            text = Phrase(
                "`{name}` would hold whole records, but a form's choice holds the value of one field", name=name
            )
            yield scope.error("data_options", found, text, Phrase("Write type: choice and value: <field>"))
        else:
            yield from _check_options(scope, found, field, source)


def _check_options(scope: OptionScope, path: DocumentPath, slot: Slot, source: OptionsFrom) -> Iterator[Finding]:
    findings = tuple(check_source(scope, path, source))
    yield from findings
    entry = entry_of(scope, source)
    if entry is None or any(finding.severity == "error" for finding in findings):
        return
    yield from check_entries(scope, path, slot, source, entry)


def _check_question(view: FlowView, path: DocumentPath, step: Collect, slot: Slot) -> Iterator[Finding]:
    """Yield keys that only a choice from data has, and a source that fails without a way."""
    if slot.options_from is None:
        for key in (key for key in _KEYS_OF_CHOICES if key in step.model_fields_set):
            text = Phrase("`{slot}` has no options from data, so `{key}` has no meaning here", slot=step.slot, key=key)
            yield view.warning("no_data_options", (*path, key), text, Phrase("Delete the key"), on_key=True)
        return
    if step.buttons:
        text = Phrase("these buttons hide the options of `{slot}`", slot=step.slot)
        yield view.warning("hidden_options", (*path, "buttons"), text, Phrase("Delete the buttons"), on_key=True)
    if step.on_error is None and _may_fail(view, slot.options_from) and not is_failure_handled(view, step):
        text = Phrase("when `{source}` fails, the flow apologises and ends", source=slot.options_from.source)
        advice = Phrase("Write on_error: <step> to say what happens then, here or for the whole flow in its settings")
        yield view.warning("no_failure_branch", (*path, "slot"), text, advice)


def _may_fail(view: FlowView, source: OptionsFrom) -> bool:
    return source.source.split(".", maxsplit=1)[0] not in view.slots and source.source in view.assistant.actions


def source_names(view: FlowView, step: AnyStep) -> frozenset[str]:
    """Return the slots that a step reads for the options that it offers, without those that an action may miss."""
    slot = view.slots.get(step.slot) if isinstance(step, Collect) else None
    source = slot.options_from if slot is not None else None
    if source is None:
        return frozenset()
    if not _may_fail(view, source):
        return frozenset({source.source})
    contract = view.assistant.actions[source.source]
    required = {name for name, slot in contract.inputs.items() if slot.required}
    if source.inputs is None:
        return frozenset(required)
    return frozenset().union(*(source.inputs[name].slots_read(view.kinds) for name in required & source.inputs.keys()))
