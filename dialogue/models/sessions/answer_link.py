"""Links for people without an account: who was asked to answer a session, and the tokens of their links."""

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import models

from dialogue.models.sessions.session import HITLSession


class AnswerLink(models.Model):
    """One person who may answer one session from outside; `user` is set if the address belongs to an account.

    `role` is the group that was asked, if the person was not asked by name: people who leave the group lose access.
    """

    session = models.ForeignKey(HITLSession, models.CASCADE, related_name="links")
    email = models.EmailField()
    name = models.CharField(max_length=200, blank=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    role = models.ForeignKey(Group, models.PROTECT, null=True, blank=True, related_name="+")
    made_at = models.DateTimeField()
    undecided_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("pk",)
        constraints = [models.UniqueConstraint(fields=["session", "email"], name="link_once")]

    def __str__(self) -> str:
        return self.who

    @property
    def who(self) -> str:
        """The person's name in records: the name, or else the address."""
        return self.name or self.email


class LinkToken(models.Model):
    """A token of a link, stored as a hash. Every attempt to send a mail has a new one; all of them open the link."""

    link = models.ForeignKey(AnswerLink, models.CASCADE, related_name="tokens")
    sha256 = models.CharField(max_length=64, unique=True)
    made_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"token of {self.link_id}"
