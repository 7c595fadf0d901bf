"""Answers to a session: the accepted one, every refused attempt, and unsent drafts."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from dialogue.models.sessions.answer_link import AnswerLink
from dialogue.models.sessions.session import HITLSession


class Submission(models.Model):
    """One attempt to decide a session. At most one is accepted; the others hold the reason of the refusal."""

    session = models.ForeignKey(HITLSession, models.CASCADE, related_name="submissions")
    accepted = models.BooleanField()
    operation = models.CharField(max_length=12)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    link = models.ForeignKey(AnswerLink, models.SET_NULL, null=True, blank=True, related_name="+")
    through = models.CharField(max_length=20)
    action = models.CharField(max_length=64, blank=True)
    values = models.JSONField(default=dict, blank=True)
    reason = models.TextField(blank=True)
    idempotency_key = models.CharField(max_length=200, blank=True)
    body_sha256 = models.CharField(max_length=64, blank=True)
    status = models.PositiveSmallIntegerField()
    code = models.CharField(max_length=40, blank=True)
    detail = models.TextField(blank=True)
    """Why it was refused, in the language of whoever tried it."""
    sentence = models.JSONField(null=True, blank=True)
    """The source of `detail`, from which others read it in their language; None in rows of older versions."""
    contested = models.BooleanField(default=False)
    """Refused because another person was faster."""
    at = models.DateTimeField()

    class Meta:
        ordering = ("session", "pk")
        constraints = [
            models.UniqueConstraint(fields=["session"], name="one_accepted_submission", condition=Q(accepted=True)),
            models.UniqueConstraint(
                fields=["session", "idempotency_key"],
                name="submission_key_once",
                condition=Q(accepted=True) & ~Q(idempotency_key=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.operation} {self.session} {self.status}"


class Draft(models.Model):
    """Input in a session's form that was not sent yet. It survives a reload, a hand-over and a lost race."""

    session = models.ForeignKey(HITLSession, models.CASCADE, related_name="drafts")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    values = models.JSONField(default=dict)
    saved_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "by"], name="draft_once")]

    def __str__(self) -> str:
        return f"draft of {self.session}"
