"""How fast pages tell: an answer until the customer reads the reply, and a new gate until the queue shows it.

    python -m bench.live [--rounds 40] [--operators 50] [--customers 10]

Real pages in Chromium, `manage.py up` in a process of its own, and that many further sockets that listen meanwhile,
each of another operator or customer. Prints p50 and p95 in milliseconds, with the limits that the product is held to.
"""

import argparse
import os
import statistics
import tempfile
from datetime import datetime
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from bench.listeners import hire, listening
from tests.support.browser.chats import ask_for_transfer
from tests.support.browser.chromium import SWITCHES, chromium_here
from tests.support.browser.house import House, token_of
from tests.support.browser.windows import VISITOR, Windows

REPLY_LIMIT, GATE_LIMIT = 1000, 300

WATCH = """([selector, words]) => {
    const seen = () => [...document.querySelectorAll(selector)].some(each => each.textContent.includes(words));
    window.seenAt = new Promise(done => {
        const look = () => seen() && (observer.disconnect(), done(Date.now()));
        const observer = new MutationObserver(look);
        observer.observe(document.body, {childList: true, subtree: true, characterData: true, attributes: true});
        look();
    });
}"""

PRESS = "button => { window.pressedAt = Date.now(); button.click(); }"


def watch(page: Page, selector: str, words: str) -> None:
    """From now on the page notes when `words` stand in an element of `selector`."""
    page.evaluate(WATCH, [selector, words])


def seen_at(page: Page) -> float:
    """When they stood there, in milliseconds."""
    moment: float = page.evaluate("window.seenAt")
    return moment


def one_round(house: House, window: Windows, queue: Page, number: int) -> tuple[float, float]:
    """A transfer from its request to its reply; milliseconds to the queue, and from the answer to the reply."""
    chat = window(VISITOR, "/chat/bank/")
    watch(queue, "[data-new] [data-words]", f"{number} new")
    ask_for_transfer(chat)
    shown = seen_at(queue)
    newest = house.server.get("/api/v1/sessions?audience=staff&state=open&order=newest&limit=1", token_of("olga"))
    session = newest.body["sessions"][0]
    opened = datetime.fromisoformat(session["opened_at"]).timestamp() * 1000
    desk = window("olga", f"/gates/{session['name']}/")
    watch(chat, "[data-log] .turn", "Done.")
    desk.get_by_role("button", name="Approve").evaluate(PRESS)
    read = seen_at(chat)
    pressed: float = desk.evaluate("window.pressedAt")
    chat.context.close()
    desk.context.close()
    return shown - opened, read - pressed


def worked(house: House) -> float:
    """Seconds that the server has had a processor."""
    user, system = Path(f"/proc/{house.server.process}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def line(name: str, figures: list[float], limit: int) -> str:
    middle, high = statistics.median(figures), statistics.quantiles(figures, n=20)[-1]
    return f"{name:62}p50 {middle:7.0f} ms   p95 {high:7.0f} ms   (p95 at most {limit})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--operators", type=int, default=50)
    parser.add_argument("--customers", type=int, default=10)
    wished = parser.parse_args()
    house = House(Path(tempfile.mkdtemp(prefix="soni-bench-")))
    house.open()
    try:
        people = hire(house, wished.operators)
        chats = [house.conversation() for _ in range(wished.customers)]
        with sync_playwright() as playwright, listening(house, people, chats) as heard:
            chromium = playwright.chromium.launch(executable_path=chromium_here(), args=SWITCHES)
            window = Windows(chromium, house)
            queue = window("olga", "/gates/")
            began = worked(house)
            rounds = [one_round(house, window, queue, number) for number in range(1, wished.rounds + 1)]
            each = 1000 * (worked(house) - began) / wished.rounds
            left = len(heard.open)
            chromium.close()
    finally:
        house.server.kill()
    print(f"{wished.rounds} transfers; {wished.operators} operators and {wished.customers} customers listen meanwhile,")
    print(f"each on a socket of their own: {left} are open at the end, {heard.frames:,} frames came to them")
    print(f"the server's processor worked {each:.0f} ms a transfer, with its pages and all that listen")
    print(line("a new gate, stored until an open queue shows it", [gate for gate, _ in rounds], GATE_LIMIT))
    print(
        line(
            "an answer, pressed until the customer's page shows the reply", [reply for _, reply in rounds], REPLY_LIMIT
        )
    )


if __name__ == "__main__":
    main()
