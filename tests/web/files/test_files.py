"""A file on its way: sent in the chat, checked, shown to staff, answered with, downloaded, and removed."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import async_to_sync
from django.core.files.storage import FileSystemStorage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client

from dialogue.desk.access.people import read_person
from dialogue.desk.forms.forms import fields_of
from dialogue.desk.maintenance import outbox
from dialogue.desk.maintenance.erasure import erase_conversation
from dialogue.desk.maintenance.retention import delete_expired_data
from dialogue.engine.actions import FileGone
from dialogue.models import AuditEntry, Conversation, Event, FileDeletion, HITLSession, Message, UploadedFile
from dialogue.turns import clock
from dialogue.turns.accept import open_conversation
from dialogue.turns.files import scanning, sending
from dialogue.turns.files.contents import delete_files, open_content
from dialogue.turns.files.refusals import FileRefused
from dialogue.turns.files.uploads import FilePlace, store_uploads
from dialogue.turns.process import crash_points
from dialogue.turns.worker import drain
from tests.support.answer_links import newest_token
from tests.support.releases import publish
from tests.support.transfers import person

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

PDF = b"%PDF-1.7\n" + b"x" * 400
PNG = b"\x89PNG\r\n\x1a\n" + bytes(60)
CLAIMS = {
    "assistant.yaml": "version: 1\nassistant: claims\ntitle: Claims\n",
    "claim.yaml": """\
flow: claim
title: a claim
description: Hands in a bill.
examples: [hand in a bill]
slots:
  bill: {type: file, kinds: [pdf], max_size: 2 KB, prompt: Please send the bill.}
  photos: {type: list, items: {type: file, kinds: [image]}, max_length: 3, prompt: And photos.}
steps:
  - {step: ask, type: collect, slot: bill}
  - {step: more, type: collect, slot: photos}
  - step: check
    type: human
    title: Check a bill
    show: [bill, photos]
    form: {receipt: {type: file, kinds: [pdf]}}
    actions: [{id: accept, style: primary}, {id: refuse}]
    channels: [{email: daniel@treasury.example}]
    timeout: 1d
    on_timeout: refuse
    next: {accept: done, refuse: end}
  - {step: done, type: say, message: "Accepted: {bill}, receipt {check.receipt}"}
""",
}


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    """Contents are stored in a folder of this test."""
    settings.MEDIA_ROOT = str(tmp_path)
    return tmp_path


@pytest.fixture
def claim() -> Iterator[tuple[Conversation, str]]:
    """A conversation that waits for the bill, and its token."""
    publish(CLAIMS)
    conversation, token = open_conversation("claims")
    answer = post(conversation, token, "messages", {"id": "m1", "text": "hand in a bill"})
    assert [line["key"] for line in answer.json()["messages"]] == ["ask:bill"]
    yield conversation, token


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def post(conversation: Conversation, token: str, what: str, body: dict[str, Any]) -> Any:
    path = f"/api/v1/conversations/{conversation.pk}/{what}"
    return Client().post(path, json.dumps(body), "application/json", headers=bearer(token))


def upload(claim: tuple[Conversation, str], *files: tuple[str, bytes], id: str = "") -> Any:
    conversation, token = claim
    sent = [SimpleUploadedFile(name, content, "text/html") for name, content in files]
    path = f"/api/v1/conversations/{conversation.pk}/files"
    return Client().post(path, {"id": id or uuid4().hex, "file": sent}, headers=bearer(token))


def waiting_gate(claim: tuple[Conversation, str]) -> HITLSession:
    upload(claim, ("bill.pdf", PDF))
    upload(claim, ("a.png", PNG), ("b.png", PNG + b"1"))
    return HITLSession.objects.get(conversation=claim[0], audience="staff")


def olga() -> Client:
    client = Client()
    client.force_login(person("olga", "Olga Reyes", "operators", is_staff=True))
    return client


def status_of(client: Client, path: str, **headers: Any) -> int:
    answer = client.get(path, **headers)
    answer.close()
    return answer.status_code


def test_a_file_is_stored_under_its_id_and_the_flow_goes_on(claim: tuple[Conversation, str], folder: Path):
    answer = upload(claim, ("../Bill of June.pdf", PDF))

    row = UploadedFile.objects.get()
    assert answer.status_code == 200 and [line["key"] for line in answer.json()["messages"]] == ["ask:photos"]
    assert (row.name, row.kind, row.size, row.used_at is not None) == ("Bill of June.pdf", "pdf", len(PDF), True)
    assert [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()] == [
        f"soni/{claim[0].pk.hex}/{row.pk.hex}"
    ]
    line = Message.objects.get(key="", role="user", text="Bill of June.pdf")
    assert line.parts == [
        {"type": "files", "files": [{"id": str(row.pk), "name": row.name, "kind": "pdf", "size": len(PDF)}]}
    ]
    claim[0].refresh_from_db()
    assert claim[0].stack[0]["slots"]["bill"]["value"] == row.value


@pytest.mark.parametrize(
    ("files", "status", "code"),
    [
        ([("bill.pdf", PNG)], 422, "file_kind"),
        ([("bill.pdf", b"<html><script>alert(1)</script>")], 422, "file_kind"),
        ([("bill.pdf", b"MZ\x90\x00")], 422, "file_kind"),
        ([("bill.pdf", b"")], 422, "file_kind"),
        ([("bill.pdf", PDF + bytes(2048))], 422, "file_size"),
        ([("a.pdf", PDF), ("b.pdf", PDF)], 422, "too_many_files"),
        ([], 422, "file_refused"),
    ],
)
def test_a_file_that_does_not_fit_is_refused_and_nothing_is_kept(
    claim: tuple[Conversation, str], folder: Path, files: list[tuple[str, bytes]], status: int, code: str
):
    answer = upload(claim, *files)

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert not UploadedFile.objects.exists() and not [path for path in folder.rglob("*") if path.is_file()]
    assert Event.objects.count() == 1


def test_a_file_that_nothing_asks_for_is_refused(claim: tuple[Conversation, str]):
    waiting_gate(claim)

    answer = upload(claim, ("late.pdf", PDF))

    assert (answer.status_code, answer.json()["code"]) == (409, "file_not_expected")


def test_the_same_id_again_is_the_same_file_once(claim: tuple[Conversation, str]):
    first, again = upload(claim, ("a.pdf", PDF), id="f1"), upload(claim, ("a.pdf", PDF), id="f1")

    assert (first.status_code, again.status_code) == (200, 200)
    assert again.json()["turn"] == first.json()["turn"]
    assert UploadedFile.objects.count() == 1 and Event.objects.filter(kind="file").count() == 1


def test_an_id_of_a_message_is_not_one_of_a_file(claim: tuple[Conversation, str]):
    assert upload(claim, ("a.pdf", PDF), id="m1").status_code == 422


def test_only_the_customer_sends_files_and_a_stranger_does_not_find_the_conversation(claim: tuple[Conversation, str]):
    stranger = upload((claim[0], "x" * 43), ("a.pdf", PDF))
    waiting_gate(claim)
    staff = olga().post(f"/api/v1/conversations/{claim[0].pk}/files", {"id": "1"})

    assert (stranger.status_code, staff.status_code) == (404, 403)


def test_a_download_is_an_attachment_that_no_browser_shows_as_a_page(claim: tuple[Conversation, str]):
    upload(claim, ("bill.pdf", PDF))
    file = UploadedFile.objects.get()
    path = f"/api/v1/conversations/{claim[0].pk}/files/{file.pk}"

    answer: Any = Client().get(path, headers=bearer(claim[1]))

    assert answer.getvalue() == PDF and answer["Content-Type"] == "application/pdf"
    assert answer["Content-Disposition"] == 'attachment; filename="bill.pdf"'
    assert answer["X-Content-Type-Options"] == "nosniff" and "sandbox" in answer["Content-Security-Policy"]
    assert status_of(Client(), path) in (401, 404)
    other, other_token = open_conversation("claims")
    foreign = f"/api/v1/conversations/{other.pk}/files/{file.pk}"
    assert status_of(Client(), foreign, headers=bearer(other_token)) == 404


def test_the_pages_link_is_for_the_customers_browser_and_staff(claim: tuple[Conversation, str]):
    upload(claim, ("bill.pdf", PDF))
    path = f"/chat/files/{UploadedFile.objects.get().pk}/"
    visitor, ursula = Client(), Client()
    session = visitor.session
    session["chats"] = {"claims": [str(claim[0].pk), claim[1]]}
    session.save()
    ursula.force_login(person("ursula", "Ursula Berg"))

    assert status_of(visitor, path) == 200
    assert status_of(Client(), path) == 404 and status_of(ursula, path) == 404
    waiting_gate_of = upload(claim, ("a.png", PNG))
    assert waiting_gate_of.status_code == 200 and status_of(olga(), path) == 200
    assert 'href="/chat/files/' in visitor.get("/chat/claims/").content.decode()


def test_a_gate_shows_the_files_and_its_form_takes_one(claim: tuple[Conversation, str]):
    gate, desk = waiting_gate(claim), olga()
    page = desk.get(f"/gates/{gate.name}/").content.decode()
    assert 'type="file"' in page and 'accept=".pdf"' in page and "bill.pdf" in page and "b.png" in page

    wrong = desk.post(
        f"/gates/{gate.name}/submit/",
        {"action": "accept", "version": gate.version, "key": "k1", "value.receipt": SimpleUploadedFile("r.pdf", PNG)},
    )
    right = desk.post(
        f"/gates/{gate.name}/submit/",
        {"action": "accept", "version": gate.version, "key": "k2", "value.receipt": SimpleUploadedFile("r.pdf", PDF)},
    )

    assert (wrong.status_code, right.status_code) == (422, 201)
    assert "is not a file of an accepted kind" in wrong.content.decode()
    async_to_sync(drain)(claim[0].pk)
    gate.refresh_from_db()
    receipt = UploadedFile.objects.get(session=gate)
    assert gate.values["receipt"] == receipt.value and receipt.used_at is not None and receipt.sender
    assert Message.objects.get(key="say:done").text == "Accepted: bill.pdf, receipt r.pdf"


def test_a_gate_is_answered_over_the_api_with_the_id_of_a_file(claim: tuple[Conversation, str]):
    gate, desk = waiting_gate(claim), olga()
    desk_token = desk.cookies
    assert desk_token
    form = {"field": "receipt", "file": SimpleUploadedFile("r.pdf", PDF)}
    stored = desk.post(f"/api/v1/sessions/{gate.name}/files", form)
    (file,) = stored.json()["files"]
    foreign = {"action": "accept", "values": {"receipt": str(uuid4())}, "version": gate.version}
    forged = {"action": "accept", "values": {"receipt": {**file, "name": "x.pdf"}}, "version": gate.version}

    unknown = desk.post(f"/api/v1/sessions/{gate.name}/submit", json.dumps(foreign), "application/json")
    answer = desk.post(f"/api/v1/sessions/{gate.name}/submit", json.dumps(forged), "application/json")

    assert stored.status_code == 201 and unknown.status_code == 422
    assert answer.status_code == 201
    gate.refresh_from_db()
    assert gate.values["receipt"] == file  # the stored facts count, and not those that were sent


def test_an_approver_outside_downloads_what_the_question_shows_and_sends_a_file(claim: tuple[Conversation, str]):
    gate = waiting_gate(claim)
    outbox.deliver_due()
    address = f"/answer/{newest_token()}/"
    bill = UploadedFile.objects.get(name="bill.pdf")
    page = Client().get(address).content.decode()
    other = UploadedFile.objects.create(
        conversation=claim[0], name="o.pdf", kind="pdf", size=1, digest="", field="x", content="x", at=clock.now()
    )

    assert f'href="files/{bill.pk}/"' in page and 'type="file"' in page
    assert status_of(Client(), f"{address}files/{bill.pk}/") == 200
    assert status_of(Client(), f"{address}files/{other.pk}/") == 404
    form = {"action": "accept", "version": gate.version, "key": "k", "value.receipt": SimpleUploadedFile("r.pdf", PDF)}
    assert Client().post(address, form).status_code == 201
    assert status_of(Client(), f"{address}files/{bill.pk}/") == 404


async def scan_for_eicar(file: Any, name: str, kind: str) -> bool | None:
    """A scanner of the project, async."""
    content = file.read()
    if b"broken" in content:
        raise OSError("the scanner is down")
    return None if b"silent" in content else b"eicar" not in content


@pytest.mark.parametrize(
    ("content", "refusal"),
    [(b"eicar", (422, "file_infected")), (b"broken", (503, "file_unscanned")), (b"silent", (503, "file_unscanned"))],
)
def test_the_projects_scanner_decides_about_each_file(
    claim: tuple[Conversation, str], settings: Any, folder: Path, content: bytes, refusal: tuple[int, str]
):
    settings.SONI = {**getattr(settings, "SONI", {}), "FILE_SCANNER": f"{__name__}.scan_for_eicar"}

    refused, clean = upload(claim, ("bill.pdf", PDF + content)), upload(claim, ("bill.pdf", PDF))

    assert (refused.status_code, refused.json()["code"], clean.status_code) == (*refusal, 200)
    assert "bill.pdf" in refused.json()["detail"]
    assert len([path for path in folder.rglob("*") if path.is_file()]) == 1


def test_a_scanner_that_does_not_answer_keeps_the_file_out(
    claim: tuple[Conversation, str], settings: Any, monkeypatch: pytest.MonkeyPatch
):
    settings.SONI = {**getattr(settings, "SONI", {}), "FILE_SCANNER": f"{__name__}.scan_slowly"}
    monkeypatch.setattr(scanning, "SCAN_SECONDS", 0.05)

    assert upload(claim, ("bill.pdf", PDF)).json()["code"] == "file_unscanned"


def scan_slowly(file: Any, name: str, kind: str) -> bool:
    import time

    time.sleep(0.5)
    return True


def test_erasing_a_conversation_removes_the_contents_too(claim: tuple[Conversation, str], folder: Path):
    waiting_gate(claim)
    root = person("root", "Rut Berg", is_superuser=True)

    erased = erase_conversation(claim[0].pk, read_person(root.pk), "asked")

    assert erased.rows["UploadedFile"] == 3
    assert not UploadedFile.objects.exists() and not [path for path in folder.rglob("*") if path.is_file()]


def test_a_file_that_nobody_used_is_removed_after_a_day(claim: tuple[Conversation, str], folder: Path):
    gate, desk = waiting_gate(claim), olga()
    desk.post(f"/api/v1/sessions/{gate.name}/files", {"field": "receipt", "file": SimpleUploadedFile("r.pdf", PDF)})
    unused = UploadedFile.objects.get(used_at=None)

    delete_expired_data()
    assert UploadedFile.objects.filter(pk=unused.pk).exists()
    UploadedFile.objects.update(at=clock.now() - timedelta(hours=25))
    delete_expired_data()

    assert not UploadedFile.objects.filter(pk=unused.pk).exists() and UploadedFile.objects.count() == 3
    assert len([path for path in folder.rglob("*") if path.is_file()]) == 3


def test_an_action_opens_the_files_of_its_own_conversation_only(claim: tuple[Conversation, str]):
    upload(claim, ("bill.pdf", PDF))
    file = UploadedFile.objects.get()

    with open_content(claim[0].pk, str(file.pk)) as content:
        assert content.read() == PDF
    for conversation, name in ((uuid4(), str(file.pk)), (claim[0].pk, "../../etc/passwd"), (claim[0].pk, "")):
        with pytest.raises(FileGone):
            open_content(conversation, name)


def test_a_refused_request_leaves_a_file_that_was_sent_before(claim: tuple[Conversation, str]):
    gate = waiting_gate(claim)
    place = FilePlace(claim[0], fields_of(gate)[0].slot, "olga", gate)
    uploads: list[Any] = [SimpleUploadedFile("r.pdf", PDF), SimpleUploadedFile("bad.pdf", b"MZ\x90\x00")]
    (earlier,) = store_uploads(place, uploads[:1])
    many = replace(place, slot=place.slot.model_copy(update={"type": "list", "items": place.slot}))

    with pytest.raises(FileRefused):
        store_uploads(many, uploads)

    assert UploadedFile.objects.filter(pk=earlier.pk).exists()


def test_a_superusers_download_is_in_the_audit_trail(claim: tuple[Conversation, str]):
    upload(claim, ("bill.pdf", PDF))
    root = Client()
    root.force_login(person("root", "Rut Berg", is_superuser=True, is_staff=True))

    assert status_of(root, f"/chat/files/{UploadedFile.objects.get().pk}/") == 200

    assert AuditEntry.objects.filter(chain=str(claim[0].pk), act="conversation.looked").count() == 1


class ProcessEnd(BaseException):
    """The process ends here."""


def end_at(point: str) -> None:
    def trap(passed: str) -> None:
        if passed == point:
            crash_points.set_trap(None)
            raise ProcessEnd

    crash_points.set_trap(trap)


@pytest.mark.parametrize(("point", "stored"), [("U1", 2), ("U2", 2), ("U3", 1), ("U4", 1)])
def test_an_upload_that_is_interrupted_is_sent_again_and_leaves_nothing(
    claim: tuple[Conversation, str], folder: Path, point: str, stored: int
):
    end_at(point)
    with pytest.raises(ProcessEnd):
        upload(claim, ("bill.pdf", PDF), id="f1")

    assert upload(claim, ("bill.pdf", PDF), id="f1").status_code == 200
    assert UploadedFile.objects.count() == stored

    UploadedFile.objects.filter(used_at=None).update(at=clock.now() - timedelta(days=2))
    delete_expired_data()

    row = UploadedFile.objects.get()
    assert [path.name for path in folder.rglob("*") if path.is_file()] == [row.pk.hex]
    with open_content(claim[0].pk, str(row.pk)) as content:
        assert content.read() == PDF
    assert Event.objects.filter(conversation=claim[0], kind="file").count() == 1


def test_a_removal_that_is_interrupted_is_finished_by_the_next_one(claim: tuple[Conversation, str], folder: Path):
    upload(claim, ("bill.pdf", PDF))
    UploadedFile.objects.update(used_at=None, at=clock.now() - timedelta(days=2))
    end_at("U5")
    with pytest.raises(ProcessEnd):
        delete_expired_data()

    assert UploadedFile.objects.count() == 1
    delete_expired_data()

    assert not UploadedFile.objects.exists()
    assert not [path for path in folder.rglob("*") if path.is_file()]


def contents(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_an_erasure_that_ends_before_the_contents_are_deleted_is_finished_by_the_sweep(
    claim: tuple[Conversation, str], folder: Path
):
    waiting_gate(claim)
    end_at("U6")
    with pytest.raises(ProcessEnd):
        erase_conversation(claim[0].pk, read_person(person("root", "Rut Berg", is_superuser=True).pk), "asked")

    assert not UploadedFile.objects.exists() and len(contents(folder)) == 3
    delete_expired_data()

    assert not contents(folder)


def test_an_erasure_that_is_rolled_back_deletes_no_content(claim: tuple[Conversation, str], folder: Path):
    upload(claim, ("bill.pdf", PDF))
    with pytest.raises(ProcessEnd), transaction.atomic():
        delete_files(UploadedFile.objects.all())
        raise ProcessEnd

    delete_expired_data()

    assert UploadedFile.objects.count() == len(contents(folder)) == 1


def test_a_storage_that_does_not_delete_is_asked_again(
    claim: tuple[Conversation, str], folder: Path, monkeypatch: pytest.MonkeyPatch
):
    upload(claim, ("bill.pdf", PDF))
    UploadedFile.objects.update(used_at=None, at=clock.now() - timedelta(days=2))

    with monkeypatch.context() as broken:
        broken.setattr(FileSystemStorage, "delete", refuse_to_delete)
        delete_expired_data()
    assert not UploadedFile.objects.exists() and contents(folder)
    delete_expired_data()

    assert not contents(folder)


def refuse_to_delete(storage: Any, name: str) -> None:
    raise OSError("the disk is read-only")


def test_an_upload_beside_the_erasure_of_its_conversation_leaves_no_content(
    claim: tuple[Conversation, str], folder: Path
):
    sofia = read_person(person("root", "Rut Berg", is_superuser=True).pk)
    call_at("U2", lambda: erase_conversation(claim[0].pk, sofia, "asked"))

    assert upload(claim, ("bill.pdf", PDF)).status_code == 409

    assert not UploadedFile.objects.exists() and not contents(folder)


def test_an_upload_that_ends_after_the_erasure_of_its_conversation_leaves_nothing_for_good(
    claim: tuple[Conversation, str], folder: Path
):
    sofia = read_person(person("root", "Rut Berg", is_superuser=True).pk)
    call_at("U1", lambda: erase_conversation(claim[0].pk, sofia, "asked"), then="U2")
    with pytest.raises(ProcessEnd):
        upload(claim, ("bill.pdf", PDF))
    delete_expired_data()
    assert len(contents(folder)) == 1

    FileDeletion.objects.update(removed_at=clock.now() - timedelta(hours=2))
    delete_expired_data()

    assert not contents(folder) and not FileDeletion.objects.exists()


def call_at(point: str, act: Callable[[], object], then: str = "") -> None:
    """Do this at a crash point, and let the process end at another one after it."""

    def trap(passed: str) -> None:
        if passed == point:
            crash_points.set_trap(None)
            act()
            if then:
                end_at(then)

    crash_points.set_trap(trap)


def test_a_retry_beside_its_first_request_gets_the_answer_of_the_first(
    claim: tuple[Conversation, str], monkeypatch: pytest.MonkeyPatch
):
    """Both have looked for an earlier answer before either has one, and the first file is used before the second."""
    upload(claim, ("bill.pdf", PDF), id="f1")
    looks = [sending._earlier_answer, lambda *_: None]

    def look(conversation: Conversation, client_id: str) -> Any:
        return looks.pop()(conversation, client_id)

    monkeypatch.setattr(sending, "_earlier_answer", look)

    assert upload(claim, ("photo.png", PNG), id="f1").status_code == 200

    assert not looks
    assert Event.objects.filter(conversation=claim[0], kind="file").count() == 1


def test_a_form_without_a_boundary_is_refused_and_fails_nothing(client: Client):
    row, token = open_conversation(publish(CLAIMS).assistant.name)

    answer = client.generic(
        "POST",
        f"/api/v1/conversations/{row.pk}/files",
        b"--",
        "multipart/form-data",
        headers={"Authorization": f"Bearer {token}"},
    )

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_form")
