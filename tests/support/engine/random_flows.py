"""Assistants made by chance: flows that the verifier accepts, with every type of step in them.

Steps lead forwards only, or round a loop; slots and steps have names of their own flow, so that a name says where it
belongs. JSON is YAML, so that the documents are written with json.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from dialogue.engine.language.compiler import Assistant, Slot, load_assistant

VALUES: Mapping[str, tuple[Any, ...]] = {
    "integer": (1, 2, 3),
    "boolean": (True, False),
    "choice": ("red", "green", "blue"),
    "text": ("Ursula", "Rome", "nothing special"),
    "file": tuple(
        {"id": "", "name": f"{name}.txt", "kind": "text", "size": 7, "digest": ""}
        for name in ("bill", "ticket", "note")
    ),
}
_ENTRIES: Mapping[str, tuple[Any, ...]] = {**VALUES, "text": ("a", "b", "c")}
"""What lists have in them, by the type of their items."""


def entries_of(slot: Slot | Mapping[str, Any]) -> tuple[Any, ...]:
    """Values for the items of this list."""
    if _is_from_data(slot):
        return VALUES["choice"]
    items = slot.get("items") if isinstance(slot, Mapping) else slot.items
    kind = items["type"] if isinstance(items, Mapping) else items.type if items else "text"
    return _ENTRIES[kind]


def values_of(slot: Slot | Mapping[str, Any]) -> tuple[Any, ...]:
    """Values that this slot takes."""
    kind = slot["type"] if isinstance(slot, Mapping) else slot.type
    if kind != "list":
        return VALUES[kind]
    first, second, third = entries_of(slot)
    filled = ([first, second], [first], [second, third, first])
    return filled if _is_from_data(slot) else (*filled, [])


def _is_from_data(slot: Slot | Mapping[str, Any]) -> bool:
    """Whether the slot has options from data, so that choosing none is no answer."""
    if isinstance(slot, Mapping):
        return isinstance(slot.get("options"), Mapping)
    return slot.options_from is not None


_SHAPES: Mapping[str, dict[str, Any]] = {
    "integer": {"type": "integer", "minimum": 0, "maximum": 9},
    "boolean": {"type": "boolean"},
    "choice": {"type": "choice", "options": ["red", "green", "blue"]},
    "text": {"type": "text"},
    "picked": {"type": "choice", "options": {"from": "things", "value": "code", "label": "{name}", "page_size": 2}},
    "narrowed": {"type": "choice", "options": {"from": "things", "value": "code", "when": "size < 4 or common > 5"}},
    "texts": {"type": "list", "items": {"type": "text"}},
    "colours": {"type": "list", "items": {"type": "choice", "options": ["red", "green", "blue"]}},
    "several": {"type": "list", "items": {"type": "text"}, "options": {"from": "things", "value": "code"}},
    "file": {"type": "file", "kinds": ["text"]},
    "files": {"type": "list", "items": {"type": "file", "kinds": ["text"]}},
    "fetched": {"type": "choice", "options": {"from": "find_things", "value": "code", "label": "{name}"}},
}
_TESTS: Mapping[str, tuple[str, ...]] = {
    "integer": ("{} > 1", "{} == 3", "not filled({})"),
    "boolean": ("{}", "not {}"),
    "choice": ("{} == 'red'", "{} in ['red', 'blue']", "{} != 'green'"),
    "text": ("{} == 'Rome'", "filled({})"),
    "list": ("count({}) > 1", "filled({})", "not filled({})"),
    "file": ("filled({})", "not filled({})"),
}


@dataclass(frozen=True)
class Plan:
    """How wild the flows may be: which types of steps beside questions, how many flows, how long each is.

    `orderly` flows read no slot before the question for it. `tied` flows need each other, take results of calls, have a
    way for failures and limits that are computed.
    """

    kinds: tuple[str, ...] = (
        "say",
        "ack",
        "set",
        "branch",
        "while",
        "each",
        "each",
        "call",
        "human",
        "confirm",
        "further",
        "action",
        "force",
        "failure",
        "wait",
        "signal",
        "timed",
    )
    flows: int = 3
    longest: int = 7
    orderly: bool = False
    tied: bool = True


WILD = Plan()
"""Everything there is."""

CALM = Plan(
    kinds=("say", "set", "branch", "branch", "call", "ack", "each"), flows=2, longest=8, orderly=True, tied=False
)
"""Nothing that acts, or that asks anybody twice: what was said once can be compared."""

FILL = {
    "flow": "fill",
    "description": "Fills the slot that other flows need.",
    "start": False,
    "slots": {"fill_s0": {"type": "boolean", "prompt": "Really?"}},
    "steps": [
        {"step": "fill_t0", "type": "collect", "slot": "fill_s0"},
        {"step": "fill_t1", "type": "branch", "cases": [{"when": "not fill_s0", "next": "end"}]},
        {"step": "fill_t2", "type": "collect", "slot": "common"},
    ],
}
SORRY = {
    "flow": "sorry",
    "description": "Says that something failed.",
    "start": False,
    "steps": [{"step": "sorry_t0", "type": "say", "message": "That failed.", "ack": True}],
}
RESULTS = ["done", "cancelled", "failed"]
THING = {"type": "object", "fields": {"code": {"type": "text"}, "name": {"type": "text"}, "size": {"type": "integer"}}}
THINGS = [
    {"code": "red", "name": "the red lamp", "size": 1},
    {"code": "green", "name": "the green lamp", "size": 2},
    {"code": "blue", "name": "the blue mug", "size": 3},
]
ACTIONS = {
    "look_up": {"inputs": {"what": "optional integer"}, "outputs": {"found": "integer"}, "idempotent": True},
    "find_things": {"inputs": {}, "outputs": {"things": {"type": "list", "items": THING}}, "effect": "none"},
}
STUBS = {"find_things": [{"returns": {"things": THINGS}}]}
"""What the actions return in conversations with these assistants."""


@st.composite
def assistants(draw: st.DrawFn, plan: Plan = WILD) -> Assistant:
    """An assistant with `plan.flows` flows, of which each may call later ones."""
    head: dict[str, Any] = {"version": 1, "assistant": "chance", "actions": ACTIONS}
    head["events"] = {"arrived": {"payload": {"count": "optional integer"}}}
    head["slots"] = {"common": {"type": "integer", "minimum": 0, "maximum": 9, "prompt": "Common?"}}
    head["slots"]["things"] = {"type": "list", "items": THING, "default": THINGS}
    head["settings"] = {"resume": draw(st.sampled_from(["auto", "ask"])), "max_depth": 4, "max_steps_per_turn": 60}
    if plan.tied and draw(st.booleans()):
        head["settings"]["on_error"] = "sorry"
    texts = {"assistant.yaml": json.dumps(head)}
    texts |= {f"{other['flow']}.yaml": json.dumps(other) for other in (FILL, SORRY) if plan.tied}
    slots: dict[str, dict[str, Any]] = {}
    for number in reversed(range(plan.flows)):
        document = draw(_flows(f"f{number}", slots, plan))
        slots[document["flow"]] = document["slots"]
        texts[f"{document['flow']}.yaml"] = json.dumps(document)
    return load_assistant(texts)


@st.composite
def _flows(draw: st.DrawFn, name: str, callable_: Mapping[str, dict[str, Any]], plan: Plan) -> dict[str, Any]:
    slots = {f"{name}_s{place}": draw(_slots()) for place in range(draw(st.integers(1, 4)))}
    asked = draw(st.permutations(list(slots)))
    steps: list[dict[str, Any]] = [{"type": "collect", "slot": each} for each in asked]
    extras = draw(st.lists(st.sampled_from(plan.kinds), max_size=plan.longest - len(steps)))
    extras += draw(st.sampled_from([[], ["each"]]))
    loop_slots: dict[str, dict[str, Any]] = {}
    for kind in extras:
        place = draw(st.integers(plan.orderly, len(steps)))
        asked_before = {each["slot"] for each in steps[:place] if each["type"] == "collect"} & set(slots)
        asked_before = asked_before or set(asked[:1])
        about = sorted(asked_before) if plan.orderly else sorted(slots)
        if kind == "each":
            if not loop_slots:
                loop_slots = _loop_slots(name)
                steps[place:place] = draw(_each(name, draw(st.sampled_from(about)), plan))
            continue
        steps.insert(place, draw(_extra(kind, draw(st.sampled_from(about)), slots, callable_)))
    steps.append({"type": "confirm", "message": _listing(slots), "on_deny": "end"})
    for place, step in enumerate(steps):
        step["step"] = f"{name}_t{place}"
    for place, step in enumerate(steps):
        draw(_with_targets(step, [each["step"] for each in steps[place + 1 :]]))
    flow = {
        "flow": name,
        "description": f"What {name} does.",
        "slots": {each: {**slot, "prompt": f"What is {each}?"} for each, slot in {**slots, **loop_slots}.items()},
        "steps": steps,
    }
    return draw(_tied(flow)) if plan.tied else flow


@st.composite
def _tied(draw: st.DrawFn, flow: dict[str, Any]) -> dict[str, Any]:
    """The flow with needs, a way for failures, results of its calls, and limits from another slot."""
    if draw(st.booleans()):
        flow["needs"] = {"common": "fill"}
    if draw(st.booleans()):
        flow["settings"] = {"on_error": flow["steps"][-1]["step"]}
    for step in flow["steps"]:
        if step["type"] == "call" and draw(st.booleans()):
            flow["slots"][f"{flow['flow']}_how"] = {"type": "choice", "options": RESULTS, "required": False}
            step["result"] = f"{flow['flow']}_how"
    for slot in flow["slots"].values():
        if slot["type"] == "integer" and draw(st.booleans()):
            slot["maximum"] = "=common + 1"
    return flow


def _listing(slots: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} is {{{name}}}" for name in slots)


@st.composite
def _slots(draw: st.DrawFn) -> dict[str, Any]:
    shape = _SHAPES[draw(st.sampled_from(sorted(_SHAPES)))]
    return {**shape, "required": draw(st.sampled_from([True, True, False]))}


@st.composite
def _extra(
    draw: st.DrawFn, kind: str, slot: str, slots: Mapping[str, dict[str, Any]], callable_: Mapping[str, dict[str, Any]]
) -> dict[str, Any]:
    match kind:
        case "set":
            return {"type": "set", "slots": {slot: draw(st.sampled_from(values_of(slots[slot])))}}
        case "branch":
            return {"type": "branch", "cases": [{"when": draw(_test_of(slot, slots)), "next": ""}]}
        case "while":
            return _loop(draw(_test_of(slot, slots)), slot)
        case "call" if callable_:
            return draw(_call(slots, callable_))
        case _:
            return _plain_step(kind, slot)


def _plain_step(kind: str, slot: str) -> dict[str, Any]:
    match kind:
        case "say" | "ack":
            return {"type": "say", "message": f"{slot} holds {{{slot}}}.", "ack": kind == "ack"}
        case "human":
            return _human(slot)
        case "wait" | "signal" | "timed":
            return _wait(kind, slot)
        case _:
            further = {"value": "other", "label": "Something else", "next": "end"}
            answers = {"options": ["Yes", "No", further]} if kind == "further" else {}
            return {"type": "confirm", "message": f"{slot} is {{{slot}}}?", "on_deny": "end", **answers}


def _wait(kind: str, slot: str) -> dict[str, Any]:
    """A wait for a time or an event, or a question with a reminder and a time limit."""
    limit = {"timeout": "1d", "on_timeout": ""}
    if kind == "wait":
        return {"type": "wait", "for": "2d"}
    if kind == "signal":
        return {"type": "wait", "event": "arrived", "outputs": {"count": "common"}, **limit}
    return {"type": "collect", "slot": slot, "reminder": {"after": "1h"}, **limit}


@st.composite
def _test_of(draw: st.DrawFn, slot: str, slots: Mapping[str, dict[str, Any]]) -> str:
    return draw(st.sampled_from(_TESTS[slots[slot]["type"]])).format(slot)


def _loop(test: str, slot: str) -> dict[str, Any]:
    body = [{"type": "collect", "slot": slot, "force": True}, {"type": "say", "message": f"Now {{{slot}}}."}]
    return {"type": "while", "condition": test, "do": body, "max_iterations": 3}


def _loop_slots(name: str) -> dict[str, dict[str, Any]]:
    """The slots of the one loop over a list that a flow may have: the list, what each entry is asked, what is kept."""
    entries: dict[str, Any] = {"type": "list", "items": {"type": "text"}}
    kept = {"type": "list", "items": {"type": "integer"}, "required": False}
    return {f"{name}_l": entries, f"{name}_p": _SHAPES["integer"], f"{name}_k": kept}


@st.composite
def _each(draw: st.DrawFn, name: str, slot: str, plan: Plan) -> list[dict[str, Any]]:
    """The question for a list, and a loop over it that asks something about each entry."""
    entry, asked = f"{name}_e", f"{name}_p"
    skip = {"type": "branch", "cases": [{"when": f"{asked} == 2", "next": "continue"}]}
    told = {"type": "say", "message": f"{{{entry}}} has {{{asked}}} beside {{{slot}}}."}
    gate = {**_human(asked), "show": [entry, asked], "next": {"approve": "", "refuse": "continue"}}
    more: list[dict[str, Any]] = (
        [skip, told] if plan.orderly else [skip, told, gate, _plain_step("action", slot), _plain_step("ack", asked)]
    )
    body = [{"type": "collect", "slot": asked}, *draw(st.lists(st.sampled_from(more), max_size=3)), told]
    loop = {"type": "for_each", "item": entry, "in": f"{name}_l", "per_item": [asked], "gather": {f"{name}_k": asked}}
    return [{"type": "collect", "slot": f"{name}_l"}, {**loop, "do": [{**step} for step in body]}]


@st.composite
def _call(
    draw: st.DrawFn, slots: Mapping[str, dict[str, Any]], callable_: Mapping[str, dict[str, Any]]
) -> dict[str, Any]:
    flow = draw(st.sampled_from(sorted(callable_)))
    pairs = [
        (own, theirs)
        for own, mine in slots.items()
        for theirs, other in callable_[flow].items()
        if (mine["type"], mine.get("items")) == (other["type"], other.get("items"))
    ]
    outputs = dict(draw(st.lists(st.sampled_from(pairs), max_size=1))) if pairs else {}
    inputs = {theirs: own for own, theirs in draw(st.lists(st.sampled_from(pairs), max_size=1))} if pairs else {}
    return {"type": "call", "flow": flow, "inputs": inputs, "outputs": outputs}


def _human(slot: str) -> dict[str, Any]:
    return {
        "type": "human",
        "title": "Decide",
        "show": [slot],
        "actions": [{"id": "approve", "style": "primary"}, {"id": "refuse"}],
        "timeout": "1h",
        "on_timeout": "refuse",
        "next": {"approve": "", "refuse": "end"},
    }


@st.composite
def _with_targets(draw: st.DrawFn, step: dict[str, Any], later: list[str]) -> None:
    """Fill in where the step leads: always forwards."""
    ahead = st.sampled_from([*later, "end"])
    if step["type"] == "branch":
        step["cases"][0]["next"] = draw(ahead)
    if "on_timeout" in step and step["type"] != "human":
        step["on_timeout"] = draw(ahead)
    if step["type"] == "human":
        step["next"]["approve"] = later[0] if later else "end"
    for place, inner in enumerate(step.get("do", ())):
        inner["step"] = f"{step['step']}_{place}"
    for inner, following in zip(step.get("do", ()), step.get("do", ())[1:], strict=False):
        if inner["type"] == "human":
            inner["next"] = {**inner["next"], "approve": following["step"]}
