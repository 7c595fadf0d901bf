"""Servers that a campaign kills, each forked from one warm process, so that a start takes less than a second.

    python -m campaigns.support.forked_servers

reads commands from its input, a JSON object a line, and answers each with one. A forked server has a trap at one fault
point: at the n-th passage it ends itself by -9, or stands still until it is told to go on. Nothing here is reached from
the product.
"""

import json
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    from dialogue.models import Conversation, HITLSession

Plain = dict[str, Any]
TOLD_WITHIN = 120
"""Seconds without any webhook that arrives, after which those that are left count as not sent."""


def main(answers: "dict[str, Callable[[Plain], Any]] | None" = None, prepare: Callable[[], None] | None = None) -> None:
    """Do what is asked until the input ends; `prepare` is called once Django is set up."""
    import django

    django.setup()
    if prepare is not None:
        prepare()
    answers = answers or ANSWERS
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # ended children are not waited for
    works: dict[str, Callable[[Plain], Any]] = {
        "serve": _serve,
        **{name: _asked(answer) for name, answer in answers.items()},
    }
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(works[asked["do"]](asked)), flush=True)


def _serve(asked: Plain) -> int:
    """The process id of a new server."""
    _warm()
    child = os.fork()
    if child == 0:
        _leave(lambda: _run_server(asked))
    return child


def _asked(answer: Callable[[Plain], Any]) -> Callable[[Plain], Any]:
    """Let a child find the answer: a process that forks must hold neither connection nor thread."""

    def ask(asked: Plain) -> Any:
        reading, writing = os.pipe()
        if os.fork() == 0:
            _leave(lambda: _write(writing, answer(asked)))
        os.close(writing)
        with os.fdopen(reading) as text:
            return json.loads(text.read() or "null")

    return ask


def _write(to: int, answer: Any) -> None:
    with os.fdopen(to, "w") as out:
        out.write(json.dumps(answer))


def _leave(work: Callable[[], Any]) -> None:
    """Do it and end, without what the parent would do at its end."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        work()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(1)


_is_warm = False


def _warm() -> None:
    """Import and compile what a first turn needs, before the first fork."""
    global _is_warm  # noqa: PLW0603 - once a process
    if _is_warm:
        return
    _is_warm = True
    from django.db import connection, connections
    from django.urls import get_resolver

    from dialogue.models import Release
    from dialogue.turns.compiled_releases import compiled_release

    get_resolver().url_patterns  # noqa: B018 - it imports what it names
    for release in Release.objects.all():
        compiled_release(release)
    connections.close_all()
    if hasattr(connection, "close_pool"):
        connection.close_pool()


def _run_server(asked: Plain) -> None:
    """Run `manage.py up` without what only a first start does, until the signal or the trap."""
    from django.db import connection

    from dialogue.management.one_process import only_process
    from dialogue.management.server import Place, serve
    from dialogue.turns import lease

    allow_this_machine()
    end = signal.SIGSTOP if asked.get("stops") else signal.SIGKILL
    set_trap_at(asked.get("point", ""), asked.get("passage", 1), end)
    with only_process():
        if connection.vendor == "sqlite":
            lease.end_all()
        works = {"E1": publish_again, "U5": remove_an_old_file, "U6": erase_a_conversation}
        if work := works.get(asked.get("point", "")):
            threading.Timer(0.5, work).start()
        serve(Place("127.0.0.1", asked["port"]), lambda: None)


def set_trap_at(point: str, passage: int, end: signal.Signals) -> None:
    """Give this process the signal when it passes this point for the n-th time."""
    from dialogue.turns.process.crash_points import set_trap

    lock, left = threading.Lock(), [passage]

    def trap(passed: str) -> None:
        if passed != point:
            return
        with lock:
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), end)

    set_trap(trap if point else None)


def allow_this_machine() -> None:
    """Let webhooks reach the world outside, which is on this machine and speaks without encryption."""
    from dialogue.desk.webhooks import signed_posts

    signed_posts.SCHEMES = ("https", "http")  # type: ignore[assignment]
    signed_posts.is_public = lambda address: True


def publish_again() -> None:
    """A new release, as an author makes one while people talk."""
    from dialogue.library.documents.versions import documents_of, store_documents
    from dialogue.library.releases.releases import publish
    from dialogue.models import Assistant

    shop = Assistant.objects.get(name="shop")
    documents = documents_of(shop)
    documents["note.yaml"] = documents["note.yaml"].replace("Thank you", "Thank you!")
    publish(store_documents(documents))


def remove_an_old_file() -> None:
    """What the sweep does a day after someone sent a file and nothing else."""
    from datetime import timedelta

    from dialogue.models import Conversation
    from dialogue.turns import clock
    from dialogue.turns.files.uploads import delete_unused

    _store_file(Conversation.objects.earliest("created_at"), clock.now() - timedelta(days=2))
    delete_unused()


def erase_a_conversation() -> None:
    """What a person does who is asked to forget a customer, who had sent a file."""
    from dialogue.desk.maintenance.erasure import erase_conversation
    from dialogue.desk.maintenance.retention import CLOCK
    from dialogue.turns import clock
    from dialogue.turns.accept import open_conversation

    conversation = open_conversation("shop")[0]
    _store_file(conversation, clock.now(), used_at=clock.now())
    erase_conversation(conversation.pk, CLOCK, "asked")


def _store_file(conversation: "Conversation", at: "datetime", **more: Any) -> None:
    from django.core.files.base import ContentFile

    from dialogue.models import UploadedFile

    row = UploadedFile(
        conversation=conversation, at=at, field="bill", name="a.txt", kind="text", size=3, digest="0", **more
    )
    row.content.save("", ContentFile(b"old"))


def _prepare(asked: Plain) -> None:
    """A new database with the shop and its people."""
    import hashlib

    from django.contrib.auth.models import Group, Permission, User
    from django.core.management import call_command

    from campaigns.support.outside import WEBHOOK
    from campaigns.support.shop import SHOP
    from dialogue.desk.webhooks.endpoints import add_endpoint
    from dialogue.library.documents.versions import store_documents
    from dialogue.library.releases.releases import publish
    from dialogue.models import ApiToken

    call_command("migrate", verbosity=0, interactive=False)
    publish(store_documents(SHOP))
    for name, groups in (("olga", ("operators",)), ("ursula", ())):
        user = User.objects.create_user(name)
        user.groups.set(Group.objects.get_or_create(name=group)[0] for group in groups)
        ApiToken.objects.create(user=user, name="campaign", sha256=hashlib.sha256(name.encode()).hexdigest())
    reporting = Permission.objects.filter(codename__in=("signal_conversation", "view_every_conversation"))
    olga = User.objects.get(username="olga")
    olga.user_permissions.set(reporting)
    allow_this_machine()
    add_endpoint(os.environ["OUTSIDE_URL"] + WEBHOOK, ["messages"], olga)


def _rest(asked: Plain) -> int:
    """How much of what was accepted before a moment still waits: due events and timers, and decisions on their way."""
    from dialogue.models import Event, HITLSession, Timer

    way = (HITLSession.Delivery.PENDING, HITLSession.Delivery.APPLYING)
    due = Event.objects.filter(state=Event.State.DUE, accepted_at__lt=asked["before"])
    timers = Timer.objects.filter(fired_at=None, due_at__lt=asked["before"])
    return (
        due.count()
        + timers.count()
        + HITLSession.objects.filter(delivery__in=way, decided_at__lt=asked["before"]).count()
    )


def _mend(asked: Plain) -> int:
    """Let every incident be tried again, as a supervisor does; how many there were."""
    from dialogue.models import Event, HITLSession

    stuck = Event.objects.filter(state=Event.State.INCIDENT)
    sessions = HITLSession.objects.filter(delivery=HITLSession.Delivery.INCIDENT)
    sessions.filter(events__in=stuck).update(delivery=HITLSession.Delivery.PENDING)
    return stuck.update(state=Event.State.DUE, attempts=0, error="", basis={})


def _account(asked: Plain) -> Plain:
    """All that the campaign compares with what its clients were told."""
    from django.db.models import F, Max

    from dialogue.audit.invariants import count_violations
    from dialogue.models import Event, HITLSession, Message

    events = Event.objects.filter(kind__in=("message", "file")).order_by("conversation", "number")
    longest = Event.objects.aggregate(longest=Max(F("done_at") - F("accepted_at")))["longest"]
    reports = Event.objects.filter(kind="signal")
    gates = HITLSession.objects.exclude(expires_at=None).exclude(decided_at=None)
    lines = Message.objects.order_by("conversation", "seq")
    return {
        "events": [[str(row.conversation_id), row.client_id, row.state] for row in events],
        "untold": _tell_the_rest(),
        "reports": [str(row.conversation_id) for row in reports],
        "files": _files_after_removal(),
        "lines": [[str(row.conversation_id), row.seq, row.role, row.key, row.text] for row in lines],
        "broken": [f"{count} x {invariant.sentence}" for invariant, count in count_violations() if count],
        "decided": {row.name: row.handle for row in HITLSession.objects.filter(audience="staff")},
        "gates": [[row.state, _early(row) if row.state == "expired" else 0.0] for row in gates],
        "longest": longest.total_seconds() if longest else 0.0,
    }


def _files_after_removal() -> Plain:
    """Files as rows [conversation, name, digest, place of the content], digests of all contents by their places, and
    how many are listed for deletion, once the sweep has removed what is unused or erased."""
    import hashlib
    from datetime import timedelta
    from pathlib import Path

    from django.conf import settings

    from dialogue.models import FileDeletion, UploadedFile
    from dialogue.models.conversations.uploaded_file import content_name
    from dialogue.turns import clock
    from dialogue.turns.files.contents import finish_deletions
    from dialogue.turns.files.uploads import delete_unused

    UploadedFile.objects.filter(used_at=None).update(at=clock.now() - timedelta(days=2))
    while delete_unused():
        pass
    finish_deletions()
    FileDeletion.objects.exclude(removed_at=None).update(removed_at=clock.now() - timedelta(hours=2))
    finish_deletions()
    root = Path(settings.MEDIA_ROOT)
    contents = [path for path in root.rglob("*") if path.is_file()]
    return {
        "rows": [
            [str(row.conversation_id), row.name, row.digest, content_name(row.conversation_id, row.pk)]
            for row in UploadedFile.objects.all()
        ],
        "listed": FileDeletion.objects.count(),
        "contents": {str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in contents},
    }


def _tell_the_rest() -> int:
    """Send the webhooks that are still on their way; how many are left once none has arrived for a while.

    Thousands may wait: after a failed attempt the endpoint rests, and each kill ends one.
    """
    from dialogue.desk.webhooks.addressing import address_events
    from dialogue.desk.webhooks.deliveries import deliver_webhooks
    from dialogue.models import WebhookDelivery, WebhookEndpoint, WebhookEvent
    from dialogue.turns import clock

    allow_this_machine()
    pending, end = WebhookDelivery.objects.filter(state="pending"), time.monotonic() + TOLD_WITHIN
    while (WebhookEvent.objects.exists() or pending.exists()) and time.monotonic() < end:
        pending.update(due_at=clock.now())  # the lease of a dead process may run
        WebhookEndpoint.objects.update(rests_until=None)  # an attempt may have ended with its process or come too late
        if address_events() + deliver_webhooks():
            end = time.monotonic() + TOLD_WITHIN
    return WebhookEvent.objects.count() + pending.count()


def _early(gate: "HITLSession") -> float:
    """By how many seconds it was decided before its deadline; less than 0: after it."""
    assert gate.expires_at is not None and gate.decided_at is not None
    return (gate.expires_at - gate.decided_at).total_seconds()


ANSWERS: dict[str, Callable[[Plain], Any]] = {
    "prepare": _prepare,
    "rest": _rest,
    "mend": _mend,
    "account": _account,
}

if __name__ == "__main__":
    main()
