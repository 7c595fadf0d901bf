"""A pause: one row for every task that waits for the user or for staff.

One conditional update makes the decision; the delivery to the engine may be retried:

    decision   OPEN -a-> CLAIMED -b-> OPEN;  OPEN, CLAIMED -c-> SUBMITTED, -d-> EXPIRED, -e-> CANCELLED
               (`desk.sessions.transitions` says what each letter is)
    delivery   NONE -> PENDING -> APPLYING -> APPLIED;  APPLYING -> INCIDENT -> PENDING | ABANDONED
               PENDING | APPLYING | INCIDENT -> OVERTAKEN, when the pause ends otherwise before the engine hears of it
"""

from datetime import UTC, datetime

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import models
from django.db.models import Q

from dialogue.models.assistants.release import Release
from dialogue.models.conversations.conversation import Conversation

AGENT_FRAME = "agent:"
"""How the frame of a session begins that an agent of another system asks for; no frame of a flow has a colon."""

FAR_FUTURE = datetime(9999, 1, 1, tzinfo=UTC)
"""Stands for "never", and sorts after all other moments."""


def earliest_of(*moments: datetime | None) -> datetime:
    """The earliest of these moments; `FAR_FUTURE` when there is none."""
    return min((moment for moment in moments if moment), default=FAR_FUTURE)


class HITLSession(models.Model):
    """One pause of one conversation; its short public name is `g<number>`.

    From `escalated_at` on, the people of `escalates_to` may decide it too. `cause` is the reason why a chat was handed
    over. `waits_since` is when its customer began to wait: the request for a person, or the first line after the last
    one that a person wrote; `FAR_FUTURE` if the customer has an answer. Lists sort by `urgent_at`, the earlier of due
    time and expiry, or `FAR_FUTURE`; it is never empty, so that one index serves both databases.

    `summary` is the text of the step's own summary for lists, with sensitive values masked; `search_text` has the
    values that are shown and not sensitive, in lower case.
    """

    class Kind(models.TextChoices):
        COLLECT = "collect"
        CONFIRM = "confirm"
        INFORM = "inform"
        OFFER = "offer"
        HUMAN = "human"
        HANDOFF = "handoff"

    class Audience(models.TextChoices):
        USER = "user"
        STAFF = "staff"

    class State(models.TextChoices):
        OPEN = "open"
        CLAIMED = "claimed"
        SUBMITTED = "submitted"
        EXPIRED = "expired"
        CANCELLED = "cancelled"

    class Delivery(models.TextChoices):
        NONE = "none"
        PENDING = "pending"
        APPLYING = "applying"
        APPLIED = "applied"
        INCIDENT = "incident"
        ABANDONED = "abandoned"
        OVERTAKEN = "overtaken"

    UNDECIDED = (State.OPEN, State.CLAIMED)
    FINAL = (State.SUBMITTED, State.EXPIRED, State.CANCELLED)
    UNHEARD = (Delivery.PENDING, Delivery.APPLYING, Delivery.INCIDENT)
    STAFF_KINDS = (Kind.HUMAN, Kind.HANDOFF)

    number = models.BigAutoField(primary_key=True)
    uid = models.UUIDField(unique=True, editable=False)
    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="sessions", db_index=False)
    release = models.ForeignKey(Release, models.PROTECT, related_name="+")
    flow = models.CharField(max_length=64)
    frame = models.CharField(max_length=80)
    step = models.CharField(max_length=64)
    visit = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=Kind)
    audience = models.CharField(max_length=5, choices=Audience)
    title = models.CharField(max_length=200)
    message = models.TextField(blank=True)
    summary = models.CharField(max_length=300, blank=True, default="")
    search_text = models.CharField(max_length=500, blank=True, default="")
    metadata = models.JSONField(default=dict, blank=True)

    schema = models.JSONField(default=dict)
    shown = models.JSONField(default=list)
    actions = models.JSONField(default=list)
    digest = models.CharField(max_length=64, blank=True)
    group = models.ForeignKey(Group, models.PROTECT, null=True, blank=True, related_name="+", db_index=False)
    queue = models.CharField(max_length=64, blank=True)
    cause = models.CharField(max_length=40, blank=True)
    priority = models.SmallIntegerField(default=0)
    four_eyes = models.BooleanField(default=False)
    claim_required = models.BooleanField(default=False)
    channels = models.JSONField(default=list, blank=True)
    people_required = models.PositiveSmallIntegerField(default=1)

    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    delivery = models.CharField(max_length=10, choices=Delivery, default=Delivery.NONE)
    version = models.PositiveIntegerField(default=1)
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    claimed_until = models.DateTimeField(null=True, blank=True)
    opened_at = models.DateTimeField()
    due_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    urgent_at = models.DateTimeField()
    follow_up_at = models.DateTimeField(null=True, blank=True)
    waits_since = models.DateTimeField(default=FAR_FUTURE)
    escalates_at = models.DateTimeField(null=True, blank=True)
    escalates_to = models.ForeignKey(Group, models.PROTECT, null=True, blank=True, related_name="+", db_index=False)
    escalated_at = models.DateTimeField(null=True, blank=True)
    on_timeout = models.CharField(max_length=64, blank=True)

    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    decided_as = models.CharField(max_length=200, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_through = models.CharField(max_length=20, blank=True)
    handle = models.CharField(max_length=64, blank=True)
    values = models.JSONField(default=dict, blank=True)
    reason = models.TextField(blank=True)

    class Meta:
        verbose_name = "gate or chat"
        verbose_name_plural = "gates and chats"
        ordering = ("number",)
        constraints = [
            models.UniqueConstraint(fields=["conversation", "frame", "step", "visit"], name="session_per_visit"),
            models.CheckConstraint(
                name="session_decided_when_final",
                condition=Q(state__in=["open", "claimed"], decided_at__isnull=True)
                | Q(state__in=["submitted", "expired", "cancelled"], decided_at__isnull=False),
            ),
            models.CheckConstraint(
                name="session_claim_has_holder",
                condition=~Q(state="claimed") | Q(assignee__isnull=False, claimed_until__isnull=False),
            ),
        ]
        # SQLite matches no list of bound values with the condition of a partial index; a null it does.
        indexes = [
            models.Index(
                fields=["kind", "urgent_at", "-priority", "number"],
                name="session_urgency",
                condition=Q(audience="staff", decided_at__isnull=True),
            ),
            models.Index(
                fields=["group", "kind", "urgent_at", "-priority", "number"],
                name="session_queue",
                condition=Q(audience="staff", decided_at__isnull=True),
            ),
            models.Index(
                fields=["kind", "-priority", "urgent_at", "number"],
                name="session_priority",
                condition=Q(audience="staff", decided_at__isnull=True),
            ),
            models.Index(
                fields=["group", "kind", "-priority", "urgent_at", "number"],
                name="session_queue_priority",
                condition=Q(audience="staff", decided_at__isnull=True),
            ),
            models.Index(
                fields=["urgent_at", "-priority", "number"],
                name="session_pending",
                condition=Q(decided_at__isnull=True),
            ),
            models.Index(
                fields=["kind", "urgent_at", "-priority", "number"],
                name="session_ended",
                condition=Q(decided_at__isnull=False),
            ),
            models.Index(
                fields=["group", "kind", "urgent_at", "-priority", "number"],
                name="session_ended_in_queue",
                condition=Q(audience="staff", decided_at__isnull=False),
            ),
            models.Index(
                fields=["escalates_to", "kind", "urgent_at", "-priority", "number"],
                name="session_escalated",
                condition=Q(escalated_at__isnull=False),
            ),
            models.Index(
                fields=["escalates_to", "kind", "-priority", "urgent_at", "number"],
                name="session_escalated_prio",
                condition=Q(escalated_at__isnull=False),
            ),
            models.Index(fields=["assignee", "claimed_until"], name="session_held", condition=Q(state="claimed")),
            models.Index(
                fields=["group", "kind", "follow_up_at", "number"],
                name="session_snoozed",
                condition=Q(audience="staff", decided_at__isnull=True, follow_up_at__isnull=False),
            ),
            models.Index(
                fields=["-decided_at", "-number"],
                name="session_done",
                condition=Q(audience="staff", decided_at__isnull=False),
            ),
            models.Index(
                fields=["group", "-decided_at", "-number"],
                name="session_done_in_queue",
                condition=Q(audience="staff", decided_at__isnull=False),
            ),
            models.Index(fields=["search_text"], name="session_values", condition=Q(decided_at__isnull=True)),
            models.Index(fields=["expires_at"], name="session_due", condition=Q(decided_at__isnull=True)),
            models.Index(
                fields=["escalates_at"],
                name="session_escalation",
                condition=Q(decided_at__isnull=True, escalated_at__isnull=True, escalates_at__isnull=False),
            ),
            models.Index(fields=["conversation", "state"], name="session_of_conversation"),
            models.Index(fields=["group"], name="session_group", condition=Q(group__isnull=False)),
            models.Index(fields=["escalates_to"], name="session_escalates", condition=Q(escalates_to__isnull=False)),
            models.Index(fields=["assignee"], name="session_assignee", condition=Q(assignee__isnull=False)),
            models.Index(fields=["decided_by"], name="session_decider", condition=Q(decided_by__isnull=False)),
            models.Index(  # what a turn asks about; without it a turn reads every session that the conversation had
                fields=["conversation"],
                name="session_current",
                condition=Q(state__in=["open", "claimed"]) | Q(delivery__in=["pending", "applying", "incident"]),
            ),
            models.Index(
                fields=["waits_since", "number"],
                name="session_chats",
                condition=Q(kind="handoff", decided_at__isnull=True),
            ),
            models.Index(fields=["number"], name="session_chats_by_age", condition=Q(kind="handoff")),
            models.Index(
                fields=["delivery"], name="session_delivery", condition=Q(delivery__in=["pending", "incident"])
            ),
        ]
        permissions = [
            ("decide_hitlsession", "Can claim, submit and expire sessions of own queues"),
            ("supervise_hitlsession", "Can take over, extend, cancel, retry and abandon"),
            ("view_every_hitlsession", "Can see the sessions of every queue"),
        ]

    def __str__(self) -> str:
        return f"g{self.number}"

    @staticmethod
    def undecided() -> Q:
        """The sessions that wait for an answer, in the form of the partial indexes' condition."""
        return Q(decided_at__isnull=True)

    def claim_holder_at(self, moment: datetime) -> int | None:
        """User id holding the claim at `moment`, or None. Expired claims do not count, swept or not."""
        runs = self.state == self.State.CLAIMED and self.claimed_until is not None and self.claimed_until > moment
        return self.assignee_id if runs else None

    @property
    def is_from_agent(self) -> bool:
        """Whether an agent of another system asks; there is no flow then, and the answer goes back to the agent."""
        return self.frame.startswith(AGENT_FRAME)

    @property
    def name(self) -> str:
        return f"g{self.number}"

    @property
    def node_id(self) -> str:
        return f"{self.frame}/{self.step}"

    @property
    def task_key(self) -> str:
        return f"{self.frame}/{self.step}/{self.visit}"
