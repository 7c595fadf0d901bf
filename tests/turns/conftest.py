"""A turn that failed is tried again at once: how long the product waits before proves nothing here."""

from collections.abc import Iterator

import pytest

from dialogue.turns import worker


@pytest.fixture(scope="package", autouse=True)
def no_turn_waits_for_its_next_attempt() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker, "BACKOFF", (0.0, 0.0))
        yield
