"""manage.py sweep — expires, delivers and ends what is due, once."""

from typing import Any

from django.core.management.base import BaseCommand

from dialogue.management.terminal import wait_for
from dialogue.sweep import sweep


class Command(BaseCommand):
    help = "Expire, deliver and end what is due, once. Running it twice changes nothing."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(str(wait_for(sweep())))
