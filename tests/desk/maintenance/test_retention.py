"""What was kept longer than the settings say goes; everything else stays."""

from datetime import UTC, datetime, timedelta

import pytest

from dialogue.audit.invariants import count_violations
from dialogue.desk.maintenance.retention import KINDS, PeriodicDeletion, delete_expired_data
from dialogue.library.releases.test_conversations import unpublished_release
from dialogue.models import Conversation, Draft, HITLSession, InboxEvent, Release, Submission
from dialogue.turns import clock
from dialogue.turns.accept import open_conversation
from tests.support.soni_settings import change

pytestmark = pytest.mark.django_db

FOR_EVER = {kind.setting: 0 for kind in KINDS}
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def old_and_new(session: HITLSession, oscar, olga) -> HITLSession:
    """A draft, an attempt and a piece of news of long ago, and of today."""
    for at, who in ((LONG_AGO, olga.user), (clock.now(), oscar.user)):
        Draft.objects.create(session=session, by_id=who, saved_at=at)
        Submission.objects.create(session=session, accepted=False, operation="submit", through="api", status=409, at=at)
        InboxEvent.objects.create(session=session, kind="opened", version=1, at=at)
    return session


def test_nothing_is_forgotten_where_the_settings_keep_it(settings, old_and_new):
    change(settings, KEPT_DAYS=FOR_EVER)

    assert delete_expired_data() == {}
    assert Draft.objects.count() == 2


@pytest.mark.parametrize(("kind", "model"), [("drafts", Draft), ("attempts", Submission), ("news", InboxEvent)])
def test_only_what_is_older_goes(settings, old_and_new, kind, model):
    change(settings, KEPT_DAYS={**FOR_EVER, kind: 30})

    assert delete_expired_data() == {kind: 1}

    assert model.objects.count() == 1


def test_a_conversation_that_is_over_is_erased_and_one_that_goes_on_is_not(settings, conversation):
    change(settings, KEPT_DAYS={**FOR_EVER, "conversations": 30})
    Conversation.objects.update(active_at=LONG_AGO, user_ref="Ursula")
    assert delete_expired_data() == {"conversations": 0}
    Conversation.objects.update(state=Conversation.State.DONE)

    assert delete_expired_data() == {"conversations": 1}
    assert delete_expired_data() == {"conversations": 0}

    assert Conversation.objects.get().user_ref == ""
    assert [invariant.sentence for invariant, count in count_violations() if count] == []


def test_old_tests_go_with_the_texts_that_only_they_ran_on(settings, conversation):
    change(settings, KEPT_DAYS={**FOR_EVER, "tests": 30})
    texts = conversation.release.documents()
    release = unpublished_release(
        conversation.assistant, {**texts, "check_balance.yaml": texts["check_balance.yaml"] + "#\n"}
    )
    open_conversation("bank", test=True, release=release)
    Release.objects.filter(pk=release.pk).update(published_at=LONG_AGO)
    assert delete_expired_data() == {"tests": 0}
    Conversation.objects.update(active_at=LONG_AGO)

    assert delete_expired_data() == {"tests": 2}

    assert list(Conversation.objects.all()) == [conversation]
    assert not Release.objects.filter(trial=True).exists()
    assert [invariant.sentence for invariant, count in count_violations() if count] == []


def test_one_that_cannot_be_erased_keeps_nothing_else(settings, old_and_new, monkeypatch):
    def fails(*_: object) -> None:
        raise RuntimeError("the disk is full")

    change(settings, KEPT_DAYS={**FOR_EVER, "conversations": 30, "drafts": 30})
    Conversation.objects.update(active_at=LONG_AGO, state=Conversation.State.DONE)
    monkeypatch.setattr("dialogue.desk.maintenance.retention.erase_conversation", fails)

    assert delete_expired_data() == {"conversations": 0, "drafts": 1}


def test_a_few_at_a_time(settings, session):
    change(settings, KEPT_DAYS={**FOR_EVER, "news": 1})
    old = clock.now() - timedelta(days=2)
    InboxEvent.objects.bulk_create(InboxEvent(session=session, kind="opened", version=1, at=old) for _ in range(5))

    assert [delete_expired_data(limit=3)["news"] for _ in range(3)] == [3, 2, 0]


def test_the_sweep_comes_by_more_often_than_anything_is_forgotten(settings, session):
    change(settings, KEPT_DAYS={**FOR_EVER, "news": 1})
    forgetting = PeriodicDeletion()
    forgetting()
    InboxEvent.objects.create(session=session, kind="opened", version=1, at=LONG_AGO)

    forgetting()

    assert InboxEvent.objects.exists()
