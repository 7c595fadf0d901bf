"""How fast the flow editor is: problems while somebody types, a field of a step, choosing a step, laying out a graph.

    python -m bench.studio [--rounds 40]

The flow's page in Chromium, `manage.py up` in a process of its own. Prints p50 and p95 in milliseconds, with the limits
that the product is held to; as the last line the figures as one JSON object, which `python -m bench` reads.
"""

import argparse
import json
import os
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from tests.support.browser.chromium import SWITCHES, chromium_here
from tests.support.browser.house import House
from tests.support.browser.windows import Windows

CHECK_LIMIT, FIELD_LIMIT, CHOICE_LIMIT, LAYOUT_LIMIT = 300, 150, 100, 50

WORK_LINE = "of which the server has worked, whatever else the machine does    {:7.1f} ms"

SAVE = """
from dialogue.library.documents.versions import Edit, save_flow
from dialogue.models import Assistant
save_flow(Assistant.objects.get(name="bank"), Edit({name!r}, {text!r}), None)
"""

# What the editor does with each pause of the typing: the compiler's answer, as JSON.
CHECK = """async ([flow, text]) => {
    const page = document.querySelector("[data-studio]"), token = document.cookie.match(/soni_csrf=([^;]*)/)[1];
    const begun = performance.now();
    const answer = await fetch(page.dataset.api + "check", {
        method: "POST", headers: {"content-type": "application/json", "x-csrftoken": token},
        body: JSON.stringify({flow, text}),
    });
    await answer.json();
    return performance.now() - begun;
}"""

# From the click until the frame that shows it was painted.
CHOOSE = """name => new Promise(done => {
    const begun = performance.now(), step = document.querySelector(`[data-step="${name}"]`);
    step.click();
    requestAnimationFrame(() => {
        const painted = new MessageChannel();
        painted.port1.onmessage = () => done(step.getAttribute("aria-current") ? performance.now() - begun : Infinity);
        painted.port2.postMessage(0);
    });
})"""

# From a letter in a field until the text, the problems and the graph have it.
EDIT_FIELD = """([step, text]) => new Promise(done => {
    const field = document.querySelector(`[data-field="${step}/message"] textarea`), begun = performance.now();
    document.addEventListener("soni:fields-written", () => done(performance.now() - begun), { once: true });
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
})"""

LAY_OUT = """async rounds => {
    const { layout } = await import(document.querySelector("[data-layout]").href);
    const { nodes, edges } = JSON.parse(document.getElementById("graph-data").textContent);
    return Array.from({length: rounds}, () => {
        const begun = performance.now();
        layout(nodes, edges);
        return performance.now() - begun;
    });
}"""


def long_flow(name: str, steps: int) -> str:
    """A flow of that many steps: questions, answers, forks ahead and back, and people."""
    lines = [f"flow: {name}", "description: A very long way.", "examples: [walk the long way]", "slots:"]
    lines += [f"  slot_{number}: {{type: integer, prompt: How many?}}" for number in range(0, steps, 4)]
    lines.append("steps:")
    for number in range(steps):
        lines += _step(number, steps)
    return "\n".join(lines) + "\n"


def _step(number: int, steps: int) -> list[str]:
    name, ahead, back = f"s{number}", f"s{min(number + 7, steps - 1)}", f"s{max(number - 5, 0)}"
    slot = f"slot_{number - number % 4}"
    match number % 4:
        case 0:
            return [f"  - {{step: {name}, type: collect, slot: {slot}, force: true}}"]
        case 1:
            cases = [f'      - {{when: "{slot} > 20", next: {ahead}}}', f'      - {{when: "{slot} < 2", next: {back}}}']
            return [f"  - step: {name}", "    type: branch", "    cases:", *cases]
        case 2:
            return [f'  - {{step: {name}, type: confirm, message: "{{{slot}}}, right?", on_deny: {back}}}']
        case _:
            return [f'  - {{step: {name}, type: say, message: "Noted {{{slot}}}."}}']


def open_flow(house: House, window: Windows, name: str, steps: int) -> tuple[Page, str]:
    """The editor with a new flow of that many steps; and its text."""
    text = long_flow(name, steps)
    house.server.shell(SAVE.format(name=name, text=text))
    page = window("arthur", f"/flows/bank/{name}/")
    expect(page.locator("[data-graph] [data-step]")).to_have_count(steps)
    expect(page.locator(".cm-content")).to_be_visible()
    return page, text


def checks(page: Page, name: str, text: str, rounds: int) -> list[float]:
    """Milliseconds until the problems of a text that differs a little each time are there."""
    return [page.evaluate(CHECK, [name, f"{text}# {number}\n"]) for number in range(rounds)]


def worked(house: House) -> float:
    """Milliseconds of processor that the server has taken so far; Linux keeps count of them."""
    fields = Path(f"/proc/{house.server.process}/stat").read_text().rpartition(")")[2].split()
    return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def choices(page: Page, steps: int, rounds: int) -> list[float]:
    """Milliseconds until a step that was clicked is shown as chosen."""
    return [page.evaluate(CHOOSE, f"s{number * 37 % steps}") for number in range(rounds)]


def field_edits(page: Page, step: str, rounds: int) -> list[float]:
    """Milliseconds until a message that was changed in its field is in the text, the problems and the graph."""
    page.locator(f"[data-graph] [data-step={step}]").click()
    expect(page.locator(f"[data-field='{step}/message'] textarea").first).to_be_visible()
    return [page.evaluate(EDIT_FIELD, [step, f"Is that right, number {number}?"]) for number in range(rounds)]


def layouts(page: Page, house: House, rounds: int) -> list[float]:
    """Milliseconds to lay out the graph of this page."""
    page.evaluate(
        "href => { const link = document.createElement('link'); link.dataset.layout = ''; link.href = href;"
        " document.body.append(link); }",
        f"{house.url}/static/dialogue/js/graph/layout.js",
    )
    found: list[float] = page.evaluate(LAY_OUT, rounds)
    return found


def spread(figures: list[float]) -> tuple[float, float]:
    """The median and the 95th percentile."""
    return statistics.median(figures), statistics.quantiles(figures, n=20)[-1]


def line(name: str, figures: list[float], limit: int) -> str:
    middle, high = spread(figures)
    return f"{name:58}p50 {middle:7.1f} ms   p95 {high:7.1f} ms   (at most {limit})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40)
    rounds = parser.parse_args().rounds
    house = House(Path(tempfile.mkdtemp(prefix="soni-bench-")))
    house.open()
    try:
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=chromium_here(), args=SWITCHES)
            window = Windows(chromium, house)
            page, text = open_flow(house, window, "long_way", 200)
            before = worked(house)
            checked = checks(page, "long_way", text, rounds)
            work = (worked(house) - before) / rounds
            long_edits = field_edits(page, "s2", rounds)
            page = window("arthur", "/flows/bank/transfer_money/")
            before = worked(house)
            edits = field_edits(page, "confirm", rounds)
            edit_work = (worked(house) - before) / rounds
            page, _text = open_flow(house, window, "longer_way", 300)
            chosen, laid = choices(page, 300, rounds), layouts(page, house, rounds)
            chromium.close()
    finally:
        house.server.kill()
    print(line("problems of a flow of 200 steps, from the compiler", checked, CHECK_LIMIT))
    print(WORK_LINE.format(work))
    print(line("a field of a step, until problems and graph follow", edits, FIELD_LIMIT))
    print(WORK_LINE.format(edit_work))
    print(line("the same in a flow of 200 steps", long_edits, CHECK_LIMIT))
    print(line("a step of a graph of 300, clicked until it is shown", chosen, CHOICE_LIMIT))
    print(line("a graph of 300 steps, laid out", laid, LAYOUT_LIMIT))
    parts = {"check": checked, "edit": edits, "long_edit": long_edits, "choose": chosen, "layout": laid}
    found = {"edit_work": edit_work}
    for name, figures in parts.items():
        found[f"{name}_p50"], found[f"{name}_p95"] = spread(figures)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
