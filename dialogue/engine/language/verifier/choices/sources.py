"""The data behind options: the list or the action that `from` names, and the inputs of the action."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dialogue.engine.expressions.conditions import Condition, ConditionRefused
from dialogue.engine.expressions.kinds import Kind
from dialogue.engine.language.documents import ActionContract
from dialogue.engine.language.verifier.contracts import fits_kind
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.flow_views import kind_of
from dialogue.engine.slots.display import field_slot
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.option_sources import OptionsFrom
from dialogue.engine.source.parser import DocumentPath
from dialogue.engine.source.phrases import Phrase, split_sentence
from dialogue.engine.source.problems import did_you_mean


@dataclass(frozen=True)
class OptionScope:
    """What options may name: slots with their kinds, and actions. `flow` is "" for the assistant's own slots."""

    flow: str
    slots: Mapping[str, Slot]
    kinds: Mapping[str, Kind]
    actions: Mapping[str, ActionContract]

    def error(self, rule: str, path: DocumentPath, text: str, advice: str = "", *, offset: int = 0) -> Finding:
        return Finding(rule, "error", self.flow, path, text, advice, offset)

    def warning(self, rule: str, path: DocumentPath, text: str, advice: str = "") -> Finding:
        return Finding(rule, "warning", self.flow, path, text, advice)


def refused_expression(scope: OptionScope, path: DocumentPath, error: ConditionRefused) -> Finding:
    text, advice = split_sentence(str(error))
    return scope.error("condition", path, text, advice, offset=error.column - 1)


def source_slot(scope: OptionScope, source: OptionsFrom) -> Slot | None:
    """Return the slot or field that the source names, or the result of the action, or None."""
    head, _, rest = source.source.partition(".")
    slot = scope.slots.get(head)
    if slot is not None:
        return field_slot(slot, rest) if rest else slot
    contract = scope.actions.get(source.source)
    return next(iter(contract.outputs.values()), None) if contract and len(contract.outputs) == 1 else None


def entry_of(scope: OptionScope, source: OptionsFrom) -> Slot | None:
    listed = source_slot(scope, source)
    return (listed.items or Slot(type="text")) if listed is not None and listed.type == "list" else None


def check_source(scope: OptionScope, path: DocumentPath, source: OptionsFrom) -> Iterator[Finding]:
    """Yield errors in `from` and `inputs`."""
    head, contract = source.source.split(".", maxsplit=1)[0], scope.actions.get(source.source)
    if head in scope.slots:
        slot = source_slot(scope, source)
        if slot is None or slot.type != "list":
            found = Phrase("is {kind}", kind=kind_of(slot).phrase) if slot else Phrase("does not exist")
            text = Phrase("`{source}` {found}, but options come from a list", source=source.source, found=found)
            yield scope.error(
                "options_source", (*path, "from"), text, Phrase("Name a slot or a field of the type list")
            )
        if source.inputs is not None:
            text = Phrase("`{source}` is a slot, so it has no inputs", source=source.source)
            yield scope.error("options_source", (*path, "inputs"), text, Phrase("Delete the key"))
    elif contract is None:
        text, names = (
            Phrase("`{source}` is neither a slot nor an action", source=source.source),
            {*scope.slots, *scope.actions},
        )
        advice = did_you_mean(source.source, names) or Phrase("Name a list or an action that returns one")
        yield scope.error("options_source", (*path, "from"), text, advice)
    else:
        yield from _check_action(scope, path, source, contract)


def _check_action(
    scope: OptionScope, path: DocumentPath, source: OptionsFrom, contract: ActionContract
) -> Iterator[Finding]:
    if [output.type for output in contract.outputs.values()] != ["list"]:
        text = Phrase("the action `{source}` does not return exactly one list", source=source.source)
        yield scope.error(
            "options_source", (*path, "from"), text, Phrase("Give its contract one output of the type list")
        )
    if not contract.only_reads:
        text = Phrase(
            "`{source}` is called whenever its options are needed, but it may have an effect", source=source.source
        )
        yield scope.warning(
            "options_effect", (*path, "from"), text, Phrase("Write effect: none in its contract if it only reads")
        )
    given = source.inputs if source.inputs is not None else {}
    for name, expression in given.items():
        if name not in contract.inputs:
            text = Phrase("the action `{source}` has no input `{name}`", source=source.source, name=name)
            yield scope.error("unknown_input", (*path, "inputs", name), text, did_you_mean(name, contract.inputs))
        else:
            yield from _check_input(scope, (*path, "inputs", name), expression, contract.inputs[name])
    names = set(scope.slots) if source.inputs is None else set(given)
    for name in (name for name, slot in contract.inputs.items() if slot.required and name not in names):
        text = Phrase("the action `{source}` needs the input `{name}`", source=source.source, name=name)
        yield scope.error("missing_input", (*path, "from"), text, Phrase("Write inputs: {{{name}: <slot>}}", name=name))


def _check_input(scope: OptionScope, path: DocumentPath, expression: Condition, expected: Slot) -> Iterator[Finding]:
    for name, names in expression.unknown_names(scope.kinds):
        text = Phrase("the input names `{name}`, but there is no such slot", name=name.name)
        yield scope.error("unknown_slot", path, text, did_you_mean(name.name, names), offset=name.column - 1)
        return
    try:
        kind = expression.check_as_expression(scope.kinds)
    except ConditionRefused as error:
        yield refused_expression(scope, path, error)
        return
    if not fits_kind(kind, kind_of(expected)):
        text = Phrase(
            "`{expression}` is {kind}, but the input `{name}` has the type {type}",
            expression=expression,
            kind=kind.phrase,
            name=expected.name,
            type=expected.type,
        )
        yield scope.error("wrong_type", path, text, Phrase("Give the input a value of that type"))
