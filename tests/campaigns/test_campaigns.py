"""The campaigns in a small size, and their runner."""

import pytest

from campaigns.support.campaign import Campaign, Tally, campaigns, conduct

pytestmark = pytest.mark.journey

SMALL = {"yaml": 120, "conditions": 600, "properties": 30}
SEED = 7


@pytest.mark.parametrize("name", SMALL)
def test_a_small_campaign_passes(name):
    report = conduct(campaigns()[name], SMALL[name], SEED)

    print(*report.lines(), sep="\n")
    assert report.passed, "\n".join(report.lines())


def test_a_campaign_that_tried_nothing_has_failed():
    idle = Campaign("idle", "never", 1, 1, ("seen",), lambda size, seed, tally: None)

    report = conduct(idle, 1, SEED)

    assert not report.passed
    assert "never seen: seen" in "\n".join(report.lines())


def test_what_a_campaign_raises_is_told_with_its_seed():
    def stumble(size: int, seed: int, tally: Tally) -> None:
        tally.count("seen")
        raise ValueError("a bad surprise")

    report = conduct(Campaign("broken", "never", 1, 1, ("seen",), stumble), 1, SEED)

    told = "\n".join(report.lines())
    assert "FAILED  seed 7" in told
    assert "ValueError: a bad surprise" in told


def test_what_was_only_late_has_not_passed_and_is_not_wrong_either():
    def dawdle(size: int, seed: int, tally: Tally) -> None:
        tally.count("seen")
        tally.late.append("at rest after 31 s")

    report = conduct(Campaign("slow", "never", 1, 1, ("seen",), dawdle), 1, SEED)

    assert not report.passed
    assert report.is_right
    assert "late: at rest after 31 s" in "\n".join(report.lines())
