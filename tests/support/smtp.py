"""A double of a mail server on this machine: takes mails as RFC 5321 says, or refuses them with a code."""

import socketserver
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from threading import Thread


class SmtpDouble:
    """`mails` are those that it took. `refusals` maps a verb, such as RCPT or DATA, to the answer in its place."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.refusals: dict[str, str] = {}
        double = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                self._say("220 mail.example")
                while line := self.rfile.readline():
                    verb = line.decode().split()[0].upper()
                    if verb == "DATA" and "DATA" not in double.refusals:
                        self._take_mail()
                    elif verb == "QUIT":
                        self._say("221 bye")
                        return
                    else:
                        self._say(double.refusals.get(verb, "250 mail.example"))

            def _take_mail(self) -> None:
                self._say("354 go on")
                lines = []
                while (line := self.rfile.readline()) != b".\r\n":
                    lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
                double.mails.append(message_from_bytes(b"".join(lines), policy=policy.default))
                self._say("250 taken")

            def _say(self, text: str) -> None:
                self.wfile.write(f"{text}\r\n".encode())

        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port: int = self.server.server_address[1]

    @property
    def texts(self) -> list[str]:
        return [mail.get_content().replace("\r\n", "\n").strip() for mail in self.mails]


@contextmanager
def running_smtp() -> Iterator[SmtpDouble]:
    double = SmtpDouble()
    thread = Thread(target=double.server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield double
    finally:
        double.server.shutdown()
        thread.join()
        double.server.server_close()
