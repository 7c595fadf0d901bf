"""`make bench`: our turn beside the anchors, on the same disk, in one run, as a table with ratios.

    make bench ARGS="--anchors FOLDER"

FOLDER holds the programs `bare_langgraph.py` and `naive_app.py`; without it only our own figures are printed.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

ROUNDS = 3


def ours(folder: Path, program: str, *arguments: str) -> dict[str, float]:
    """Run one of our programs in a process of its own, on a database in `folder`."""
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "soni_admin.settings",
        "SONI_DATA": str(Path(tempfile.mkdtemp(dir=folder))),
    }
    done = subprocess.run(
        [sys.executable, "-m", f"bench.{program}", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def anchor(folder: Path, program: Path, *arguments: str) -> float:
    """Run an anchor and read the median from its line, in milliseconds."""
    done = subprocess.run(
        [sys.executable, program.name, *arguments],
        cwd=program.parent,
        env={**os.environ, "BENCH_DIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if "exit" not in line]
    found = re.search(r"p50=\s*([\d.]+)", "\n".join(lines))
    if done.returncode or not found:
        raise SystemExit(f"{program.name} gave no median:\n{done.stdout}\n{done.stderr}")
    return float(found[1])


def row(name: str, value: float, unit: str, *ratios: str) -> str:
    return f"{name:44}{value:10.2f} {unit:6}{'   '.join(ratios)}"


def ratio(ours_: float, other: float, limit: float, of: str) -> str:
    return f"{ours_ / other:5.2f} x {of} (at most {limit})"


def middle(figures: list[dict[str, float]], key: str) -> float:
    """The median over the rounds."""
    return statistics.median(each[key] for each in figures)


def product_table(figures: list[dict[str, float]], bare: list[float], naive: list[float]) -> Iterable[str]:
    """The whole turn beside what one would write first, and the ratios that the product is held to."""
    whole, early, late = (middle(figures, key) for key in ("p50", "early", "late"))
    ratios = []
    if bare:
        yield row("bare LangGraph, SQLite WAL FULL, sync: p50", statistics.median(bare), "ms")
        yield row("naive app, no guarantees: p50", statistics.median(naive), "ms")
        ratios = [
            ratio(whole, statistics.median(naive), 1.2, "naive"),
            ratio(whole, statistics.median(bare), 4.0, "bare"),
        ]
    yield row("product turn, accept to committed reply: p50", whole, "ms", *ratios)
    yield row("product turn: p95", middle(figures, "p95"), "ms")
    yield row("turns around the 10th: p50", early, "ms")
    yield row("turns around the 500th: p50", late, "ms", ratio(late, early, 1.2, "10th"))
    first, last = (middle(figures, key) for key in ("first_cpu", "last_cpu"))
    yield row("processor, first ten turns of a conversation", first, "ms")
    yield row("processor, last ten turns of one of 1,000", last, "ms", ratio(last, first, 1.2, "first"))
    yield row("pages in SQLite's log for a turn", middle(figures, "pages"), "pages")
    yield row("stored per turn, whole database", middle(figures, "bytes"), "bytes")
    yield row("stored per turn, checkpoints after pruning", middle(figures, "checkpoint_bytes"), "bytes")


def engine_table(figures: list[dict[str, float]], bare: list[float]) -> Iterable[str]:
    """The engine alone beside LangGraph alone, neither with a database."""
    young, old, many = (middle(figures, key) for key in ("p50", "late", "many"))
    ratios = []
    if bare:
        yield row("bare LangGraph, three nodes, no saver: p50", statistics.median(bare), "ms")
        ratios = [ratio(young, statistics.median(bare), 2.5, "bare")]
    yield row("engine turn with a flow's subgraph: p50", young, "ms", *ratios)
    yield row("engine turn among 1,000 flows: p50", many, "ms", ratio(many, young, 1.2, "10 flows"))
    yield row("engine turns after the 1,000th: p50", old, "ms", ratio(old, young, 1.2, "10th"))


def loops_table(figures: list[dict[str, float]]) -> Iterable[str]:
    """An item of a loop over a short list beside one over a long list, without a database."""
    for name, text in (("asked", "a round of a loop that asks"), ("silent", "an item of a loop in one turn")):
        short, long = middle(figures, f"{name}_10"), middle(figures, f"{name}_200")
        yield row(f"{text}, 10 items", short, "ms")
        yield row(f"{text}, 200 items", long, "ms", ratio(long, short, 1.5, "10 items"))
    yield row("remembered for each of 200 items", middle(figures, "bytes_200"), "bytes")


def http_table(figures: list[dict[str, float]]) -> Iterable[str]:
    """A message over HTTP beside its turn, and a server that 200 clients write to."""
    message, turn, live = (middle(figures, key) for key in ("message_cpu", "turn_cpu", "live_p99"))
    yield row("processor, a turn alone", turn, "ms")
    yield row("processor, a message over HTTP", message, "ms", ratio(message, turn, 2.0, "the turn"))
    yield row("`/health/live` beside 200 clients: p99", live, "ms", ratio(live, 500, 1, "half a second"))
    yield row("a message answered beside 200 clients: p50", middle(figures, "crowd_p50"), "ms")
    yield row("messages answered beside 200 clients", middle(figures, "crowd_answered_a_second"), "a sec.")
    yield row("requests refused with 503 meanwhile", middle(figures, "crowd_refused") * 100, "%")
    yield row("other errors meanwhile", middle(figures, "crowd_errors"), "")


def streaming_table(figures: list[dict[str, float]]) -> Iterable[str]:
    """A line that is said before an action of half a second, on the customer's socket."""
    late = middle(figures, "p95")
    yield row("message to the line before an action: p50", middle(figures, "p50"), "ms")
    yield row("message to the line before an action: p95", late, "ms", ratio(late, 150, 1, "150 ms"))
    yield row("message to the line after the action: p50", middle(figures, "last_p50"), "ms")


def start_table(checks: list[dict[str, float]], messages: list[dict[str, float]]) -> Iterable[str]:
    """What a start costs, and how long the first to write after it waits."""
    whole, bare, first = middle(checks, "check"), middle(checks, "bare_check"), middle(messages, "first")
    yield row("`manage.py check`, processor", whole, "ms", ratio(whole, bare, 3.5, "a bare Django project"))
    yield row("first message after a start", first, "ms", ratio(first, 1000, 1, "a second"))
    yield row("second message after a start", middle(messages, "second"), "ms")


def hostile_table(figures: list[dict[str, float]]) -> Iterable[str]:
    """What texts cost that are made to cost much, beside ordinary ones."""
    for name, limit in (("yaml", 40), ("condition", 10), ("message", 150)):
        worst, plain = middle(figures, name), middle(figures, f"{name}_ordinary")
        yield row(f"costliest hostile {name}, processor", worst, "ms", ratio(worst, plain, limit, "an ordinary one"))
    short, long = middle(figures, "pattern"), middle(figures, "pattern_twice")
    yield row("a pattern that invites backtracking", long, "ms", ratio(long, short, 3, "half the text"))


def choices_table(figures: list[dict[str, float]]) -> Iterable[str]:
    """What a choice among 1,000 options from data costs, with the local understanding."""
    names = {
        "offer": "the question",
        "label": "the key",
        "words": "words that fit many",
        "number": "a position",
        "amount": "an amount",
    }
    for name, title in names.items():
        took = middle(figures, name)
        yield row(f"choice among 1,000, {title}, processor", took, "ms", ratio(took, 50, 1, "50 ms"))


def gate_pages_table(figures: list[dict[str, float]]) -> Iterable[str]:
    """What an operator waits for, in Chromium, with 10,000 open gates."""
    names = {"list": "first paint of the list", "open": "opening a gate from the list", "search": "search by a value"}
    for name, title in names.items():
        yield row(f"among 10,000 gates, {title}: p50", middle(figures, f"{name}_p50"), "ms")
        yield row(f"among 10,000 gates, {title}: p95", middle(figures, f"{name}_p95"), "ms")


def studio_table(figures: list[dict[str, float]]) -> Iterable[str]:
    """What an author waits for in the flow editor, in Chromium."""
    names = {
        "edit": ("an edit in a field until the graph follows", 150),
        "long_edit": ("an edit in a flow of 200 steps", 300),
        "choose": ("a click on one of 300 steps, shown", 100),
    }
    for name, (title, limit) in names.items():
        late = middle(figures, f"{name}_p95")
        yield row(f"{title}: p50", middle(figures, f"{name}_p50"), "ms")
        yield row(f"{title}: p95", late, "ms", ratio(late, limit, 1, f"{limit} ms"))
    yield row("processor of the server, an edit in a field", middle(figures, "edit_work"), "ms")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--anchors", type=Path, help="folder of bare_langgraph.py and naive_app.py")
    options.add_argument("--rounds", type=int, default=ROUNDS)
    chosen = options.parse_args()
    products, engines, loops, checks, messages, paths, streams, hostile, naive = [], [], [], [], [], [], [], [], []
    chosen_options: list[dict[str, float]] = []
    gate_pages: list[dict[str, float]] = []
    studios: list[dict[str, float]] = []
    bare: dict[str, list[float]] = {"sqlite": [], "none": []}
    place = Path(os.environ.get("BENCH_DIR", "var"))
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place) as name:
        folder = Path(name).resolve()
        for number in range(chosen.rounds):
            print(f"round {number + 1} of {chosen.rounds} …", file=sys.stderr, flush=True)
            products.append(ours(folder, "product_turn"))
            engines.append(ours(folder, "engine_turn"))
            loops.append(ours(folder, "loops"))
            checks.append(ours(folder, "start"))
            messages.append(ours(folder, "first_message"))
            paths.append(ours(folder, "http_path"))
            streams.append(ours(folder, "streaming"))
            hostile.append(ours(folder, "hostile"))
            chosen_options.append(ours(folder, "choices"))
            gate_pages.append(ours(folder, "gate_pages"))
            studios.append(ours(folder, "studio"))
            if chosen.anchors:
                naive.append(anchor(folder, chosen.anchors / "naive_app.py", "--turns", "300"))
                for backend, found in bare.items():
                    found.append(bare_langgraph(folder, chosen.anchors, backend))
    tables = [
        *product_table(products, bare["sqlite"], naive),
        "",
        *engine_table(engines, bare["none"]),
        "",
        *loops_table(loops),
        "",
        *http_table(paths),
        "",
        *streaming_table(streams),
        "",
        *start_table(checks, messages),
        "",
        *hostile_table(hostile),
        "",
        *choices_table(chosen_options),
        "",
        *gate_pages_table(gate_pages),
        "",
        *studio_table(studios),
    ]
    print("\n".join(tables))


def bare_langgraph(folder: Path, anchors: Path, backend: str) -> float:
    """The median turn of LangGraph alone with this backend, one conversation, one turn at a time."""
    return anchor(
        folder,
        anchors / "bare_langgraph.py",
        *("--backends", backend, "--threads", "1", "--turns", "300", "--concurrency", "1"),
    )


if __name__ == "__main__":
    main()
