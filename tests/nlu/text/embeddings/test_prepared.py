"""With the extra, understanding goes on by meaning; what was understood before, still is."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest

from dialogue.engine.ports.commands import CannotHandle, Chitchat, StartFlow
from dialogue.nlu import NLUPipeline, build_nlu
from dialogue.nlu.settings import NLUSettings
from tests.nlu.test_messages import rows, wanted_commands
from tests.support.nlu.meanings import same
from tests.support.nlu.situations import assistant_named, situation


@cache
def prepared(name: str) -> NLUPipeline:
    nlu = build_nlu(assistant_named(name), "learned", NLUSettings(use_embeddings=True))
    nlu.prepare()
    return nlu


def _understood() -> list[Any]:
    return [param for param in rows(missed=False) if param.values[0] != "clinica"]


@pytest.mark.parametrize(("name", "row"), _understood())
async def test_a_message_means_what_its_author_says(name: str, row: Mapping[str, Any]) -> None:
    where = {key: row[key] for key in ("filled", "offer", "offered") if key in row}
    context = situation(assistant_named(name), *row.get("at", ()), **where)

    understanding = await prepared(name).understand(row["say"], context)

    assert any(same(understanding.commands, wanted) for wanted in wanted_commands(row["means"])), understanding


async def test_what_words_miss_is_understood_by_meaning() -> None:
    library, context = assistant_named("library"), situation(assistant_named("library"))

    by_words = await build_nlu(library, "learned").understand("settle what I owe", context)
    by_meaning = await prepared("library").understand("settle what I owe", context)

    assert by_words.commands == (CannotHandle("not understood"),)
    assert by_meaning.commands == (StartFlow("pay_fine"),)


@pytest.mark.parametrize("text", ["hi there, hope you're well", "lovely weather today isn't it"])
async def test_small_talk_in_other_words_is_read_by_meaning_in_a_first_message(text: str) -> None:
    library, context = assistant_named("library"), situation(assistant_named("library"))

    by_words = await build_nlu(library, "learned").understand(text, context)
    by_meaning = await prepared("library").understand(text, context)

    assert by_words.commands != (Chitchat(),)
    assert by_meaning.commands == (Chitchat(),)


def test_spanish_is_compared_by_its_words() -> None:
    nlu = build_nlu(assistant_named("clinica"), "learned", NLUSettings(use_embeddings=True))
    before = nlu.assistant_index.documents_index

    nlu.prepare()

    assert nlu.assistant_index.documents_index is before
