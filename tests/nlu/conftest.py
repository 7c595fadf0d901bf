"""A language model that failed is asked again at once: how long the product waits before proves nothing here."""

from collections.abc import Iterator

import pytest

from dialogue.nlu.llm import component


@pytest.fixture(scope="package", autouse=True)
def no_model_is_waited_for_after_a_failure() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(component, "RETRY_SECONDS", (0.0, 0.0))
        yield
