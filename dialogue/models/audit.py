"""The audit trail: one hash chain a conversation and one for the console, append-only by triggers."""

from django.db import models


class AuditEntry(models.Model):
    """One act. `sha256` covers the entry and the one before it; personal text is in `AuditDetail`, by its hash only."""

    chain = models.CharField(max_length=60)
    number = models.PositiveIntegerField()
    at = models.DateTimeField()
    actor = models.CharField(max_length=150)
    actor_id = models.BigIntegerField(null=True, blank=True)
    act = models.CharField(max_length=60)
    subject = models.CharField(max_length=100, blank=True)
    facts = models.JSONField(default=dict)
    detail_sha256 = models.CharField(max_length=64, blank=True)
    previous_sha256 = models.CharField(max_length=64)
    sha256 = models.CharField(max_length=64)

    class Meta:
        ordering = ("chain", "number")
        verbose_name_plural = "audit entries"
        constraints = [models.UniqueConstraint(fields=["chain", "number"], name="audit_order")]
        indexes = [
            models.Index(fields=["-at", "-id"], name="audit_recent"),
            models.Index(fields=["actor_id", "-at"], name="audit_actor"),
            models.Index(fields=["subject", "-at"], name="audit_subject"),
        ]
        permissions = [
            ("view_every_auditentry", "Can see every audit entry"),
            ("export_auditentry", "Can export the audit"),
        ]

    def __str__(self) -> str:
        return f"{self.chain} {self.number} {self.act}"


class AuditDetail(models.Model):
    """Personal text of an entry. It may be erased: the chain holds only its hash, and stays valid."""

    entry = models.OneToOneField(AuditEntry, models.CASCADE, related_name="detail")
    text = models.JSONField()

    def __str__(self) -> str:
        return f"detail of {self.entry_id}"


class AuditHead(models.Model):
    """The end of a chain. Without it, dropping the newest entries would go unnoticed."""

    chain = models.CharField(max_length=60, primary_key=True)
    number = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"{self.chain} ends at {self.number}"
