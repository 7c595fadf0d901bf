"""Links for people without an account: who was asked to answer a session, and the tokens of their links."""

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import models

from dialogue.models.sessions.session import HITLSession


class AnswerLink(models.Model):
    """One person who may answer one session from outside; `user` where the address is an account's.

    `role` is the group that was asked, when it was not this person by name: who leaves it loses the way in.
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
        """The person as records name them."""
        return self.name or self.email


class LinkToken(models.Model):
    """A token of a link, as a hash only. Every attempt at a mail carries a fresh one; all of them open the link."""

    link = models.ForeignKey(AnswerLink, models.CASCADE, related_name="tokens")
    sha256 = models.CharField(max_length=64, unique=True)
    made_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"token of {self.link_id}"
