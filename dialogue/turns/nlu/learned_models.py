"""Learn the sentence embeddings of a release once, in the background; its row has the progress and the result."""

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
PROGRESS_SECONDS = 0.5
"""Time between two updates of the progress."""

MAX_ERROR_CHARACTERS = 500
JOIN_SECONDS = 5.0
"""How long the end of the process waits for a learning thread to notice it."""

log = logging.getLogger(__name__)

_ending = Event()
_learning: set[Thread] = set()


class ProcessEnds(Exception):
    """The process is about to end; the next process learns the rest."""


def learn_behind(nlu: "NLUPipeline", release: Release | None) -> None:
    """Start learning in a new thread; until it has finished, messages are compared by their words."""
    if nlu.uses_embeddings:
        name = f"learning {nlu.assistant_index.assistant.assistant}"
        thread = Thread(target=_learn_in_thread, args=(nlu, release), name=name, daemon=True)
        _learning.add(thread)
        thread.start()


@atexit.register
def _stop_learning() -> None:
    """Stop learning before the interpreter ends: a thread in the model's native code would crash the process."""
    _ending.set()
    for thread in list(_learning):
        thread.join(JOIN_SECONDS)


def _learn_in_thread(nlu: "NLUPipeline", release: Release | None) -> None:
    try:
        learn_release(nlu, release)
    except ProcessEnds:
        log.debug("the learning of embeddings was stopped by the end of the process")
    except Exception:  # whatever fails in the model, messages can be understood by their words
        log.exception("the learning of embeddings failed; messages are compared by their words")
    finally:
        if release is not None:
            connection.close()
        _learning.discard(current_thread())


def learn_release(nlu: "NLUPipeline", release: Release | None) -> None:
    """Load the release's stored embeddings, or learn and store them; those of a test's release are not stored.

    Raises ProcessEnds, and what the model raises.
    """
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
    """Return the stored embeddings of a release; None when it is not learned."""
    from dialogue.nlu.text.embeddings.artefact import EmbeddingsArtefact

    row = LearnedModel.objects.filter(release=release, state=State.READY).first()
    return EmbeddingsArtefact(row.digest, bytes(row.vectors)) if row else None


class _Progress:
    """The progress of learning a release on its row, which the first call creates."""

    def __init__(self, release: Release) -> None:
        self._release = release
        self._began = clock.now()
        self._noted = 0.0

    def __call__(self, done: int, total: int) -> None:
        _go_on(done, total)
        if monotonic() - self._noted >= PROGRESS_SECONDS:
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
