"""How fast an operator sees gates: the list among 10,000 open ones, a search in it, and opening one.

    python -m bench.gate_pages [--gates 10000] [--rounds 20]

The pages in Chromium, `manage.py up` in a process of its own. Prints p50 and p95 in milliseconds; as the last line the
same as one JSON object, which `python -m bench` reads.
"""

import argparse
import json
import re
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from tests.support.browser.chromium import SWITCHES, chromium_here
from tests.support.browser.house import House
from tests.support.browser.windows import Windows

GATES, ROUNDS = 10_000, 20
FILL = "from bench.many_gates import fill\nfill({count}, 0)"
# From the navigation until the browser has painted the first content.
FIRST_PAINT = """() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Infinity"""
# From the click on a row until the frame that shows its gate was painted.
OPEN = """number => new Promise(done => {
    const begun = performance.now();
    const observer = new MutationObserver(() => {
        if (document.getElementById("case")?.dataset.gate !== String(number)) return;
        observer.disconnect();
        requestAnimationFrame(() => {
            const painted = new MessageChannel();
            painted.port1.onmessage = () => done(performance.now() - begun);
            painted.port2.postMessage(0);
        });
    });
    observer.observe(document.querySelector("[data-gates]"), { childList: true });
    document.querySelector(`#row-g${number} a`).click();
})"""
# What the list answers to a search, without drawing it.
SEARCH = """async words => {
    const begun = performance.now();
    await (await fetch(`/gates/?q=${words}`, { headers: { "hx-request": "true", "hx-target": "queue-list" } })).text();
    return performance.now() - begun;
}"""


def first_paints(window: Windows, rounds: int) -> Iterator[float]:
    """Milliseconds until the list has its first content, each in a browser of its own."""
    for _ in range(rounds):
        page = window("olga", "/gates/")
        expect(page.locator("#queue-list [data-row]")).to_have_count(50)
        yield page.evaluate(FIRST_PAINT)
        page.context.close()


def openings(page: Page, rounds: int) -> Iterator[float]:
    """Milliseconds until a gate that was clicked is visible."""
    names = [row.get_attribute("id") or "" for row in page.locator("#queue-list li").all()]
    numbers = [int(found[0]) for name in names if (found := re.search(r"\d+", name))]
    for number in numbers[:rounds]:
        yield page.evaluate(OPEN, number)


def searches(page: Page, count: int, rounds: int) -> Iterator[float]:
    """Milliseconds until the list answers with the one gate of an amount, among `count`."""
    for number in range(rounds):
        yield page.evaluate(SEARCH, f"{count - 1 - number}.25")


def measured(count: int, rounds: int) -> dict[str, list[float]]:
    """Milliseconds of each round, by what was measured; the first round of each is left out."""
    house = House(Path(tempfile.mkdtemp(prefix="soni-bench-")))
    house.open()
    try:
        house.server.shell(FILL.format(count=count))
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=chromium_here(), args=SWITCHES)
            window = Windows(chromium, house)
            paints = list(first_paints(window, rounds + 1))[1:]
            page = window("olga", "/gates/")
            opened, found = list(openings(page, rounds + 1))[1:], list(searches(page, count, rounds + 1))[1:]
            chromium.close()
    finally:
        house.server.kill()
    return {"list": paints, "open": opened, "search": found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gates", type=int, default=GATES)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    figures = {}
    for name, times in measured(options.gates, options.rounds).items():
        figures[f"{name}_p50"], figures[f"{name}_p95"] = statistics.median(times), statistics.quantiles(times, n=20)[-1]
        print(f"{name:8}p50 {figures[f'{name}_p50']:7.1f} ms   p95 {figures[f'{name}_p95']:7.1f} ms")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
