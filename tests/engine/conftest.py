"""Talks with the same assistant share the graphs of its flows, which hold nothing of a conversation."""

from collections.abc import Iterator

import pytest

from dialogue.engine import subgraphs
from tests.support.engine.compiled import compiled_once


@pytest.fixture(scope="package", autouse=True)
def flows_are_compiled_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subgraphs, "compile_flow", compiled_once)
        yield
