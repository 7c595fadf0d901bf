"""E-mail: signed mails begin conversations and go on in their threads, and answers are mails that fit into them."""

import asyncio
from collections.abc import Callable, Iterator
from datetime import timedelta
from io import BytesIO
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from dialogue.channels.connections import ConnectionRefused, add_connection
from dialogue.channels.credentials import secrets_of
from dialogue.channels.mail.channel import shown_secret
from dialogue.channels.mail.own_text import own_text, text_of_html
from dialogue.channels.mail.reading import Mail
from dialogue.channels.port import NotReadable
from dialogue.channels.sending import deliver_lines
from dialogue.desk.webhooks.signed_posts import signature_of
from dialogue.models import Assistant, ChannelArrival, ChannelConnection, ChannelThread, Conversation, Event
from dialogue.turns import clock
from dialogue.turns.worker import drain
from tests.support.smtp import SmtpDouble, running_smtp

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database, pytest.mark.enable_socket]
Post = Callable[..., Any]


@pytest.fixture
def smtp(settings: Any) -> Iterator[SmtpDouble]:
    with running_smtp() as double:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_USE_TLS = "127.0.0.1", double.port, False
        yield double


@pytest.fixture
def mailbox(smtp: SmtpDouble, sofia: User, shop: Assistant) -> ChannelConnection:
    return add_connection(shop, "email", {"address": "Help@shop.example"}, sofia)


@pytest.fixture
def post(mailbox: ChannelConnection, client: Client) -> Post:
    """Post a mail as a mail server does, signed as in Standard Webhooks."""

    def post_mail(raw: bytes, *, late: int = 0, secret: str = "", signed: bytes | None = None) -> Any:
        seconds = int(clock.now().timestamp()) - late
        secret = secret or shown_secret(secrets_of(mailbox.salt)[0])
        signature = signature_of(secret, "msg_1", seconds, raw if signed is None else signed)
        headers = {"webhook-id": "msg_1", "webhook-timestamp": str(seconds), "webhook-signature": signature}
        return client.post(f"/channels/{mailbox.uid}/", raw, content_type="message/rfc822", headers=headers)

    return post_mail


def mail(text: str, number: int = 1, sender: str = "Ursula Berg <ursula@mail.example>", **headers: str) -> bytes:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    given = {"From": sender, "To": "help@shop.example", "Message-ID": f"<m{number}@mail.example>", **names}
    head = "".join(f"{name}: {value}\r\n" for name, value in given.items() if value)
    return f"{head}\r\n{text}".encode()


def reference_of(ours: Any) -> str:
    """The id of one of our mails that stays when its Message-ID is replaced."""
    return str(ours["Message-ID"]).replace("@", ".ref@")


def answered() -> None:
    for thread in ChannelThread.objects.all():
        asyncio.run(drain(thread.conversation_id))
    deliver_lines()


def test_a_thread_of_mails_is_a_conversation(post: Post, smtp: SmtpDouble):
    assert post(mail("I want to order\r\n-- \r\nUrsula", Subject="A lamp")).json() == {"outcome": "accepted"}
    answered()
    first = smtp.mails[0]
    assert (first["To"], first["Subject"], first["Auto-Submitted"]) == (
        "ursula@mail.example",
        "Re: A lamp",
        "auto-replied",
    )
    assert first["From"] == "Corner Shop <help@shop.example>"
    assert first["In-Reply-To"] == "<m1@mail.example>"
    assert first["References"] == f"<m1@mail.example> {reference_of(first)}"

    history = "On Mon, 23 Nov 2026 at 12:00, Corner Shop <help@shop.example> wrote:\r\n> What shall it be?\r\n"
    post(mail(f"a lamp\r\n\r\n{history}", 2, Subject="Re: A lamp", In_Reply_To=str(first["Message-ID"])))
    answered()
    assert smtp.texts == ["What shall it be?", "Order a lamp?\n\nReply with: Yes / No"]
    assert smtp.mails[1]["References"] == f"{first['Message-ID']} <m2@mail.example> {reference_of(smtp.mails[1])}"

    post(mail("Yes", 3, References=f"<m1@mail.example> {first['Message-ID']} {smtp.mails[1]['Message-ID']}"))
    answered()
    assert smtp.texts[-1] == "a lamp is ordered."
    conversation = Conversation.objects.get()
    assert (conversation.channel, conversation.user_ref) == ("email", "Ursula Berg <ursula@mail.example>")
    assert [event.kind for event in conversation.events.order_by("number")] == ["message", "message", "choice"]


def test_a_mail_that_comes_again_counts_once(post: Post):
    for _attempt in range(3):
        assert post(mail("I want to order")).status_code == 200

    assert Event.objects.count() == 1


def test_another_person_does_not_get_into_the_thread(post: Post, smtp: SmtpDouble):
    """Whoever was sent the mail on knows its id, and whoever writes another's name does not."""
    post(mail("I want to order"))
    answered()
    ours = str(smtp.mails[0]["Message-ID"])
    post(mail("a lamp", 2, "Mallory <mallory@mail.example>", In_Reply_To=ours, References=f"<m1@mail.example> {ours}"))
    post(mail("a lamp", 3))
    answered()

    assert ChannelThread.objects.count() == Conversation.objects.count() == 3
    assert Event.objects.filter(conversation=ChannelThread.objects.order_by("pk")[0].conversation).count() == 1
    assert {str(each["To"]) for each in smtp.mails[1:]} == {"mallory@mail.example", "ursula@mail.example"}


@pytest.mark.parametrize("known", [{"References": "<m1@mail.example>"}, {"In_Reply_To": "<m2@mail.example>"}])
def test_a_forged_sender_with_ids_from_a_copy_confirms_nothing(post: Post, smtp: SmtpDouble, known: dict[str, str]):
    """All who got a copy of a person's mails know their ids, and can write that person's name."""
    post(mail("I want to order"))
    answered()
    post(mail("a lamp", 2, In_Reply_To=str(smtp.mails[0]["Message-ID"])))
    answered()
    assert smtp.texts[-1].startswith("Order a lamp?")

    post(mail("Yes", 3, **known))
    post(mail("Yes", 1, Date="another copy of the first mail"))
    answered()
    first, second = Conversation.objects.order_by("created_at")
    assert (first.events.count(), second.events.get().payload) == (2, {"text": "Yes"})
    assert "a lamp is ordered." not in smtp.texts
    ChannelArrival.objects.all().delete()  # as after the days that they are kept
    post(mail("Yes", 1, Date="another copy of the first mail"))
    assert first.events.count() == 2

    post(mail("Yes", 4, In_Reply_To=str(smtp.mails[1]["Message-ID"])))
    answered()
    assert "a lamp is ordered." in smtp.texts


def test_an_answer_is_known_when_a_server_on_the_way_replaced_our_ids(post: Post, smtp: SmtpDouble):
    post(mail("I want to order"))
    answered()
    replaced = "<0102018f@relay.example>"
    post(mail("a lamp", 2, In_Reply_To=replaced, References=f"{smtp.mails[0]['References']} {replaced}"))
    answered()

    assert smtp.texts[-1].startswith("Order a lamp?")
    assert Conversation.objects.count() == 1


def test_a_wrong_late_or_altered_signature_is_refused(post: Post, client: Client, mailbox: ChannelConnection):
    raw = mail("I want to order")
    answers = [
        post(raw, secret="whsec_" + "eHl6" * 11),
        post(raw, late=301),
        post(raw, late=-900),
        post(raw + b" ", signed=raw),
        client.post(f"/channels/{mailbox.uid}/", raw, content_type="message/rfc822"),
        client.post(f"/channels/{mailbox.uid}/", raw, content_type="x/y", headers={"webhook-timestamp": "9" * 99}),
    ]

    assert {answer.status_code for answer in answers} == {401}
    assert not ChannelArrival.objects.exists()


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto_Submitted": "auto-replied"},
        {"Auto_Submitted": "auto-generated (rejected)"},
        {"Precedence": "bulk"},
        {"List_Id": "<news.example>"},
        {"Return_Path": "<>"},
        {"X_Autoreply": "yes"},
        {"Content_Type": 'multipart/report; report-type=delivery-status; boundary="b"'},
        {"sender": "MAILER-DAEMON@mail.example"},
        {"sender": "help@shop.example"},
    ],
)
def test_programs_get_no_answer(post: Post, headers: dict[str, Any]):
    assert post(mail("I am away.", **headers)).json() == {"outcome": "ignored"}

    assert not Conversation.objects.exists()
    assert ChannelArrival.objects.get().reason


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"no mail at all",
        bytes(range(256)) * 20,
        b"From: nobody\r\n\r\nhello",
        b"From: a@b.example, c@d.example\r\n\r\nhello",
        b"From: a@b.example\r\nFrom: c@d.example\r\n\r\nhello",
        b"From: " + b"(" * 9000 + b"\r\n\r\nhello",
        b"From: a@b.example\r\n" + b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n' * 500,
        b'From: a@b.example\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n' + b"--b\r\n\r\nx\r\n" * 200,
        b"From: a@b.example\r\nSubject: " + b"x" * 20_000 + b"\r\n\r\nhello",
    ],
)
def test_what_is_no_mail_gets_a_clear_answer(post: Post, raw: bytes):
    answer = post(raw)

    assert answer.status_code == 400
    assert "mail" in answer.json()["detail"]
    assert not ChannelArrival.objects.exists()


def test_a_mail_that_is_too_large_is_refused(post: Post, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("dialogue.channels.mail.channel.Email.max_request_bytes", 1000)

    assert post(mail("x" * 1000)).status_code == 413


def test_a_text_that_is_too_large_is_refused_in_words(post: Post, smtp: SmtpDouble):
    assert post(mail("word " * 20_000)).json() == {"outcome": "refused"}
    answered()

    assert "64 KiB" in smtp.texts[0]


def test_an_attachment_that_nothing_asks_for_is_refused_and_the_text_is_read(post: Post, smtp: SmtpDouble):
    parts = [
        "Content-Type: text/plain\r\n\r\nI want to order\r\n",
        "Content-Type: image/png\r\nContent-ID: <logo>\r\nContent-Disposition: inline; filename=l.png\r\n\r\nx\r\n",
        "Content-Type: application/pdf\r\nContent-Disposition: attachment; filename=a.pdf\r\n\r\n%PDF-\r\n",
    ]
    body = "".join(f"--b\r\n{part}" for part in parts) + "--b--\r\n"
    post(mail(body, Content_Type='multipart/mixed; boundary="b"'))
    answered()

    assert smtp.texts == ["Nothing asks for a file just now, so it was not kept.\n\nWhat shall it be?"]


def test_a_mail_without_text_takes_its_subject_and_else_says_so(post: Post, smtp: SmtpDouble):
    post(mail("", Subject="=?utf-8?q?I_want_to_order?="))
    answered()
    assert smtp.texts == ["What shall it be?"]

    post(mail("> only history", 2, In_Reply_To=str(smtp.mails[0]["Message-ID"])))
    answered()
    assert "no text that can be read" in smtp.texts[-1]


@pytest.mark.parametrize(
    ("refusals", "state"),
    [({"RCPT": "550 no such user"}, "blocked"), ({"DATA": "554 refused"}, "failed"), ({"RCPT": "451 later"}, "active")],
)
def test_what_the_mail_server_says_decides_how_it_goes_on(post: Post, smtp, hour, refusals: dict[str, str], state: str):
    smtp.refusals = refusals
    post(mail("I want to order"))
    answered()
    thread = ChannelThread.objects.get()
    assert (thread.state, thread.sent) == (state, 0)
    assert thread.error

    smtp.refusals = {}
    ChannelThread.objects.update(state="active", due_at=clock.now())
    hour.advance(timedelta(minutes=6))
    assert deliver_lines() == 1


def test_a_repeated_mail_has_the_same_id(post: Post, smtp: SmtpDouble, hour):
    """After a process that ended between sending and noting it."""
    post(mail("I want to order"))
    answered()
    ChannelThread.objects.update(sent=0)
    ChannelThread.objects.get().deliveries.update(state="pending")
    deliver_lines()

    assert len(smtp.mails) == 2
    assert smtp.mails[0]["Message-ID"] == smtp.mails[1]["Message-ID"]


def test_a_pipe_of_a_mail_server_hands_mails_in(mailbox: ChannelConnection, monkeypatch: pytest.MonkeyPatch, capsys):
    def receive(raw: bytes, address: str = "help@shop.example") -> None:
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=BytesIO(raw)))
        call_command("receive_mail", address)

    receive(mail("I want to order"))
    assert capsys.readouterr().out == "accepted\n"
    with pytest.raises(CommandError) as unknown:
        receive(mail("hello"), "nobody@shop.example")
    with pytest.raises(CommandError) as unreadable:
        receive(b"no mail")
    ChannelConnection.objects.update(state="paused")
    with pytest.raises(CommandError) as paused:
        receive(mail("hello", 2))

    assert [error.value.returncode for error in (unknown, unreadable, paused)] == [67, 65, 75]
    assert Event.objects.count() == 1


@pytest.mark.parametrize("address", ["", "help", "help@", "@shop.example", "a b@shop.example", "a@b\r\nBcc: c@d"])
def test_an_address_that_is_none_is_refused(sofia: User, shop: Assistant, address: str):
    with pytest.raises(ConnectionRefused):
        add_connection(shop, "email", {"address": address}, sofia)


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("Yes.\n\nOn Mon, 23 Nov 2026 at 12:00, A <a@b.example>\nwrote:\n\n> Sure?\n", "Yes."),
        ("El lun, 23 nov 2026 a las 12:00, A escribió:\n> ¿Seguro?\n\nSí, claro.", "Sí, claro."),
        ("Yes.\n-----Original Message-----\nFrom: a\n", "Yes."),
        ("Yes.\n________________________________\nFrom: a\nSent: b\nTo: c\nSubject: d\nSure?", "Yes."),
        ("Sí.\nDe: a\nEnviado: b\nPara: c\nAsunto: d\n", "Sí."),
        ("Ja.\n\nAm Mo., 23. Nov. 2026 um 12:00 Uhr schrieb A <\na@b.example>:\n\n> Sicher?\n", "Ja."),
        ("> first?\nyes\n> second?\nno", "yes\nno"),
        ("Yes.\n\nSent from my phone", "Yes."),
        ("On Friday I wrote:\nnothing", "On Friday I wrote:\nnothing"),
        ("From: here to there", "From: here to there"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("", ""),
    ],
)
def test_history_and_signatures_are_left_out(text: str, own: str):
    assert own_text(text) == own


@pytest.mark.parametrize(
    ("html", "own"),
    [
        (
            "<html><head><title>x</title><style>p{}</style></head><body><p>Yes&nbsp;&amp; no<br>now</p></body>",
            "Yes & no\nnow",
        ),
        ('<div>Yes</div><div class="gmail_quote"><div>On Monday</div><blockquote>Sure?</blockquote></div>', "Yes"),
        ("Yes<blockquote>Sure?<p>Really?</p></blockquote>", "Yes"),
        ("<script>alert(1)</script>Yes<!-- no -->", "Yes"),
        ("1 &lt; 2", "1 < 2"),
        ("<table><tr><td>Yes</td> <td>please</td></tr></table>", "Yes please"),
        (
            '<div>Yes</div><div id="appendonsend"></div><div id="divRplyFwdMsg"><b>From:</b> A</div><div>Sure?</div>',
            "Yes",
        ),
    ],
)
def test_html_is_read_as_text(html: str, own: str):
    assert own_text(text_of_html(html)) == own


def test_an_html_mail_is_read_in_its_own_encoding():
    head = b"From: a@b.example\r\nContent-Type: text/html; charset=iso-8859-1\r\n\r\n"

    assert Mail(head + "<p>Sí, mañana</p>".encode("latin-1")).text == "Sí, mañana"
    assert Mail(head.replace(b"iso-8859-1", b"nowhere") + b"<p>yes</p>").text == "yes"
    with pytest.raises(NotReadable):
        Mail(b"")
