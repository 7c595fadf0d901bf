"""manage.py rotate_receipt_key — signs receipts with a new key from now on; receipts of the old one stay valid."""

from typing import Any

from django.core.management.base import BaseCommand

from dialogue.desk.sessions.receipts import rotate_key


class Command(BaseCommand):
    help = "Retire the key that signs receipts of decisions, and create the next one."

    def handle(self, *args: Any, **options: Any) -> None:
        key = rotate_key()
        self.stdout.write(f"Receipts are signed with the key {key.name} from now on.")
