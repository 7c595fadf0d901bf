"""The rows of a flow's history: each version with what changed since the one before."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dialogue.library.documents.step_changes import StepChange, changed_steps
from dialogue.models import Flow, FlowVersion, Release

MAX_NAMED_CHANGES = 4


@dataclass(frozen=True)
class VersionRow:
    """A version; `previous` is the number of the one before, 0 for the first. `is_live`: the active release has it."""

    version: FlowVersion
    previous: int
    changes: list[StepChange]
    releases: list[Release]
    is_live: bool

    @property
    def is_noted(self) -> bool:
        """Whether somebody wrote what is new, on saving it or on publishing it."""
        return bool(self.version.note) or any(release.note for release in self.releases)

    @property
    def kinds(self) -> Counter[str]:
        """How many steps are new, changed and gone."""
        return Counter(change.kind for change in self.changes)

    @property
    def named_changes(self) -> list[StepChange]:
        return self.changes[:MAX_NAMED_CHANGES]

    @property
    def unnamed_count(self) -> int:
        return len(self.changes) - len(self.named_changes)


def version_rows(flow: Flow, versions: Sequence[FlowVersion], active_release: int | None) -> list[VersionRow]:
    """Rows of these versions, newest first; `active_release` is the key of the release that customers talk with."""
    if not versions:
        return []
    before = flow.versions.filter(number__lt=versions[-1].number).order_by("-number").first()
    older = [*versions[1:], before]
    return [_row(flow, version, old, active_release) for version, old in zip(versions, older, strict=True)]


def _row(flow: Flow, version: FlowVersion, old: FlowVersion | None, active_release: int | None) -> VersionRow:
    changes = changed_steps({flow.filename: old.text}, {flow.filename: version.text}) if old else []
    releases = [release for release in version.releases.all() if not release.trial]
    return VersionRow(
        version,
        old.number if old else 0,
        changes,
        sorted(releases, key=lambda release: release.number),
        any(release.pk == active_release for release in releases),
    )
