"""E-mail: mails come in signed over HTTP, or by `manage.py receive_mail`; answers go out through Django's mail."""

import base64
import hmac
from collections.abc import Mapping
from datetime import datetime, timedelta
from email.utils import formataddr
from smtplib import SMTPDataError, SMTPException, SMTPRecipientsRefused, SMTPResponseException

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dialogue.channels.mail.reading import ADDRESS, Mail
from dialogue.channels.port import (
    Channel,
    Connection,
    Delivery,
    IncomingMessage,
    MessageNotTaken,
    Reading,
    RecipientGone,
    Request,
    SendFailed,
    SettingField,
    buttons_as_text,
)
from dialogue.desk.webhooks.signed_posts import SECRET_PREFIX, signature_of

CLOCK_TOLERANCE = timedelta(minutes=5)
MAX_SUBJECT_CHARACTERS = 200


class Email(Channel):
    """A mailbox. What waits for a person is one mail, with its buttons as text."""

    name = "email"
    title = gettext_noop("E-mail")
    fields = (
        SettingField(
            "address",
            gettext_noop("Address"),
            gettext_noop("Mails to it begin conversations, and answers come from it."),
            placeholder="help@example.org",
        ),
    )
    lines_per_delivery = 20
    max_request_bytes = 25 * 1024 * 1024
    shows_secret = True

    def verify(self, request: Request, connection: Connection, now: datetime) -> bool:
        """As Standard Webhooks says; a signature counts for `CLOCK_TOLERANCE` around its time."""
        webhook_id, seconds = request.headers.get("webhook-id", ""), request.headers.get("webhook-timestamp", "")
        if not (seconds.isascii() and seconds.isdigit() and len(seconds) < 12) or not webhook_id.isascii():
            return False
        if abs(now.timestamp() - int(seconds)) > CLOCK_TOLERANCE.total_seconds():
            return False
        given = request.headers.get("webhook-signature", "").split(" ")[:10]
        expected = [
            signature_of(shown_secret(secret), webhook_id, int(seconds), request.body) for secret in connection.secrets
        ]
        return any(
            hmac.compare_digest(signature.encode("utf-8", "surrogatepass"), right.encode())
            for signature in given
            for right in expected
        )

    def read(self, request: Request, connection: Connection) -> Reading:
        mail = Mail(request.body)
        if mail.sender == connection.address.lower():
            return Reading(id=mail.id, ignored="a mail from this very address")
        if reason := mail.automatic:
            return Reading(id=mail.id, ignored=reason)
        text, files = mail.text or ("" if mail.references else mail.header("subject")), mail.files
        nothing = _("Your mail has no text that can be read. Please write what you need above the earlier mails.")
        return Reading(
            IncomingMessage(
                id=mail.id,
                thread=mail.thread,
                recipient=mail.sender,
                sender=f"{mail.sender_name} <{mail.sender}>" if mail.sender_name else mail.sender,
                text=text,
                files=files,
                answers=mail.answered_delivery,
                facts={
                    "subject": mail.header("subject")[:MAX_SUBJECT_CHARACTERS],
                    "message_id": mail.message_id,
                    "references": mail.references,
                },
                note="" if text or files else nothing,
            ),
            mail.id,
        )

    def send(self, delivery: Delivery, connection: Connection) -> str:
        domain = connection.address.rpartition("@")[2]
        message_id = f"<{delivery.uid}@{domain}>"
        answered = str(delivery.facts.get("message_id", ""))
        # Programs on the way that replace the Message-ID leave References as they are, and so an answer still names us.
        ours = f"<{delivery.uid}.ref@{domain}>"
        references = [*map(str, delivery.facts.get("references", ())), *filter(None, [answered]), ours]
        headers = {"Message-ID": message_id, "References": " ".join(references)}
        headers |= {"In-Reply-To": answered} if answered else {}
        if not all(line.author for line in delivery.lines):  # what a colleague wrote alone is no automatic answer
            headers |= {"Auto-Submitted": "auto-replied", "X-Auto-Response-Suppress": "All"}
        mail = EmailMessage(
            _reply_subject(str(delivery.facts.get("subject", "")) or connection.name),
            buttons_as_text(delivery.lines, _("Reply with: %s")),
            formataddr((connection.name, connection.address)),
            [delivery.recipient],
            headers=headers,
        )
        _send_mail(mail)
        return message_id

    def address(self, values: Mapping[str, str]) -> str:
        if not ADDRESS.fullmatch(values["address"]):
            raise ValueError(_("This is not an address of a mailbox. Write it as help@example.org."))
        return values["address"].lower()

    def shown_secret(self, connection: Connection) -> str:
        return shown_secret(connection.secrets[0])

    def check(self, connection: Connection) -> str:
        if not settings.EMAIL_HOST:
            return _("No mail server is set, so answers are written to files. Set SONI_MAIL_HOST.")
        try:
            with get_connection():
                return _("The mail server can be reached.")
        except (OSError, SMTPException) as error:
            raise SendFailed(f"{type(error).__name__}: {error}"[:300]) from None


def shown_secret(secret: str) -> str:
    """Return a connection's secret as Standard Webhooks writes it, for the program that signs."""
    key = base64.urlsafe_b64decode(secret + "=" * (-len(secret) % 4))
    return SECRET_PREFIX + base64.b64encode(key).decode()


def _send_mail(mail: EmailMessage) -> None:
    try:
        mail.send()
    except SMTPRecipientsRefused as error:
        codes = {code for code, _text in error.recipients.values()}
        if all(500 <= code < 600 for code in codes):
            raise RecipientGone(f"the mail server refused the recipient ({', '.join(map(str, codes))})") from None
        raise SendFailed("the mail server does not take mails for this recipient now") from None
    except SMTPDataError as error:
        kind = MessageNotTaken if 500 <= error.smtp_code < 600 else SendFailed
        raise kind(_words(error)) from None
    except SMTPResponseException as error:
        raise SendFailed(_words(error)) from None
    except (OSError, SMTPException) as error:
        raise SendFailed(f"{type(error).__name__}: {error}"[:300]) from None


def _words(error: SMTPResponseException) -> str:
    text = error.smtp_error.decode("utf-8", "replace") if isinstance(error.smtp_error, bytes) else str(error.smtp_error)
    return f"the mail server answered {error.smtp_code} {text}"[:300]


def _reply_subject(subject: str) -> str:
    line = " ".join(subject.split())[:MAX_SUBJECT_CHARACTERS]
    return line if line.lower().startswith("re:") else f"Re: {line}"
