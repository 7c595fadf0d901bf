"""The entries behind options: their fields, the test that lets them through, and what the slot stores of them."""

from collections.abc import Iterator

from dialogue.engine.expressions.conditions import ConditionRefused
from dialogue.engine.language.verifier.choices.sources import OptionScope, refused_expression
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.flow_views import kind_of
from dialogue.engine.slots.candidates import ENTRY_NAME, key_path, stores_records
from dialogue.engine.slots.display import field_slot
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.option_sources import OptionsFrom
from dialogue.engine.source.parser import DocumentPath
from dialogue.engine.source.phrases import Phrase
from dialogue.engine.source.problems import did_you_mean


def check_entries(
    scope: OptionScope, path: DocumentPath, slot: Slot, source: OptionsFrom, entry: Slot
) -> Iterator[Finding]:
    """Yield errors in what the options say about the entries, of which `entry` is the slot."""
    yield from _check_names(scope, path, source, entry)
    yield from _check_test(scope, path, source, entry)
    yield from _check_stored(scope, path, slot, source, entry)


def _check_names(scope: OptionScope, path: DocumentPath, source: OptionsFrom, entry: Slot) -> Iterator[Finding]:
    """Yield fields that the entries do not have, in `value`, `attributes` and `label`, and labels that show secrets."""
    named = [((*path, "value"), source.value)] if source.value else []
    named += [((*path, "attributes", index), name) for index, name in enumerate(source.attributes)]
    named += [((*path, "label"), name) for name in sorted(source.label.names)] if source.label else []
    for name_path, name in named:
        part = entry if name == ENTRY_NAME else field_slot(entry, name.removeprefix(f"{ENTRY_NAME}."))
        if part is not None:
            if part.sensitive and name_path[-1] == "label":
                text = Phrase(
                    "`{name}` is sensitive, but labels stand on buttons and stay in the transcript", name=name
                )
                yield scope.warning(
                    "sensitive_label", name_path, text, Phrase("Leave it out, or show a part that is not secret")
                )
            continue
        if not entry.fields:
            text = Phrase(
                "the entries of `{source}` are {kind_name}s without fields, so there is no `{name}`",
                source=source.source,
                kind_name=kind_of(entry).name,
                name=name,
            )
            advice = Phrase("Write {item} for the entry") if name_path[-1] == "label" else Phrase("Delete the key")
        else:
            text, advice = (
                Phrase("the entries of `{source}` have no field `{name}`", source=source.source, name=name),
                did_you_mean(name, entry.fields),
            )
        yield scope.error("unknown_field", name_path, text, advice)


def _check_test(scope: OptionScope, path: DocumentPath, source: OptionsFrom, entry: Slot) -> Iterator[Finding]:
    """Yield what is wrong in `when`, in which the fields of the entry go before slots of the same name."""
    if source.when is None:
        return
    kinds = {**scope.kinds, **kind_of(entry).fields, ENTRY_NAME: kind_of(entry)}
    for name, names in source.when.unknown_names(kinds):
        text = Phrase("`when` names `{name}`, which is neither a field of the entries nor a slot", name=name.name)
        advice = did_you_mean(name.name, names)
        yield scope.error("unknown_slot", (*path, "when"), text, advice, offset=name.column - 1)
        return
    try:
        source.when.check_as_test(kinds)
    except ConditionRefused as error:
        yield refused_expression(scope, (*path, "when"), error)


def _check_stored(
    scope: OptionScope, path: DocumentPath, slot: Slot, source: OptionsFrom, entry: Slot
) -> Iterator[Finding]:
    """Yield a record that the slot cannot hold, and a field that does not tell entries apart."""
    chosen = (slot.items or Slot(type="text")) if slot.type == "list" else slot
    if stores_records(slot) and set(chosen.fields) != set(entry.fields):
        text = Phrase(
            "`{name}` holds {chosen}, but an entry of `{source}` is {entry}",
            name=slot.name,
            chosen=_type_name(chosen),
            source=source.source,
            entry=_type_name(entry),
        )
        yield scope.error("wrong_type", (*path, "from"), text, Phrase("Give both the same record"))
    key = field_slot(entry, key_path(source, entry)) if entry.fields else None
    if key is not None and key.type in ("list", "object"):
        text = Phrase(
            "`{source}` is {kind}, which cannot tell entries apart",
            source=key_path(source, entry),
            kind=kind_of(key).phrase,
        )
        yield scope.error(
            "options_key", (*path, "value" if source.value else "from"), text, Phrase("Write value: <a text field>")
        )
    elif key is not None and key.sensitive and not slot.sensitive:
        text = Phrase(
            "`{source}` is sensitive, but it is what buttons and records name an option by",
            source=key_path(source, entry),
        )
        yield scope.warning(
            "sensitive_key", path, text, Phrase("Write value: <another field>, or sensitive: true at the slot")
        )


def _type_name(slot: Slot) -> str:
    return f"`{slot.record}`" if slot.record else kind_of(slot).phrase
