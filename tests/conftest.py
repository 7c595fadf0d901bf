"""What every test may ask for. Sockets are closed but for this machine's own (see pyproject.toml)."""

from collections.abc import Iterator

import pytest

from tests.postgres import PostgresServer, postgres_server

CHROMIUM_SWITCHES = [
    "--no-sandbox",  # Chromium refuses its sandbox to root, and containers run as root
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests run last: Playwright leaves an event loop running in the thread that asked for it."""
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, object]) -> dict[str, object]:
    """Debian's Chromium in place of a downloaded one."""
    return {**browser_type_launch_args, "executable_path": "/usr/bin/chromium", "args": CHROMIUM_SWITCHES}


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server of its own for this run of the tests; `postgres.dsn` says how to reach it."""
    with postgres_server() as server:
        yield server
