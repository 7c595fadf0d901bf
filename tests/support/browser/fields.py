"""Write an assistant in the fields of the editor: what an author does who never types YAML.

`write_assistant` and `write_flow` take the document that shall come out, as `read_source` gives it. They press, type
and choose with a hand: a mouse or a keyboard.
"""

import re
from collections.abc import Mapping
from typing import Any

from playwright.sync_api import Locator, Page, expect

Tree = Mapping[str, Any]
FLAGS = ("sensitive", "required", "idempotent", "four_eyes", "force")
OPERATORS = {"==": "is", ">": "is more than", "<": "is less than"}


class MouseHand:
    """Points at everything."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, target: Locator) -> None:
        target.click()

    def write(self, target: Locator, text: str) -> None:
        """Replace what stands in a field."""
        target.click()
        target.fill(text)

    def choose(self, target: Locator, words: str) -> None:
        """Choose an option by its words."""
        target.select_option(label=words)

    def delete_step(self, step: Locator) -> None:
        step.click()
        self.page.get_by_role("button", name="Delete", exact=True).click()


class KeyboardHand(MouseHand):
    """Has no pointer: Tab leads to everything."""

    def press(self, target: Locator) -> None:
        self._go_to(target)
        self.page.keyboard.press("Space" if target.evaluate("each => each.type === 'checkbox'") else "Enter")

    def write(self, target: Locator, text: str) -> None:
        self._go_to(target)
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(text)

    def choose(self, target: Locator, words: str) -> None:
        """Arrow keys in the open list, and Enter."""
        self._go_to(target)
        steps = target.evaluate(
            "(each, words) => [...each.options].findIndex(option => option.label === words) - each.selectedIndex", words
        )
        self.page.keyboard.press("Alt+ArrowDown")
        for _ in range(abs(steps)):
            self.page.keyboard.press("ArrowDown" if steps > 0 else "ArrowUp")
        self.page.keyboard.press("Enter")

    def delete_step(self, step: Locator) -> None:
        self._go_to(step)
        self.page.keyboard.press("Delete")

    def _go_to(self, target: Locator) -> None:
        expect(target).to_be_visible()
        key = "Shift+Tab" if target.evaluate(IS_BEFORE) else "Tab"
        for _ in range(160):
            if target.evaluate("each => each === document.activeElement"):
                return
            self.page.keyboard.press(key)
        raise AssertionError(f"Tab does not come to {target}")


IS_BEFORE = "each => Boolean(document.activeElement.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_PRECEDING)"


def begin_assistant(hand: MouseHand, url: str, name: str) -> None:
    """A new assistant with one small flow."""
    hand.page.goto(f"{url}/assistants/new/")
    hand.write(hand.page.get_by_label(re.compile("^Title")), "Title")
    hand.write(hand.page.get_by_label(re.compile("^Name")), name)
    hand.press(hand.page.get_by_role("button", name=re.compile("^(Begin|Create)")))
    hand.page.wait_for_url(re.compile("/take_note/"))


def write_assistant(hand: MouseHand, address: str, tree: Tree) -> None:
    """Fill the fields of an assistant's own document, and save it."""
    hand.page.goto(f"{address}assistant/")
    for key in ("title", "description"):
        hand.write(_row(hand, "", key).locator("input"), str(tree[key]))
    for name, contract in tree["actions"].items():
        _add_name(hand, "/actions", name)
        for key in ("inputs", "outputs"):
            for slot, slot_type in contract.get(key, {}).items():
                _add_name(hand, f"/actions/{name}/{key}", slot)
                _choose_type(hand, _row(hand, "", "actions", name, key, slot), slot_type)
        _write_contract(hand, name, contract)
    hand.press(hand.page.locator("[data-card='/knowledge/about'] > summary"))
    hand.press(hand.page.get_by_role("button", name="Remove about"))
    for topic, entry in tree["knowledge"].items():
        _add_name(hand, "/knowledge", topic)
        _write_list(hand, ("knowledge", topic, "questions"), entry["questions"], first=1)
        hand.write(_row(hand, "", "knowledge", topic, "answer").locator("textarea"), entry["answer"])
    _save(hand)


def _write_contract(hand: MouseHand, name: str, contract: Tree) -> None:
    hand.write(_row(hand, "", "actions", name, "description").locator("input"), contract["description"])
    if contract["idempotent"]:
        hand.press(_row(hand, "", "actions", name, "idempotent").locator("input"))
    if "timeout" in contract:
        hand.write(_row(hand, "", "actions", name, "timeout").locator("input"), contract["timeout"][:-1])
        hand.choose(_row(hand, "", "actions", name, "timeout").locator("select"), "seconds")


def write_flow(hand: MouseHand, address: str, tree: Tree) -> None:
    """Begin a flow and fill the fields of its steps and its own, and save it."""
    page = hand.page
    page.goto(address)
    hand.write(page.get_by_label("New flow").first, tree["flow"])
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(f"/{tree['flow']}/"))
    hand.delete_step(_step(hand, "done"))
    expect(_step(hand, "done")).to_have_count(0)
    _begin_steps(hand, tree)
    for step in tree["steps"]:
        _lead_on(hand, step)
    hand.press(page.get_by_role("button", name="Close"))
    for key in ("title", "description"):
        hand.write(_row(hand, "", key).locator("input"), tree[key])
    _write_list(hand, ("examples",), tree["examples"], first=1)
    _write_results(hand, tree)
    hand.press(page.locator("[data-card='/slots/answer'] > summary"))
    hand.press(page.get_by_role("button", name="Remove answer"))
    _save(hand)


def _write_results(hand: MouseHand, tree: Tree) -> None:
    """What the slots for results have besides their type, which comes from the contract."""
    for step in tree["steps"]:
        for slot in step.get("outputs", {}).values():
            if tree["slots"][slot].keys() - {"type", "required"}:
                card = hand.page.locator(f"[data-card='/slots/{slot}'] > summary")
                hand.press(card)
                _write_slot_keys(hand, slot, tree["slots"][slot])
                hand.press(card)


def _begin_steps(hand: MouseHand, tree: Tree) -> None:
    """All steps with what does not lead to another step."""
    first, *others = tree["steps"]
    _open(hand, "ask")
    last = "ask"
    if first["type"] == "collect":
        hand.write(_row(hand, "ask", "step").locator("input"), first["step"])
        hand.page.keyboard.press("Tab")
        _write_step(hand, first, tree)
        last = first["step"]
    else:
        others = [first, *others]
    for step in others:
        _add_step(hand, last, step)
        _write_step(hand, step, tree)
        last = step["step"]
    if first["type"] != "collect":
        hand.delete_step(_step(hand, "ask"))
        expect(_step(hand, "ask")).to_have_count(0)


def _add_step(hand: MouseHand, after: str, step: Tree) -> None:
    page = hand.page
    _open(hand, after)
    hand.press(page.locator("[data-act=add]"))
    dialog = page.locator("[data-dialog]")
    hand.choose(dialog.get_by_label("Type"), STEP_TYPES[step["type"]])
    hand.write(dialog.get_by_label("Name"), step["step"])
    hand.press(dialog.get_by_role("button", name="Add the step"))
    expect(dialog).to_be_hidden()
    expect(page.locator("[data-panel-title] b")).to_have_text(step["step"])
    expect(_row(hand, step["step"], "step")).to_be_visible()


STEP_TYPES = {
    "say": "Says something",
    "collect": "Asks for a value",
    "confirm": "Asks yes or no",
    "action": "Runs an action",
    "branch": "Decides by conditions",
    "human": "A person decides",
}


def _write_step(hand: MouseHand, step: Tree, tree: Tree) -> None:
    name = step["step"]
    match step["type"]:
        case "say" | "confirm":
            hand.write(_row(hand, name, "message").locator("textarea"), step["message"])
        case "collect":
            _write_slot(hand, name, step["slot"], tree["slots"][step["slot"]])
        case "action":
            hand.choose(_row(hand, name, "call").locator("select"), step["call"])
            for output in step.get("outputs", {}):
                hand.choose(_row(hand, name, "outputs", output).locator("select"), f"New slot… {output}")
        case "branch":
            _write_condition(hand, name, step["cases"][0]["when"])
        case "human":
            _write_decision(hand, step)
        case _:
            raise NotImplementedError(step["type"])


def _write_slot(hand: MouseHand, step: str, name: str, slot: Tree) -> None:
    hand.choose(_row(hand, step, "slot").locator("select"), "New slot…")
    created = hand.page.locator(f"[data-field='new {step}/slot']")
    hand.write(created.locator("input"), name)
    hand.choose(created.locator("select"), TYPES[slot["type"]])
    hand.press(created.get_by_role("button", name="Create"))
    expect(_row(hand, "", "slots", name, "prompt")).to_be_visible()
    _write_slot_keys(hand, name, slot)


TYPES = {"text": "Text", "integer": "Whole number", "money": "Money", "boolean": "Yes or no"}


def _write_slot_keys(hand: MouseHand, name: str, slot: Tree) -> None:
    for key, value in slot.items():
        row = _row(hand, "", "slots", name, key)
        if key == "type" or (key == "required" and not row.count()):
            continue
        if not row.count():
            slot_type = hand.page.locator(f"[data-field='/slots/{name}/type']")
            fields = hand.page.locator(".slot-fields", has=slot_type)
            offer = fields.locator(f"[data-adds={key}]")
            if not offer.is_visible():
                hand.press(fields.locator(".more-keys > summary"))
            hand.press(offer)
        if key in FLAGS:
            if row.locator("input").is_checked() != value:
                hand.press(row.locator("input"))
        else:
            hand.write(row.locator("input, textarea").first, str(value))


def _write_condition(hand: MouseHand, step: str, text: str) -> None:
    """Comparisons that are joined by "or"."""
    row = _row(hand, step, "cases", "0", "when")
    for index, part in enumerate(text.split(" or ")):
        hand.press(row.get_by_role("button", name="Add a condition"))
        term = row.locator(".term").nth(index)
        if index:
            hand.choose(term.get_by_label("And or or"), "or")
        slot, operator, value = [*part.split(), "", ""][:3] if part[:4] != "not " else (part[4:], "is no", "")
        hand.choose(term.get_by_label("Slot"), slot)
        hand.choose(term.get_by_label("Comparison"), OPERATORS.get(operator, operator))
        if value:
            hand.write(term.get_by_label("Value"), value.strip("'"))


def _write_decision(hand: MouseHand, step: Tree) -> None:
    name, page = step["step"], hand.page
    hand.write(_row(hand, name, "title").locator("input"), step["title"])
    hand.write(_row(hand, name, "message").locator("textarea"), step["message"])
    hand.write(_row(hand, name, "group").locator("input"), step["group"])
    hand.write(_row(hand, name, "timeout").locator("input"), step["timeout"][:-1])
    for slot in step["show"]:
        hand.choose(_row(hand, name, "show").locator("select"), slot)
    for number, (field, slot) in enumerate(step["form"].items(), 1):
        hand.press(page.get_by_role("button", name="Add a question"))
        question = _row(hand, name, "form", f"question_{number}")
        hand.write(question.get_by_label("Question", exact=True), slot["description"])
        hand.choose(question.get_by_label("Type", exact=True), TYPES[slot["type"]])
        for key, label in (("minimum", "Least value"), ("maximum", "Greatest value")):
            if key in slot:
                hand.write(question.get_by_label(label), str(slot[key]))
        hand.write(question.get_by_label("Name", exact=True), field)
        page.keyboard.press("Tab")
    for index, action in enumerate(step["actions"]):
        decision = _row(hand, name, "actions", str(index))
        hand.write(decision.get_by_label("Label", exact=True), action["label"])
        if action.get("style") == "primary":
            hand.choose(decision.get_by_label("Look", exact=True), "Approves")
        if action.get("reason"):
            hand.press(decision.get_by_label("Needs a reason"))
    hand.press(_row(hand, name, "four_eyes").locator("input"))


def _lead_on(hand: MouseHand, step: Tree) -> None:
    """The ways of a step, now that all steps are there."""
    name, targets = step["step"], step.get("next", {})
    ways: dict[tuple[str, ...], str] = {(key,): step[key] for key in ("on_error", "else") if key in step}
    if isinstance(targets, str):
        ways[("next",)] = targets
    for index, case in enumerate(step.get("cases", ())):
        ways[("cases", str(index), "next")] = case["next"]
    if not ways and not targets:
        return
    _open(hand, name)
    for path, target in ways.items():
        hand.choose(_row(hand, name, *path).locator("select"), target)
    if step["type"] == "human":
        for index, action in enumerate(step["actions"]):
            decision = _row(hand, name, "actions", str(index))
            hand.choose(decision.get_by_label(re.compile("^Next step after")), targets[action["id"]])


def _open(hand: MouseHand, step: str) -> None:
    title = hand.page.locator("[data-panel-title] b")
    expect(_step(hand, step)).to_have_count(1)
    if title.inner_text() != step or hand.page.locator(".code[data-views=fields]").count() == 0:
        hand.press(_step(hand, step))
    expect(title).to_have_text(step)


def _step(hand: MouseHand, name: str) -> Locator:
    return hand.page.locator(f"[data-graph] [data-step='{name}']")


def _row(hand: MouseHand, step: str, *path: str) -> Locator:
    return hand.page.locator(f"[data-panel-body] [data-field='{step}/{'/'.join(path)}']")


def _add_name(hand: MouseHand, place: str, name: str) -> None:
    """A new entry of a mapping, with Enter in the field for its name."""
    hand.write(hand.page.locator(f"[data-adds='{place}']"), name)
    hand.page.keyboard.press("Enter")


def _choose_type(hand: MouseHand, row: Locator, short_form: str) -> None:
    slot_type = short_form.removeprefix("optional ")
    if slot_type != "text":
        hand.choose(row.locator("select"), TYPES[slot_type])
    if slot_type != short_form:
        hand.press(row.get_by_label("Optional"))


def _write_list(hand: MouseHand, path: tuple[str, ...], texts: tuple[str, ...], first: int) -> None:
    """A list of texts, of which `first` are there already."""
    row = _row(hand, "", *path)
    for index, text in enumerate(texts):
        if index >= first:
            hand.press(row.get_by_role("button", name="Add", exact=True))
        hand.write(_row(hand, "", *path, str(index)).locator("input, textarea").first, text)


def _save(hand: MouseHand) -> None:
    hand.press(hand.page.get_by_role("button", name="Save", exact=True))
    expect(hand.page.locator("[data-status]")).to_have_text(re.compile("^Saved as version"))
