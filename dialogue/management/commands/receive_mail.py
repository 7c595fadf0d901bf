"""manage.py receive_mail ADDRESS — takes one mail from standard input, for the pipe of a mail server."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from dialogue.channels.arrivals import NotNow, take
from dialogue.channels.connections import port_of
from dialogue.channels.port import NotReadable, Request
from dialogue.channels.table import channel_named
from dialogue.models import ChannelConnection

NOT_READABLE, NO_MAILBOX, TRY_AGAIN = 65, 67, 75
"""Exit statuses as mail servers know them (sysexits.h)."""


class Command(BaseCommand):
    help = (
        "Take one mail from standard input for the connected mailbox ADDRESS. Exit status 0: it is stored or needs no "
        "answer; 65: it cannot be read; 67: no such mailbox is connected; 75: try again later."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("address", metavar="ADDRESS")

    def handle(self, *args: Any, address: str, **options: Any) -> None:
        channel = channel_named("email")
        raw = sys.stdin.buffer.read(channel.max_request_bytes + 1)
        if len(raw) > channel.max_request_bytes:
            size = f"{channel.max_request_bytes // 1024:,} KiB"
            raise CommandError(f"A mail may have at most {size}.", returncode=NOT_READABLE)
        try:
            rows = ChannelConnection.objects.select_related("assistant")
            connection = rows.filter(channel=channel.name, address=address.lower()).first()
            if connection is None:
                raise CommandError(f"No mailbox {address} is connected.", returncode=NO_MAILBOX)
            arrival = take(connection, channel, port_of(connection), Request({}, raw))
        except NotReadable as error:
            raise CommandError(f"The mail was not taken: {error}.", returncode=NOT_READABLE) from None
        except (NotNow, DatabaseError) as error:
            raise CommandError(f"The mail cannot be taken now: {error}", returncode=TRY_AGAIN) from None
        self.stdout.write(f"{arrival.outcome} {arrival.reason}".strip())
