"""Learning begins with publishing, not with the first message: whoever sweeps looks for releases nobody has learned."""

from dialogue.models import Assistant, LearnedModel, Release
from dialogue.turns.compiled_releases import compiled_release
from dialogue.turns.nlu.understanding import chosen

State = LearnedModel.State

_begun: set[int] = set()
"""What this process began with, so that what it could not learn is tried again only by the next."""


def learn_published() -> Release | None:
    """Begin to learn the newest active release that was not learned yet, in a thread of its own; which one that is."""
    if not chosen().use_embeddings:
        return None
    release = newest_unlearned_release()
    if release is not None:
        _begun.add(release.pk)
        compiled_release(release)
    return release


def newest_unlearned_release() -> Release | None:
    """The newest active release that neither was learned nor is begun with here."""
    active = Assistant.objects.exclude(active_release=None).exclude(active_release__in=_begun)
    rows = active.exclude(active_release__learned__state__in=[State.READY, State.BROKEN])
    newest = rows.select_related("active_release").order_by("-active_release__pk").first()
    return newest.active_release if newest else None
