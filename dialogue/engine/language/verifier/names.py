"""Names: every slot, step, flow and action that a flow mentions exists, and conditions fit their slots."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from dialogue.engine.expressions.conditions import Condition, ConditionRefused, Kind
from dialogue.engine.language.steps import (
    CONTINUE,
    END,
    AnyStep,
    Assign,
    Branch,
    Call,
    ForEach,
    Human,
    Loop,
    While,
)
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.flow_views import FlowView
from dialogue.engine.slots.models import has_field
from dialogue.engine.slots.templates import Template, Translated
from dialogue.engine.source.parser import DocumentPath
from dialogue.engine.source.phrases import Phrase, split_sentence
from dialogue.engine.source.problems import did_you_mean

REFUSAL_NAMES = frozenset({"value", "minimum", "maximum", "min_length", "max_length", "options"})
_KEYS_WITHOUT_SLOTS = frozenset({"title", "label"})
_PLACEHOLDER = re.compile(r"\{[a-z][a-z0-9_.|]*\}")
_REFERENCE_WORDS = {
    "slot": Phrase("slot"),
    "child_slot": Phrase("slot"),
    "step": Phrase("step"),
    "flow": Phrase("flow"),
    "action": Phrase("action"),
    "event": Phrase("event"),
}


def check_names(view: FlowView) -> Iterator[Finding]:
    """Yield unknown names, steps with the same name, jumps into loops, and errors in templates and conditions."""
    yield from _check_step_names(view)
    for path, step in view.steps_with_paths:
        yield from _check_references(view, path, step)
    yield from _check_jumps(view)
    yield from _check_texts(view)
    yield from _check_plain_texts(view)
    yield from _check_conditions(view)
    yield from _check_examples(view)


def _check_step_names(view: FlowView) -> Iterator[Finding]:
    step_names: set[str] = set()
    for path, step in view.steps_with_paths:
        if step.step in step_names:
            text = Phrase("two steps have the name `{step}`", step=step.step)
            yield view.error("duplicate_step", (*path, "step"), text, Phrase("Give one of them another name"))
        if step.step == END:
            yield view.error(
                "reserved",
                (*path, "step"),
                Phrase("`end` is the name of the flow's end"),
                Phrase("Choose another name"),
            )
        if isinstance(step, Human) and step.step in view.slots:
            text = Phrase(
                "`{step}` is both a slot and a human step, so `{{{step}.action}}` would be ambiguous", step=step.step
            )
            yield view.error("same_name", (*path, "step"), text, Phrase("Give the step another name"))
        step_names.add(step.step)


def _check_references(view: FlowView, path: DocumentPath, step: AnyStep) -> Iterator[Finding]:
    for reference in view.references_of[path]:
        if isinstance(step, Loop) and reference.path[len(path)] == "do":
            continue  # The steps of a loop are checked on their own.
        if isinstance(step, Human) and "bind" in reference.path and step.bind == step.show:
            continue  # `bind` is copied from `show`, which is checked already.
        if reference.name == CONTINUE and reference.kind == "step" and view.flow.loops_around(step.step):
            continue
        names = _known_names(view, step, reference.kind)
        if names is not None and reference.name not in names:
            word, name = _REFERENCE_WORDS[reference.kind], reference.name[:64]
            text = Phrase("there is no {word} `{name}`", word=word, name=name)
            advice = did_you_mean(reference.name, names) or Phrase("Declare the {word}", word=word)
            if word == "action":
                text = Phrase("the action `{name}` has no contract", name=name)
                advice = did_you_mean(reference.name, names) or Phrase("Declare the action")
            if word == "step" and name == CONTINUE:
                advice = Phrase("`continue` leads to the next round, inside a `for_each` only")
            yield view.error(
                f"unknown_{word}", reference.path, text, advice, on_key=reference.path[-1] == reference.name
            )


def _known_names(view: FlowView, step: AnyStep, kind: str) -> Iterable[str] | None:
    match kind:
        case "slot":
            return view.slots
        case "step":
            return view.targets
        case "flow":
            return {*view.assistant.flows, *view.broken}
        case "action":
            return view.assistant.actions
        case "event":
            return view.assistant.events
        case _:
            child = view.assistant.flows.get(step.flow) if isinstance(step, Call) else None
            return child.slots if child else None


def _check_jumps(view: FlowView) -> Iterator[Finding]:
    for path, references in view.references_of.items():
        for reference in references:
            target = view.paths.get(reference.name) if reference.kind == "step" else None
            loop = _loop_of(target) if target else ()
            if loop and path[: len(loop)] != loop:
                kind = next(step.type for loop_path, step in view.steps_with_paths if loop_path == loop)
                text = Phrase(
                    "`{name}` is inside a loop, which must start at its `{kind}`", name=reference.name, kind=kind
                )
                yield view.error(
                    "jump_into_loop", reference.path, text, Phrase("Lead to the `{kind}` step instead", kind=kind)
                )


def _loop_of(path: DocumentPath) -> DocumentPath:
    """Return the path of the innermost loop around a step; () outside of loops."""
    indexes = [index for index, key in enumerate(path) if key == "do"]
    return path[: indexes[-1]] if indexes else ()


def _check_texts(view: FlowView) -> Iterator[Finding]:
    for path, template in view.leaves:
        if not isinstance(template, Template) or _names_fields(path):
            continue
        yield from check_computed_text(view, path, template)
        names = _names_for(view, path)
        slots = view.assistant.slots if path == ("else_say",) else view.slots
        for name in sorted(name for name in template.slot_names - names if not has_field(slots, name)):
            text = Phrase("the text names `{{{name}}}`, but there is no such slot", name=name)
            language, offset = _place_of(name, template, view.assistant.language)
            finding = view.error("unknown_slot", path, text, did_you_mean(name, names), offset=offset)
            yield replace(finding, language=language)


def _place_of(name: str, template: Template, language: str) -> tuple[str, int]:
    """Return the language of the text that has the name, the author's own first, and where it stands in it."""
    texts = {language: template, **template.translations}
    places = ((language, words.text.find(name)) for language, words in texts.items())
    return next(((language, offset) for language, offset in places if offset >= 0), ("", 0))


def check_computed_text(view: FlowView, path: DocumentPath, template: Template) -> Iterator[Finding]:
    """Yield what is wrong with the expressions of a text, and expressions where no flow computes them."""
    for placeholder, expression in template.expressions.items():
        offset = max(template.text.find(placeholder) + 1, 0)
        if path[-1] not in ("message", "prompt") or "form" in path or path[0] not in ("steps", "slots"):
            text = Phrase(
                "the text has the expression `{{{placeholder}}}`, which is computed in messages and prompts only",
                placeholder=placeholder,
            )
            yield view.error(
                "expression", path, text, Phrase("Compute it with a set step, and name that slot"), offset=offset
            )
            continue
        findings = [*check_condition(view, path, expression, view.kinds, False)]
        yield from (replace(finding, offset=finding.offset + offset) for finding in findings)
        if not findings:
            yield from _check_shown(view, path, expression, offset)


def _check_shown(view: FlowView, path: DocumentPath, expression: Condition, offset: int) -> Iterator[Finding]:
    kind = expression.check_as_expression(view.kinds)
    value_kind = kind.item or kind if kind.name == "list" else kind
    if value_kind.name in ("object", "duration"):
        text = Phrase("`{expression}` is {kind}, which has no text", expression=expression, kind=kind.phrase)
        yield view.error("expression", path, text, Phrase("Name a field, such as pick(list, name)"), offset=offset)
    names = (name.partition(".")[0] for name in expression.slots_read(view.kinds))
    sensitive = next((name for name in sorted(names) if name in view.slots and view.slots[name].sensitive), "")
    if sensitive:
        text = Phrase(
            "`{expression}` is computed from `{sensitive}`, which is sensitive: its result would not be masked",
            expression=expression,
            sensitive=sensitive,
        )
        yield view.error(
            "expression", path, text, Phrase("Write {{{sensitive}}} itself", sensitive=sensitive), offset=offset
        )


def _names_fields(path: DocumentPath) -> bool:
    """Return whether a text names fields: the label of an object, or a text about each entry of a list."""
    # The model of the object and the check of messages look at these.
    return (path[-1] == "label" and "links" not in path) or (path[-1] == "line" and path[0] == "steps")


def _check_plain_texts(view: FlowView) -> Iterator[Finding]:
    for path, leaf in view.leaves:
        if not isinstance(leaf, Translated) or path[-1] not in _KEYS_WITHOUT_SLOTS:
            continue
        if placeholder := _literal_placeholder(view, path, leaf):
            text = Phrase(
                "`{placeholder}` is shown literally, because a {path} cannot name slots",
                placeholder=placeholder,
                path=path[-1],
            )
            advice = Phrase("Write it without a placeholder")
            if path in _gate_titles(view):
                text = Phrase(
                    "`{placeholder}` is shown literally, because there is no such slot", placeholder=placeholder
                )
                advice = did_you_mean(placeholder.strip("{}"), view.template_names) or advice
            yield view.warning("raw_placeholder", path, text, advice)


def _gate_titles(view: FlowView) -> frozenset[DocumentPath]:
    return frozenset((*path, "title") for path, step in view.steps_with_paths if isinstance(step, Human))


def _literal_placeholder(view: FlowView, path: DocumentPath, text: str) -> str:
    """Return the first placeholder that is shown as it stands, or ""; the title of a gate names slots."""
    placeholders = [match.group() for match in _PLACEHOLDER.finditer(text)]
    if path in _gate_titles(view):
        known = view.template_names
        placeholders = [mark for mark in placeholders if not set(mark.strip("{}").split("|")) <= known]
    return next(iter(placeholders), "")


def _names_for(view: FlowView, path: DocumentPath) -> frozenset[str]:
    if path == ("else_say",):
        # The flow has not started, so its own slots are empty.
        return frozenset(view.assistant.slots)
    if path[-1] == "invalid":
        return view.template_names | REFUSAL_NAMES
    forms = [fields for form_path, fields in view.forms if path[: len(form_path)] == form_path]
    return view.template_names.union(*forms) if forms else view.template_names


def _check_conditions(view: FlowView) -> Iterator[Finding]:
    if view.flow.else_say and not view.flow.guard:
        text = Phrase("this message is never sent, because the flow has no `if`")
        yield view.warning("no_guard", ("else_say",), text, Phrase("Add the `if`, or delete the message"))
    if view.flow.guard:
        yield from _check_guard(view, view.flow.guard)
    for path, step in view.steps_with_paths:
        shift = 1 if isinstance(step, Assign) else 0  # the equals sign before the expression
        for condition_path, condition, is_test in _conditions_of(view, step, path):
            for finding in check_condition(view, condition_path, condition, view.kinds, is_test):
                yield replace(finding, offset=finding.offset + shift)


def _check_guard(view: FlowView, guard: Condition) -> Iterator[Finding]:
    assistant_kinds = {name: kind for name, kind in view.kinds.items() if name in view.assistant.slots}
    for name, _ in guard.unknown_names(assistant_kinds):
        if name.name.partition(".")[0] in view.flow.slots:
            text = Phrase("`{name}` belongs to the flow, so it is empty before the flow starts", name=name.name)
            yield view.error("guard", ("if",), text, Phrase("Use slots of assistant.yaml"), offset=name.column - 1)
            return
    yield from check_condition(view, ("if",), guard, assistant_kinds, True)


def _conditions_of(view: FlowView, step: AnyStep, path: DocumentPath) -> Iterator[tuple[DocumentPath, Condition, bool]]:
    if isinstance(step, While):
        yield (*path, "condition"), step.condition, True
        return
    if isinstance(step, ForEach):
        yield (*path, "in"), step.entries, False
        yield from (((*path, "gather", name), expression, False) for name, expression in step.gather.items())
        return
    for leaf_path, leaf in view.leaves_of[path]:
        if isinstance(leaf, Condition):
            yield leaf_path, leaf, isinstance(step, Branch)


def check_condition(
    view: FlowView, path: DocumentPath, condition: Condition, kinds: Mapping[str, Kind], is_test: bool
) -> Iterator[Finding]:
    """Yield an unknown name in a condition, or kinds that do not fit together."""
    for name, names in condition.unknown_names(kinds):
        text = Phrase("the condition names `{name}`, but there is no such slot", name=name.name)
        yield view.error("unknown_slot", path, text, did_you_mean(name.name, names), offset=name.column - 1)
        return
    try:
        condition.check_as_test(kinds) if is_test else condition.check_as_expression(kinds)
    except ConditionRefused as error:
        reason, advice = split_sentence(str(error))
        yield view.error("condition", path, reason, advice, offset=error.column - 1)


def _check_examples(view: FlowView) -> Iterator[Finding]:
    for index, example in enumerate(view.flow.examples):
        try:
            names = Template(example).names
        except ValueError as error:
            text, advice = split_sentence(str(error))
            yield view.error("template", ("examples", index), text, advice)
            continue
        for name in sorted(names - set(view.flow.slots)):
            text = Phrase("the example marks `{{{name}}}`, but the flow has no such slot", name=name)
            yield view.error("unknown_slot", ("examples", index), text, did_you_mean(name, view.flow.slots))
