"""Start the learning of published releases: the sweep looks for active ones without a learned model.

So learning begins with publishing, not with the first message.
"""

from dialogue.models import Assistant, LearnedModel, Release
from dialogue.turns.compiled_releases import compiled_release
from dialogue.turns.nlu.understanding import chosen

State = LearnedModel.State

_started_releases: set[int] = set()
"""Releases whose learning this process has started. One that fails is tried again only by the next process."""


def learn_published() -> Release | None:
    """Start to learn the newest active release without a learned model, in a new thread. Return it, or None."""
    if not chosen().use_embeddings:
        return None
    release = newest_unlearned_release()
    if release is not None:
        _started_releases.add(release.pk)
        compiled_release(release)
    return release


def newest_unlearned_release() -> Release | None:
    """Return the newest active release that is not learned and whose learning this process has not started."""
    active = Assistant.objects.exclude(active_release=None).exclude(active_release__in=_started_releases)
    rows = active.exclude(active_release__learned__state__in=[State.READY, State.BROKEN])
    newest = rows.select_related("active_release").order_by("-active_release__pk").first()
    return newest.active_release if newest else None
