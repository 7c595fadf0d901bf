"""Learning a release by meaning: once, in the background, with its progress on a row; other processes load it."""

import atexit
import logging
from threading import Event, Thread, current_thread
from time import monotonic
from typing import TYPE_CHECKING

from django.db import connection, transaction

from dialogue.models import LearnedModel, Release
from dialogue.turns import clock

if TYPE_CHECKING:
    from dialogue.nlu import NLUPipeline
    from dialogue.nlu.text.embeddings.artefact import EmbeddingsArtefact

State = LearnedModel.State
EVERY = 0.5
"""Seconds between two notes of how far learning is."""

MAX_ERROR_CHARACTERS = 500
LAST_WAIT = 5.0
"""Seconds that the end of the process waits for a thread to notice it."""

log = logging.getLogger(__name__)

_ending = Event()
_learning: set[Thread] = set()


class ProcessEnds(Exception):
    """The process is about to end; what was not learned yet is learned by the next."""


def learn_behind(nlu: "NLUPipeline", release: Release | None) -> None:
    """Start learning in a thread of its own; until it is done messages are compared by their words."""
    if nlu.uses_embeddings:
        name = f"learning {nlu.assistant_index.assistant.assistant}"
        thread = Thread(target=_in_thread, args=(nlu, release), name=name, daemon=True)
        _learning.add(thread)
        thread.start()


@atexit.register
def _stop_learning() -> None:
    """A thread that the end of the process meets inside the model's own code would take the process down with it."""
    _ending.set()
    for thread in list(_learning):
        thread.join(LAST_WAIT)


def _in_thread(nlu: "NLUPipeline", release: Release | None) -> None:
    try:
        learn_release(nlu, release)
    except ProcessEnds:
        log.debug("learning by meaning was cut short by the end of the process")
    except Exception:  # whatever is wrong with the model of sentences, words go on being understood
        log.exception("learning by meaning failed; messages are compared by their words")
    finally:
        if release is not None:
            connection.close()
        _learning.discard(current_thread())


def learn_release(nlu: "NLUPipeline", release: Release | None) -> None:
    """Take what was learned from this release before, or learn it and keep it. A trial's is not kept."""
    if release is None or release.trial:
        nlu.prepare(report=_go_on)
        return
    earlier = stored_artefact(release)
    row = _Progress(release)
    try:
        artefact = nlu.prepare(earlier, row)
    except ProcessEnds:
        raise
    except Exception as error:
        row.record_failure(error)
        raise
    if artefact is not None and artefact is not earlier:
        row.record_ready(artefact)


def _go_on(done: int, total: int) -> None:
    if _ending.is_set():
        raise ProcessEnds


def stored_artefact(release: Release) -> "EmbeddingsArtefact | None":
    from dialogue.nlu.text.embeddings.artefact import EmbeddingsArtefact

    row = LearnedModel.objects.filter(release=release, state=State.READY).first()
    return EmbeddingsArtefact(row.digest, bytes(row.vectors)) if row else None


class _Progress:
    """The row of a release that is being learned; it is written when the first texts were looked at."""

    def __init__(self, release: Release) -> None:
        self._release = release
        self._began = clock.now()
        self._noted = 0.0

    def __call__(self, done: int, total: int) -> None:
        _go_on(done, total)
        if monotonic() - self._noted >= EVERY:
            self._noted = monotonic()
            self._update_row(state=State.LEARNING, done=done, total=total)

    def record_ready(self, artefact: "EmbeddingsArtefact") -> None:
        total = len(artefact.vectors) // max(artefact.row_bytes, 1)
        now = clock.now()
        self._update_row(
            state=State.READY,
            done=total,
            total=total,
            digest=artefact.digest,
            vectors=artefact.vectors,
            ready_at=now,
            error="",
        )

    def record_failure(self, error: Exception) -> None:
        self._update_row(state=State.BROKEN, error=f"{type(error).__name__}: {error}"[:MAX_ERROR_CHARACTERS])

    def _update_row(self, **facts: object) -> None:
        with transaction.atomic():
            LearnedModel.objects.update_or_create(
                release=self._release, defaults=facts, create_defaults={"began_at": self._began, **facts}
            )
