"""How the settings become understanding."""

import time
from collections.abc import Callable
from threading import Event
from typing import Any

import pytest

from dialogue.engine.understanding import NLU
from dialogue.nlu.pipeline.nlu_pipeline import NLUPipeline
from dialogue.nlu.text.embeddings import minilm
from dialogue.turns.nlu.understanding import nlu_of
from tests.support.nlu.situations import assistant_named
from tests.support.soni_settings import change

LIBRARY = assistant_named("library")


def parts(nlu: NLU) -> list[str]:
    return [part.name for part in chain(nlu)._components]


def chain(nlu: NLU) -> NLUPipeline:
    assert isinstance(nlu, NLUPipeline)
    return nlu


def test_by_default_no_language_model_is_asked() -> None:
    assert parts(nlu_of(LIBRARY)) == ["structured", "rules", "learned", "leftover"]


def test_a_model_that_is_configured_is_asked_last(settings: Any) -> None:
    change(settings, NLU_MODEL="openai/tiny")

    assert parts(nlu_of(LIBRARY))[-1] == "llm"


def test_rules_alone_can_be_chosen(settings: Any) -> None:
    change(settings, NLU="rules")

    assert parts(nlu_of(LIBRARY)) == ["structured", "rules", "leftover"]


def test_meaning_is_learned_behind_the_first_messages(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    change(settings, NLU_EMBEDDED="auto")
    may_learn = Event()
    read_texts = minilm.read_texts
    monkeypatch.setattr(
        "dialogue.nlu.text.embeddings.minilm.read_texts",
        lambda texts: read_texts(texts) if may_learn.wait(20) else 1 / 0,
    )

    nlu = chain(nlu_of(LIBRARY))
    by_words = nlu.assistant_index.documents_index
    answered = by_words.matches("pay my fine")
    may_learn.set()

    assert answered
    assert wait_until(lambda: nlu.assistant_index.documents_index is not by_words)


def test_wrong_weights_leave_understanding_by_words(
    settings: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    change(settings, NLU_EMBEDDED="auto")
    monkeypatch.setattr("dialogue.nlu.text.embeddings.minilm.read_texts", lambda texts: 1 / 0)

    nlu = chain(nlu_of(LIBRARY))

    assert wait_until(lambda: "the learning of embeddings failed" in caplog.text)
    assert nlu.assistant_index.documents_index.matches("pay my fine")


def wait_until(happened: Callable[[], bool], seconds: float = 20.0) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if happened():
            return True
        time.sleep(0.02)
    return False
