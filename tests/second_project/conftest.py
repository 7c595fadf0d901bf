"""A project that is not ours, with the lines of docs/embedding.md and the console from a wheel, in its own process."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.second_project.shop import Shop, Visits, build_wheel, install, lay_down


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """The running shop, with its people and its first assistant."""
    packages = install(build_wheel(tmp_path_factory.mktemp("wheel")), tmp_path_factory.mktemp("packages"))
    shop = Shop(lay_down(tmp_path_factory.mktemp("project")), packages)
    shop.open()
    yield shop
    shop.close()


@pytest.fixture
def visit(browser: Browser, shop: Shop) -> Iterator[Visits]:
    """Opens windows; no browser may complain, and nothing but the console's and the shop's addresses is asked for."""
    visits = Visits(browser, shop)
    yield visits
    visits.close()
    assert visits.complaints == []
    assert visits.strange_addresses() == []
