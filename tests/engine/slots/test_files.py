"""Files: recognised by content, refused with reasons, named safely, and stored without their content."""

from datetime import UTC, datetime
from io import BytesIO
from random import Random
from typing import Any
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA, ZipFile

import pytest

from dialogue.engine.language.compiler import Slot, check_documents
from dialogue.engine.ports import events
from dialogue.engine.slots.file_kinds import FILE_KINDS, KIND_GROUPS, expand_kinds, kind_of_file
from dialogue.engine.slots.file_values import safe_name, size_text
from dialogue.engine.slots.values import ValueRefused, format_value, value_from_any, value_from_json, value_from_text
from tests.support.engine.dialogue_harness import Talk, assistant_of

CLOCK: dict[str, Any] = {"now": datetime(2026, 11, 23, 12, 0, tzinfo=UTC), "timezone": "UTC"}
PDF: dict[str, Any] = {
    "id": "0b8f1c0e-0000-4000-8000-000000000001",
    "name": "bill.pdf",
    "kind": "pdf",
    "size": 900,
    "digest": "a" * 64,
}
PNG: dict[str, Any] = {**PDF, "id": "0b8f1c0e-0000-4000-8000-000000000002", "name": "photo.png", "kind": "png"}


def zip_of(*names: str, mark: str = "") -> bytes:
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        for name in names:
            archive.writestr(name, mark or "x")
    return packed.getvalue()


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"%PDF-1.7 \xff\xfe", "pdf"),
        (b"\x89PNG\r\n\x1a\n\x00", "png"),
        (b"\xff\xd8\xff\xe0\x00", "jpeg"),
        (b"GIF89a\x00", "gif"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "webp"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", "wav"),
        (b"XXXX\x00\x00\x00\x00WEBP", ""),
        (b"\x00\x00\x00\x18ftypheic\x00", "heic"),
        (b"\x00\x00\x00\x18ftypisom\x00", "mp4"),
        (b"ID3\x03\x00", "mp3"),
        (b"OggS\x00", "ogg"),
        (b"MM\x00*\x00", "tiff"),
        (zip_of("[Content_Types].xml", "word/document.xml"), "docx"),
        (zip_of("[Content_Types].xml", "xl/workbook.xml"), "xlsx"),
        (zip_of("[Content_Types].xml", "ppt/a.xml"), "pptx"),
        (zip_of("mimetype", mark="application/vnd.oasis.opendocument.text"), "odt"),
        (zip_of("a.txt"), "zip"),
        (zip_of("[Content_Types].xml", "word/a", "xl/b"), "zip"),
        (b"PK\x03\x04 broken", ""),
        ("día;año\n1;2\n".encode(), "text"),
        (b"a,b\n" + b"x" * 65_535 + "é".encode() + b"y", "text"),
        (b"plain \xff", ""),
        (b"with \x00 NUL", ""),
        (b"MZ\x90\x00\x03", ""),
        (b"<html><script>alert(1)</script>", ""),
        (b"\xef\xbb\xbf  <svg onload='x'>", ""),
        (b"", ""),
    ],
)
def test_the_content_says_what_a_file_is(content: bytes, kind: str):
    assert kind_of_file(BytesIO(content)) == kind


def test_every_group_stands_for_kinds_that_exist():
    assert {kind for kinds in KIND_GROUPS.values() for kind in kinds} <= set(FILE_KINDS)
    assert expand_kinds(("image", "png", "pdf")) == ("png", "jpeg", "gif", "webp", "heic", "tiff", "pdf")


@pytest.mark.parametrize(
    ("name", "kind", "stored"),
    [
        ("bill.pdf", "pdf", "bill.pdf"),
        ("../../etc/passwd", "text", "passwd.txt"),
        ("C:\\Users\\ana\\Bill.PDF", "pdf", "Bill.PDF"),
        ("photo.exe", "png", "photo.exe.png"),
        ("a\x00b\u202egnp.exe.png", "png", "a b gnp.exe.png"),
        ('a<b>:"c".txt', "text", "a_b_c_.txt"),
        ("", "pdf", "file.pdf"),
        ("...", "pdf", "file.pdf"),
        ("x" * 300 + ".pdf", "pdf", "x" * 110 + ".pdf"),
    ],
)
def test_a_name_is_made_safe_and_ends_as_its_kind_does(name: str, kind: str, stored: str):
    assert safe_name(name, kind) == stored


def test_sizes_are_read_and_written_as_people_do():
    slot = Slot.model_validate({"type": "file", "max_size": "5 MB"})

    assert (slot.max_size, size_text(5 * 1024 * 1024), size_text(900), size_text(1500)) == (
        5_242_880,
        "5 MB",
        "900 B",
        "1 KB",
    )
    assert size_text(1_600_000) == "1.5 MB"


@pytest.mark.parametrize(
    ("definition", "value", "rule"),
    [
        ({"kinds": ["image"]}, PDF, "file_kind"),
        ({"max_size": 800}, PDF, "file_size"),
        ({}, {**PDF, "kind": "exe"}, "file"),
        ({}, {**PDF, "size": -1}, "file"),
        ({}, {**PDF, "size": True}, "file"),
        ({}, {**PDF, "id": "../x"}, "file"),
        ({}, {**PDF, "path": "/etc/passwd"}, "file"),
        ({}, "bill.pdf", "file"),
        ({}, None, "required"),
    ],
)
def test_a_file_that_does_not_fit_is_refused(definition: dict[str, Any], value: Any, rule: str):
    with pytest.raises(ValueRefused) as refused:
        value_from_json(Slot.model_validate({"type": "file", **definition}), value, **CLOCK)

    assert refused.value.rule == rule


def test_a_refusal_says_what_to_send_in_english_and_spanish():
    slot = Slot.model_validate({"type": "file", "kinds": ["pdf", "png"], "max_size": "1 MB"})
    with pytest.raises(ValueRefused) as kind:
        value_from_any(slot, {"name": "a.txt", "kind": "text", "size": 1}, **CLOCK)
    with pytest.raises(ValueRefused) as size:
        value_from_any(slot, {"name": "a.pdf", "kind": "pdf", "size": 2_000_000}, **CLOCK)
    with pytest.raises(ValueRefused) as words:
        value_from_text(slot, "here it is", **CLOCK)

    assert kind.value.sentence("en").endswith("is not a file of an accepted kind. Send one of these: pdf, png.")
    assert size.value.sentence("es").endswith("es demasiado grande. Un archivo puede tener como máximo 1 MB.")
    assert words.value.sentence("en") == "A file is needed here. Send it with the button for files."


def test_a_file_is_shown_by_its_name():
    files = Slot.model_validate({"type": "list", "items": {"type": "file"}})

    assert format_value(files, [PDF, PNG]) == "bill.pdf, photo.png"


FLOW = """
flow: claim
title: a claim
description: Hands in a bill.
slots:
  bill: {type: file, kinds: [pdf], max_size: 1 MB, prompt: Please send the bill.}
  amount: {type: integer, prompt: How much?}
  code: {type: text, required: false}
steps:
  - {step: much, type: collect, slot: amount}
  - {step: ask, type: collect, slot: bill}
  - {step: big, type: branch, cases: [{when: "bill.size > 500", next: check}], else: end}
  - {step: check, type: confirm, message: "Hand in {bill.name} ({bill.kind})?", on_deny: end}
  - {step: act, type: action, call: hand_in, inputs: {bill: bill}, outputs: {code: code}, on_error: end}
  - {step: done, type: say, message: "Done: {code}, {bill}"}
"""
HEAD = "actions: {hand_in: {inputs: {bill: file}, outputs: {code: text}}}"


def claim() -> Talk:
    return Talk(assistant_of(FLOW, head=HEAD), {"hand_in": [{"returns": {"code": "C1"}}]})


async def sends(talk: Talk, *files: dict[str, Any]) -> list[str]:
    return await talk.feed(events.file(talk._id(), list(files)))


async def test_a_file_fills_the_slot_that_asks_for_it_and_the_action_receives_the_whole_value():
    talk = claim()
    await talk.does({"start_flow": "claim"}, {"set_slot": {"amount": 5}})

    assert await sends(talk, PDF) == ["confirm:claim"]
    assert talk.texts == ["Hand in bill.pdf (pdf)?"]
    assert talk.value("claim.bill") == PDF
    await talk.does("affirm")

    assert talk.texts[-1] == "Done: C1, bill.pdf"
    assert talk.actions.calls[0].inputs == {"bill": PDF}


async def test_a_file_that_is_sent_ahead_or_again_goes_to_the_only_slot_for_files():
    talk = claim()
    await talk.does({"start_flow": "claim"})

    assert await sends(talk, PDF) == ["ask:amount"]
    await talk.does({"set_slot": {"amount": 5}})
    await sends(talk, {**PDF, "name": "other.pdf"})

    assert talk.texts[-1] == "Hand in other.pdf (pdf)?"


async def test_a_file_that_nothing_asks_for_is_not_kept():
    assert await sends(claim(), PDF) == ["file_not_expected"]


@pytest.mark.parametrize("files", [[PNG], [{**PDF, "size": 2_000_000}], [PDF, PDF]])
async def test_a_file_that_does_not_fit_is_refused_in_words_and_asked_for_again(files: list[dict[str, Any]]):
    talk = claim()
    await talk.does({"start_flow": "claim"}, {"set_slot": {"amount": 5}})

    assert await sends(talk, *files) == ["rejected:bill", "ask:bill"]
    assert talk.value("claim.bill") is None


async def test_words_in_place_of_a_file_say_that_a_file_is_needed():
    talk = claim()
    await talk.does({"start_flow": "claim"}, {"set_slot": {"amount": 5}})

    await talk.does({"set_slot": {"bill": "bill.pdf"}})

    assert talk.texts[0] == "A file is needed here. Send it with the button for files."


@pytest.mark.parametrize(
    ("old", "new", "finding"),
    [
        ("kinds: [pdf]", "kinds: [pfd]", "`pfd` is not a kind of file. Did you mean `pdf`?"),
        ("max_size: 1 MB", "max_size: much", "found the text 'much' where a size is expected. Write 5 MB or 500 KB"),
        ("max_size: 1 MB", "minimum: 1", "`minimum` does not fit the type `file`"),
        ("bill.size > 500", "bill.sise > 500", "has no field `sise`. Did you mean `size`?"),
        ("{bill.kind}", "{bill.king}", "names `{bill.king}`"),
    ],
)
def test_a_mistake_about_a_file_is_found(old: str, new: str, finding: str):
    documents = {"assistant.yaml": f"version: 1\nassistant: try\n{HEAD}", "claim.yaml": FLOW.replace(old, new)}

    errors = [str(problem) for problem in check_documents(documents) if problem.severity == "error"]

    assert len(errors) == 1 and finding in errors[0]


@pytest.mark.parametrize("slot", ["{type: object, fields: {scan: file}}", "{type: list, items: list of file}"])
def test_a_file_is_no_part_of_another_value(slot: str):
    head = f"{HEAD}\nslots: {{paper: {slot}}}"
    documents = {"assistant.yaml": f"version: 1\nassistant: try\n{head}", "claim.yaml": FLOW}

    (error,) = [str(problem) for problem in check_documents(documents) if problem.severity == "error"]

    assert "is a file inside another value. Declare a slot of its own: file, or list of file" in error


def test_an_action_cannot_return_a_file():
    head = HEAD.replace("outputs: {code: text}", "outputs: {code: text, receipt: file}")
    documents = {"assistant.yaml": f"version: 1\nassistant: try\n{head}", "claim.yaml": FLOW}

    assert ["`receipt` is a file" in str(p) for p in check_documents(documents) if p.severity == "error"] == [True]


@pytest.mark.parametrize("method", [ZIP_DEFLATED, ZIP_LZMA, ZIP_BZIP2])
def test_an_archive_with_broken_content_has_no_kind_and_raises_nothing(method: int):
    packed = BytesIO()
    with ZipFile(packed, "w", method) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text" * 20)
    content = packed.getvalue()
    random = Random(16)

    for _ in range(2_000):
        broken = bytearray(content)
        for _ in range(random.randint(1, 6)):
            broken[random.randrange(4, len(broken))] = random.randrange(256)
        assert kind_of_file(BytesIO(broken)) in ("", "zip", "odt")
