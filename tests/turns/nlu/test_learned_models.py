"""What is learned by meaning is kept with its release."""

from threading import Event
from typing import Any

import pytest

from dialogue.models import LearnedModel, Release
from dialogue.nlu import build_nlu
from dialogue.nlu.pipeline.nlu_pipeline import NLUPipeline
from dialogue.nlu.settings import NLUSettings
from dialogue.turns.nlu import learned_models
from dialogue.turns.nlu.learned_models import learn_release
from tests.support.nlu.situations import assistant_named
from tests.support.releases import demo, publish

LIBRARY = assistant_named("library")
pytestmark = pytest.mark.django_db


@pytest.fixture
def release() -> Release:
    return publish(demo("library"))


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which texts were looked at."""
    from dialogue.nlu.text.embeddings import minilm

    looked_at: list[str] = []
    really = minilm.read_texts

    def read_texts(texts: list[str]) -> Any:
        looked_at.extend(texts)
        return really(texts)

    monkeypatch.setattr(minilm, "read_texts", read_texts)
    return looked_at


def by_meaning() -> NLUPipeline:
    return build_nlu(LIBRARY, "learned", NLUSettings(use_embeddings=True))


def test_a_release_is_learned_once_and_loaded_from_then_on(release: Release, embedded: list[str]) -> None:
    first, second = by_meaning(), by_meaning()
    learn_release(first, release)
    learned = len(embedded)

    learn_release(second, release)

    assert learned == len(embedded) == len(first.assistant_index.embedded_documents)
    assert second.assistant_index.documents_index.matches(
        "borrow a novel"
    ) == first.assistant_index.documents_index.matches("borrow a novel")


def test_the_row_says_how_far_learning_is_and_when_it_was_done(release: Release) -> None:
    learn_release(by_meaning(), release)

    row = LearnedModel.objects.get(release=release)
    assert (row.state, row.done, row.total) == (
        "ready",
        row.total,
        len(by_meaning().assistant_index.embedded_documents),
    )
    assert row.ready_at is not None and row.ready_at >= row.began_at


@pytest.mark.parametrize("spoiled", [{"digest": "0" * 64}, {"vectors": b"\0" * 100}])
def test_what_was_learned_from_other_texts_or_is_not_whole_is_learned_anew(
    release: Release, embedded: list[str], spoiled: dict[str, object]
) -> None:
    learn_release(by_meaning(), release)
    LearnedModel.objects.update(**spoiled)
    before = len(embedded)

    learn_release(by_meaning(), release)

    assert len(embedded) == 2 * before
    assert LearnedModel.objects.get(release=release).digest != "0" * 64


def test_a_failure_is_on_the_row_and_words_go_on_being_understood(
    release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dialogue.nlu.text.embeddings.minilm.read_texts", lambda texts: 1 / 0)
    nlu = by_meaning()

    with pytest.raises(ZeroDivisionError):
        learn_release(nlu, release)

    row = LearnedModel.objects.get(release=release)
    assert (row.state, row.error) == ("broken", "ZeroDivisionError: division by zero")
    assert nlu.assistant_index.documents_index.matches("pay my fine")


def test_what_is_only_tried_out_is_not_kept(release: Release) -> None:
    trial = Release.objects.create(
        assistant=release.assistant, number=0, trial=True, sha256="t" * 64, engine_version="1", texts={}
    )

    learn_release(by_meaning(), trial)

    assert not LearnedModel.objects.filter(release=trial).exists()


def test_the_end_of_the_process_cuts_learning_short_and_calls_it_no_failure(
    release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    ending = Event()
    ending.set()
    monkeypatch.setattr(learned_models, "_ending", ending)

    with pytest.raises(learned_models.ProcessEnds):
        learn_release(by_meaning(), release)

    assert not LearnedModel.objects.filter(release=release, state=LearnedModel.State.BROKEN).exists()
