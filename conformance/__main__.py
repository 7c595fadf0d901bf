"""`python -m conformance`: programs of other frameworks pause, people answer at our desk, and the programs continue.

One table: for each ecosystem whether it held when an operator answered in a real browser, when 32 people decided at
once, and when the desk was ended by -9 at every named point around decision and delivery.

    python -m conformance "LangChain, batched" plain
    python -m conformance --offline --columns deciders,kill
    python -m conformance --first
    python -m conformance --api
    python -m conformance --api agent auditor
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from conformance import checks
from conformance.api_calls import ROLES, call_as_roles
from conformance.desk import Desk, desk_with_accounts
from conformance.ecosystems import ECOSYSTEMS, Ecosystem
from conformance.environments import ENVIRONMENTS, NotInstalled, lock_all, python_of
from conformance.first_approval import first_approval
from conformance.program_process import ProgramFailed, ProgramProcess

if TYPE_CHECKING:
    from playwright.sync_api import Page

COLUMNS = ("browser", "deciders", "kill")
HELD = "held"


def main() -> int:
    """Run the checks, print the table, and return 1 if anything broke."""
    options = _options()
    if options.lock:
        lock_all()
        return 0
    if options.first:
        return first_approval()
    if options.api:
        return call_as_roles(options.names or list(ROLES))
    began = time.monotonic()
    chosen = [ecosystem for ecosystem in ECOSYSTEMS if _is_chosen(ecosystem, options)]
    columns = options.columns.split(",")
    broken: list[str] = []
    width = max(len(ecosystem.name) for ecosystem in chosen)
    print(f"{'':{width}}  {'framework':28}  " + "  ".join(f"{column:8}" for column in columns), flush=True)
    with ExitStack() as stack:
        desk = stack.enter_context(desk_with_accounts())
        page = stack.enter_context(_operator(desk)) if "browser" in columns else None
        for ecosystem in chosen:
            row = _row(ecosystem, Bench(desk, page, options.size == "ci"), columns, broken)
            earlier = len(broken)
            print("\n  ".join([f"{ecosystem.name:{width}}  " + "  ".join(row), *broken[earlier:]]), flush=True)
    print(f"{len(chosen)} ecosystems in {time.monotonic() - began:.0f} s", flush=True)
    return 1 if broken else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m conformance", description=__doc__.split("\n\n")[0])
    names = ", ".join(ecosystem.name for ecosystem in ECOSYSTEMS)
    roles = ", ".join(ROLES)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of: {names}; with --api, some of: {roles}")
    parser.add_argument("--columns", default=",".join(COLUMNS), help="some of: browser,deciders,kill")
    parser.add_argument("--offline", action="store_true", help="only programs that need no installation")
    parser.add_argument("--size", choices=("ci", "full"), default="full", help="ci: two points of each program")
    parser.add_argument("--first", action="store_true", help="time the way from an empty machine to a first approval")
    parser.add_argument("--api", action="store_true", help="call the whole API as each role, by Schemathesis")
    parser.add_argument("--lock", action="store_true", help="lock the newest releases of all frameworks (needs uv)")
    options = parser.parse_args()
    known = [*ROLES] if options.api else [ecosystem.name for ecosystem in ECOSYSTEMS]
    if unknown := sorted(set(options.names) - set(known)):
        parser.error(f"{', '.join(unknown)}: not one of {', '.join(known)}")
    return options


def _is_chosen(ecosystem: Ecosystem, options: argparse.Namespace) -> bool:
    if options.offline and ecosystem.framework:
        return False
    return not options.names or ecosystem.name in options.names


@dataclass(frozen=True)
class Bench:
    """What all programs share: the desk, the operator's page if the browser is wanted, and whether few points do."""

    desk: Desk
    page: "Page | None"
    is_small: bool


def _row(ecosystem: Ecosystem, bench: Bench, columns: list[str], broken: list[str]) -> Iterator[str]:
    """Yield the cells of one row; what broke goes to `broken`."""
    try:
        python = python_of(ecosystem.framework)
        log = ENVIRONMENTS / f"{ecosystem.script}{'-'.join(ecosystem.arguments)}.log"
        program = ProgramProcess(python, ecosystem.script, ecosystem.arguments, bench.desk.url, log)
    except (NotInstalled, ProgramFailed) as error:
        broken.append(f"{ecosystem.name}: {error}")
        yield "not started"
        return
    works: dict[str, checks.Check] = {
        "browser": partial(checks.answered_in_browser, bench.page),  # type: ignore[arg-type]
        "deciders": checks.decided_by_many,
        "kill": partial(checks.killed_at_every_point, is_small=bench.is_small),
    }
    try:
        yield f"{_version(python, ecosystem):28}"
        trial = checks.Trial(ecosystem, bench.desk, program)
        for column in columns:
            faults = list(_faults(works[column], trial))
            broken += [f"{ecosystem.name}, {column}: {fault}" for fault in faults]
            yield f"{'BROKE' if faults else HELD:8}"
    finally:
        program.close()
        if not bench.desk.lives():
            bench.desk.start()


def _faults(work: Callable[[checks.Trial], Iterator[str]], trial: checks.Trial) -> Iterator[str]:
    from playwright.sync_api import Error

    try:
        yield from work(trial)
    except (ProgramFailed, TimeoutError, AssertionError, Error, OSError) as error:
        yield f"{type(error).__name__}: {error}"


def _version(python: "object", ecosystem: Ecosystem) -> str:
    """Return the framework with the version that is installed."""
    if not ecosystem.package:
        return "-"
    code = f"from importlib.metadata import version; print(version({ecosystem.package!r}))"
    done = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=False)
    return f"{ecosystem.package} {done.stdout.strip()}"


@contextmanager
def _operator(desk: Desk) -> "Iterator[Page]":
    """The page of a real browser in which the first operator is signed in."""
    from playwright.sync_api import sync_playwright

    from tests.support.browser.chromium import SWITCHES, chromium_here

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_here(), args=SWITCHES)
        context = browser.new_context(locale="en-GB", viewport={"width": 1440, "height": 900})
        context.set_default_timeout(60_000)
        context.add_cookies([{"name": "soni_session", "value": desk.cookie, "url": desk.url}])
        try:
            yield context.new_page()
        finally:
            browser.close()


if __name__ == "__main__":
    sys.exit(main())
