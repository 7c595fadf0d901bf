"""Files that people sent: a row each, and their content in Django's storage."""

import uuid

from django.core.files.storage import Storage, storages
from django.db import models

from dialogue.conf import soni
from dialogue.models.conversations.conversation import Conversation


def file_storage() -> Storage:
    """Return the storage that the setting FILE_STORAGE names."""
    return storages[soni.FILE_STORAGE]


def content_name(conversation: uuid.UUID, file_id: uuid.UUID) -> str:
    """Return where the content of a file is stored: the name that a person chose is no part of it."""
    return f"soni/{conversation.hex}/{file_id.hex}"


def storage_name(row: "UploadedFile", _name: str) -> str:
    """Return `content_name` for a row that is being stored."""
    return content_name(row.conversation_id, row.pk)


class UploadedFile(models.Model):
    """One file of a conversation. `kind` is what the content says it is, `digest` its SHA-256.
    `field` is the slot or the form's field that it was sent for, `sensitive` whether that is.

    `content` is empty until the content is stored completely.

    `session` is the gate in whose form it was sent; empty for the customer's. `used_at` is empty until a value holds
    the file: an unused one is removed after a day.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="files")
    session = models.ForeignKey("HITLSession", models.CASCADE, null=True, blank=True, related_name="files")
    field = models.CharField(max_length=140)
    name = models.CharField(max_length=150)
    kind = models.CharField(max_length=10)
    size = models.PositiveBigIntegerField()
    digest = models.CharField(max_length=64)
    content = models.FileField(storage=file_storage, upload_to=storage_name, max_length=200)
    sensitive = models.BooleanField(default=False)
    sender = models.CharField(max_length=150, blank=True)
    at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("at", "id")
        indexes = [
            models.Index(fields=["at"], name="uploaded_file_unused", condition=models.Q(used_at__isnull=True)),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def value(self) -> dict[str, object]:
        """What a slot stores of it."""
        facts = {"name": self.name, "kind": self.kind, "size": self.size, "digest": self.digest}
        return {"id": str(self.pk), **facts}
