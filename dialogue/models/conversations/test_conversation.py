"""Settings of a test conversation: its actions, its NLU and its clock."""

from datetime import timedelta

from django.conf import settings
from django.db import models

from dialogue.models.conversations.conversation import Conversation


class Trial(models.Model):
    """One row for each conversation of the test console.

    `stubs` are results of actions given by hand, in the form of scenario files; `ahead` is how far its clock is ahead
    of the real one, `moves` are [{turn, seconds}]: after which turn it was moved by how much. `origin` is the
    conversation that it was forked from, up to `origin_turn`. A `private` one holds words of real customers: only its
    owner sees it.
    """

    class Actions(models.TextChoices):
        SIMULATED = "simulated"
        REAL = "real"

    conversation = models.OneToOneField(Conversation, models.CASCADE, primary_key=True, related_name="trial")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    private = models.BooleanField(default=False)
    actions = models.CharField(max_length=10, choices=Actions, default=Actions.SIMULATED)
    stubs = models.JSONField(default=dict, blank=True)
    nlu = models.CharField(max_length=10, blank=True)
    ahead = models.DurationField(default=timedelta)
    moves = models.JSONField(default=list, blank=True)
    origin = models.ForeignKey(Conversation, models.SET_NULL, null=True, blank=True, related_name="forks")
    origin_turn = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"trial of {self.conversation_id}"
