"""All tables as they are after 0061, made at once. A database that has some of the replaced migrations gets the rest of them.

The indexes of a table are in the order in which the replaced migrations made them: of indexes that fit a query equally well,
SQLite takes by this order.
"""

import datetime
import uuid
from typing import Any

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import dialogue.models.conversations.uploaded_file
from dialogue.audit.append_only import AppendOnly

READ = ["assistant.view", "flow.view", "hitlsession.view", "conversation.view", "auditentry.view"]
READ_ALL = ["hitlsession.view_every", "conversation.view_every", "auditentry.view_every"]
ROLES = {
    "operators": [*READ, "hitlsession.decide"],
    "supervisors": [*READ, *READ_ALL, "hitlsession.decide", "hitlsession.supervise", "conversation.cancel"],
    "flow authors": [
        *("assistant.view", "assistant.test", "assistant.publish"),
        *("flow.view", "flow.add", "flow.change", "auditentry.view"),
    ],
    "auditors": [*READ, *READ_ALL, "auditentry.export"],
    "agent programs": ["agentrequest.ask"],
    "sign-in programs": ["conversation.vouch"],
    "event programs": ["conversation.signal"],
}

SQLITE_SEARCH = (
    "CREATE VIRTUAL TABLE dialogue_passagesearch"
    " USING fts5(heading, text, tokenize = 'porter unicode61 remove_diacritics 2')",
    "CREATE TRIGGER dialogue_passage_stored AFTER INSERT ON dialogue_knowledgepassage"
    " BEGIN INSERT INTO dialogue_passagesearch (rowid, heading, text) VALUES (new.id, new.heading, new.text); END",
    "CREATE TRIGGER dialogue_passage_removed AFTER DELETE ON dialogue_knowledgepassage"
    " BEGIN DELETE FROM dialogue_passagesearch WHERE rowid = old.id; END",
)
POSTGRES_SEARCH = (
    "ALTER TABLE dialogue_knowledgepassage ADD COLUMN search tsvector",
    "CREATE INDEX knowledge_passage_search ON dialogue_knowledgepassage USING gin (search)",
)


def seed_roles(apps: Any, _editor: Any) -> None:
    Group = apps.get_model("auth", "Group")
    for name, rights in ROLES.items():
        group, _new = Group.objects.get_or_create(name=name)
        group.permissions.add(*(_permission(apps, right) for right in rights))


def _permission(apps: Any, right: str) -> Any:
    """Permissions are made after all migrations; a role needs its own now, under the name that Django will find."""
    model, act = right.split(".")
    kind, _new = apps.get_model("contenttypes", "ContentType").objects.get_or_create(app_label="dialogue", model=model)
    names = dict(apps.get_model("dialogue", model)._meta.permissions)
    codename = f"{act}_{model}"
    row, _new = apps.get_model("auth", "Permission").objects.get_or_create(
        content_type=kind,
        codename=codename,
        defaults={"name": names.get(codename, f"Can {act.replace('_', ' ')} {model}")},
    )
    return row


def make_search(_apps: Any, schema_editor: Any) -> None:
    for statement in POSTGRES_SEARCH if schema_editor.connection.vendor == "postgresql" else SQLITE_SEARCH:
        schema_editor.execute(statement, params=None)


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("dialogue", "0001_rows"),
        ("dialogue", "0002_append_only"),
        ("dialogue", "0003_roles"),
        ("dialogue", "0004_preferences"),
        ("dialogue", "0005_escalation"),
        ("dialogue", "0006_answer_links"),
        ("dialogue", "0007_desk_chats"),
        ("dialogue", "0008_desk_queue"),
        ("dialogue", "0009_trials_and_scenarios"),
        ("dialogue", "0010_understanding"),
        ("dialogue", "0011_queue_indexes"),
        ("dialogue", "0012_waiting_indexes"),
        ("dialogue", "0013_event_incidents"),
        ("dialogue", "0014_queue_by_kind"),
        ("dialogue", "0015_erasure"),
        ("dialogue", "0016_flow_drafts"),
        ("dialogue", "0017_escalated_by_kind"),
        ("dialogue", "0018_learned_models"),
        ("dialogue", "0019_urgent_when_due"),
        ("dialogue", "0020_list_indexes"),
        ("dialogue", "0021_unmasking"),
        ("dialogue", "0022_ended_sessions"),
        ("dialogue", "0023_corrections"),
        ("dialogue", "0024_current_sessions"),
        ("dialogue", "0025_vouched_conversations"),
        ("dialogue", "0026_overtaken"),
        ("dialogue", "0027_contested_submissions"),
        ("dialogue", "0028_session_metadata"),
        ("dialogue", "0029_conversation_origin"),
        ("dialogue", "0030_early_lines"),
        ("dialogue", "0031_knowledge_documents"),
        ("dialogue", "0032_timers"),
        ("dialogue", "0033_message_parts"),
        ("dialogue", "0034_opening_context"),
        ("dialogue", "0035_outreach"),
        ("dialogue", "0036_uploaded_files"),
        ("dialogue", "0037_file_deletions"),
        ("dialogue", "0038_reader_zone"),
        ("dialogue", "0039_conversation_outcomes"),
        ("dialogue", "0040_conversation_list_indexes"),
        ("dialogue", "0041_session_values"),
        ("dialogue", "0042_first_steps"),
        ("dialogue", "0043_integration"),
        ("dialogue", "0044_conversation_tests_index"),
        ("dialogue", "0045_agent_requests"),
        ("dialogue", "0046_gate_tour"),
        ("dialogue", "0047_assistant_translations"),
        ("dialogue", "0048_refused_origins"),
        ("dialogue", "0049_receipt_keys"),
        ("dialogue", "0050_api_token_scopes"),
        ("dialogue", "0050_foreign_keys_without_second_index"),
        ("dialogue", "0051_webhooks"),
        ("dialogue", "0052_open_requests"),
        ("dialogue", "0053_channels"),
        ("dialogue", "0054_names_in_the_admin"),
        ("dialogue", "0055_thread_recipients"),
        ("dialogue", "0056_channel_incidents"),
        ("dialogue", "0057_channel_accounts"),
        ("dialogue", "0058_reader_language"),
        ("dialogue", "0059_pieces_sent"),
        ("dialogue", "0060_agent_programs_role"),
        ("dialogue", "0061_roles_of_programs"),
    ]

    dependencies = [
        ("contenttypes", "0002_remove_content_type_name"),
        ("auth", "0012_alter_user_first_name_max_length"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="HITLSession",
            fields=[
                ("number", models.BigAutoField(primary_key=True, serialize=False)),
                ("uid", models.UUIDField(editable=False, unique=True)),
                ("flow", models.CharField(max_length=64)),
                ("frame", models.CharField(max_length=80)),
                ("step", models.CharField(max_length=64)),
                ("visit", models.PositiveIntegerField()),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("collect", "Collect"),
                            ("confirm", "Confirm"),
                            ("inform", "Inform"),
                            ("offer", "Offer"),
                            ("human", "Human"),
                            ("handoff", "Handoff"),
                        ],
                        max_length=10,
                    ),
                ),
                ("audience", models.CharField(choices=[("user", "User"), ("staff", "Staff")], max_length=5)),
                ("title", models.CharField(max_length=200)),
                ("message", models.TextField(blank=True)),
                ("summary", models.CharField(blank=True, default="", max_length=300)),
                ("search_text", models.CharField(blank=True, default="", max_length=500)),
                ("metadata", models.JSONField(blank=True, default=dict)),
                ("schema", models.JSONField(default=dict)),
                ("shown", models.JSONField(default=list)),
                ("actions", models.JSONField(default=list)),
                ("digest", models.CharField(blank=True, max_length=64)),
                ("queue", models.CharField(blank=True, max_length=64)),
                ("cause", models.CharField(blank=True, max_length=40)),
                ("priority", models.SmallIntegerField(default=0)),
                ("four_eyes", models.BooleanField(default=False)),
                ("claim_required", models.BooleanField(default=False)),
                ("channels", models.JSONField(blank=True, default=list)),
                ("people_required", models.PositiveSmallIntegerField(default=1)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("claimed", "Claimed"),
                            ("submitted", "Submitted"),
                            ("expired", "Expired"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="open",
                        max_length=10,
                    ),
                ),
                (
                    "delivery",
                    models.CharField(
                        choices=[
                            ("none", "None"),
                            ("pending", "Pending"),
                            ("applying", "Applying"),
                            ("applied", "Applied"),
                            ("incident", "Incident"),
                            ("abandoned", "Abandoned"),
                            ("overtaken", "Overtaken"),
                        ],
                        default="none",
                        max_length=10,
                    ),
                ),
                ("version", models.PositiveIntegerField(default=1)),
                ("claimed_until", models.DateTimeField(blank=True, null=True)),
                ("opened_at", models.DateTimeField()),
                ("due_at", models.DateTimeField(blank=True, null=True)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("urgent_at", models.DateTimeField()),
                ("follow_up_at", models.DateTimeField(blank=True, null=True)),
                ("waits_since", models.DateTimeField(default=datetime.datetime(9999, 1, 1, 0, 0, tzinfo=datetime.UTC))),
                ("escalates_at", models.DateTimeField(blank=True, null=True)),
                ("escalated_at", models.DateTimeField(blank=True, null=True)),
                ("on_timeout", models.CharField(blank=True, max_length=64)),
                ("decided_as", models.CharField(blank=True, max_length=200)),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                ("decided_through", models.CharField(blank=True, max_length=20)),
                ("handle", models.CharField(blank=True, max_length=64)),
                ("values", models.JSONField(blank=True, default=dict)),
                ("reason", models.TextField(blank=True)),
                (
                    "assignee",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "decided_by",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "escalates_to",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="auth.group",
                    ),
                ),
                (
                    "group",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="auth.group",
                    ),
                ),
            ],
            options={
                "verbose_name": "gate or chat",
                "verbose_name_plural": "gates and chats",
                "ordering": ("number",),
                "permissions": [
                    ("decide_hitlsession", "Can claim, submit and expire sessions of own queues"),
                    ("supervise_hitlsession", "Can take over, extend, cancel, retry and abandon"),
                    ("view_every_hitlsession", "Can see the sessions of every queue"),
                ],
                "indexes": [
                    models.Index(
                        condition=models.Q(("delivery__in", ["pending", "incident"])),
                        fields=["delivery"],
                        name="session_delivery",
                    ),
                    models.Index(
                        condition=models.Q(("kind", "handoff")), fields=["number"], name="session_chats_by_age"
                    ),
                    models.Index(
                        condition=models.Q(("state", "claimed")),
                        fields=["assignee", "claimed_until"],
                        name="session_held",
                    ),
                    models.Index(
                        condition=models.Q(("decided_at__isnull", True)),
                        fields=["urgent_at", "-priority", "number"],
                        name="session_pending",
                    ),
                    models.Index(
                        condition=models.Q(("audience", "staff"), ("decided_at__isnull", False)),
                        fields=["-decided_at", "-number"],
                        name="session_done",
                    ),
                    models.Index(
                        condition=models.Q(("audience", "staff"), ("decided_at__isnull", False)),
                        fields=["group", "-decided_at", "-number"],
                        name="session_done_in_queue",
                    ),
                    models.Index(
                        condition=models.Q(("decided_at__isnull", True)), fields=["expires_at"], name="session_due"
                    ),
                    models.Index(
                        condition=models.Q(
                            ("decided_at__isnull", True),
                            ("escalated_at__isnull", True),
                            ("escalates_at__isnull", False),
                        ),
                        fields=["escalates_at"],
                        name="session_escalation",
                    ),
                    models.Index(
                        condition=models.Q(("decided_at__isnull", True), ("kind", "handoff")),
                        fields=["waits_since", "number"],
                        name="session_chats",
                    ),
                    models.Index(
                        condition=models.Q(("audience", "staff"), ("decided_at__isnull", True)),
                        fields=["kind", "urgent_at", "-priority", "number"],
                        name="session_urgency",
                    ),
                    models.Index(
                        condition=models.Q(("audience", "staff"), ("decided_at__isnull", True)),
                        fields=["group", "kind", "urgent_at", "-priority", "number"],
                        name="session_queue",
                    ),
                    models.Index(
                        condition=models.Q(
                            ("audience", "staff"), ("decided_at__isnull", True), ("follow_up_at__isnull", False)
                        ),
                        fields=["group", "kind", "follow_up_at", "number"],
                        name="session_snoozed",
                    ),
                    models.Index(
                        condition=models.Q(("escalated_at__isnull", False)),
                        fields=["escalates_to", "kind", "urgent_at", "-priority", "number"],
                        name="session_escalated",
                    ),
                    models.Index(
                        condition=models.Q(("audience", "staff"), ("decided_at__isnull", True)),
                        fields=["kind", "-priority", "urgent_at", "number"],
                        name="session_priority",
                    ),
                    models.Index(
                        condition=models.Q(("audience", "staff"), ("decided_at__isnull", True)),
                        fields=["group", "kind", "-priority", "urgent_at", "number"],
                        name="session_queue_priority",
                    ),
                    models.Index(
                        condition=models.Q(("escalated_at__isnull", False)),
                        fields=["escalates_to", "kind", "-priority", "urgent_at", "number"],
                        name="session_escalated_prio",
                    ),
                    models.Index(
                        condition=models.Q(("decided_at__isnull", False)),
                        fields=["kind", "urgent_at", "-priority", "number"],
                        name="session_ended",
                    ),
                    models.Index(
                        condition=models.Q(("audience", "staff"), ("decided_at__isnull", False)),
                        fields=["group", "kind", "urgent_at", "-priority", "number"],
                        name="session_ended_in_queue",
                    ),
                    models.Index(
                        condition=models.Q(("decided_at__isnull", True)), fields=["search_text"], name="session_values"
                    ),
                    models.Index(condition=models.Q(("group__isnull", False)), fields=["group"], name="session_group"),
                    models.Index(
                        condition=models.Q(("escalates_to__isnull", False)),
                        fields=["escalates_to"],
                        name="session_escalates",
                    ),
                    models.Index(
                        condition=models.Q(("assignee__isnull", False)), fields=["assignee"], name="session_assignee"
                    ),
                    models.Index(
                        condition=models.Q(("decided_by__isnull", False)), fields=["decided_by"], name="session_decider"
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("decided_at__isnull", True), ("state__in", ["open", "claimed"])),
                            models.Q(
                                ("decided_at__isnull", False), ("state__in", ["submitted", "expired", "cancelled"])
                            ),
                            _connector="OR",
                        ),
                        name="session_decided_when_final",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "claimed"), _negated=True),
                            models.Q(("assignee__isnull", False), ("claimed_until__isnull", False)),
                            _connector="OR",
                        ),
                        name="session_claim_has_holder",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Assistant",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.SlugField(max_length=64, unique=True)),
                ("title", models.CharField(max_length=200)),
                ("description", models.TextField(blank=True)),
                ("translations", models.JSONField(blank=True, default=dict)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ("name",),
                "permissions": [
                    ("publish_assistant", "Can publish and roll back releases"),
                    ("test_assistant", "Can try drafts and releases in the test console"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Attendance",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("seen_at", models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name="AuditHead",
            fields=[
                ("chain", models.CharField(max_length=60, primary_key=True, serialize=False)),
                ("number", models.PositiveIntegerField()),
                ("sha256", models.CharField(max_length=64)),
            ],
        ),
        migrations.CreateModel(
            name="Conversation",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("user_ref", models.CharField(blank=True, max_length=200)),
                ("vouched", models.BooleanField(default=False)),
                ("origin", models.CharField(blank=True, max_length=64)),
                ("channel", models.CharField(default="web", max_length=40)),
                ("language", models.CharField(blank=True, max_length=35)),
                ("metadata", models.JSONField(blank=True, default=dict)),
                ("opening", models.JSONField(blank=True, default=dict)),
                ("test", models.BooleanField(default=False)),
                ("token_sha256", models.CharField(blank=True, max_length=64)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("idle", "Idle"),
                            ("running", "Running"),
                            ("waiting", "Waiting"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="idle",
                        max_length=10,
                    ),
                ),
                ("explicit", models.CharField(default="idle", max_length=20)),
                ("stack", models.JSONField(blank=True, default=list)),
                (
                    "outcome",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "None"),
                            ("customer", "Customer"),
                            ("staff", "Staff"),
                            ("person", "Person"),
                            ("event", "Event"),
                            ("finished", "Finished"),
                            ("cancelled", "Cancelled"),
                            ("left", "Left"),
                            ("failed", "Failed"),
                        ],
                        default="",
                        max_length=10,
                    ),
                ),
                ("unclear_turns", models.PositiveIntegerField(default=0)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("active_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("idle_until", models.DateTimeField(blank=True, null=True)),
                ("erased_at", models.DateTimeField(blank=True, null=True)),
                ("last_message", models.PositiveIntegerField(default=0)),
                ("last_event", models.PositiveIntegerField(default=0)),
                ("last_turn", models.PositiveIntegerField(default=0)),
                ("epoch", models.PositiveBigIntegerField(default=0)),
                ("lease_owner", models.CharField(blank=True, max_length=80)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                (
                    "assistant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="conversations",
                        to="dialogue.assistant",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="chats",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("-active_at", "-id"),
                "permissions": [
                    ("view_every_conversation", "Can see every conversation"),
                    ("cancel_conversation", "Can cancel a conversation"),
                    ("erase_conversation", "Can erase a conversation"),
                    ("unmask_conversation", "Can see sensitive values"),
                    ("vouch_conversation", "Can say who the customer of a conversation is"),
                    ("signal_conversation", "Can report events to conversations and begin their flows"),
                ],
                "indexes": [
                    models.Index(fields=["-active_at", "-id"], name="conversation_active"),
                    models.Index(fields=["assistant", "state"], name="conversation_state"),
                    models.Index(fields=["user", "-active_at"], name="conversation_user"),
                    models.Index(
                        condition=models.Q(("lease_until__isnull", False)),
                        fields=["lease_until"],
                        name="conversation_lease",
                    ),
                    models.Index(
                        condition=models.Q(("state__in", ["idle", "waiting", "failed"])),
                        fields=["idle_until"],
                        name="conversation_idle",
                    ),
                    models.Index(fields=["-created_at", "-id"], name="conversation_created"),
                    models.Index(fields=["user_ref", "-active_at", "-id"], name="conversation_reference"),
                    models.Index(fields=["state", "-active_at", "-id"], name="conversation_in_state"),
                    models.Index(condition=models.Q(("test", True)), fields=["user"], name="conversation_test"),
                    models.Index(
                        condition=models.Q(("origin", ""), _negated=True),
                        fields=["origin", "active_at"],
                        name="conversation_origin",
                    ),
                    models.Index(fields=["outcome", "-active_at", "-id"], name="conversation_outcome"),
                    models.Index(fields=["assistant", "-active_at", "-id"], name="conversation_assistant"),
                    models.Index(
                        condition=models.Q(("unclear_turns__gt", 0)),
                        fields=["-active_at", "-id"],
                        name="conversation_unclear",
                    ),
                    models.Index(
                        condition=models.Q(("test", True)),
                        fields=["-active_at", "-id"],
                        name="conversation_tests_active",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="DemoBook",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("title", models.CharField(max_length=200, unique=True)),
            ],
        ),
        migrations.CreateModel(
            name="DemoHold",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=250, unique=True)),
                ("title", models.CharField(max_length=200)),
                ("edition", models.CharField(max_length=20)),
                ("pickup", models.CharField(blank=True, max_length=40)),
                ("email", models.EmailField(blank=True, max_length=254)),
            ],
        ),
        migrations.CreateModel(
            name="DemoLoan",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.CharField(max_length=5, unique=True)),
                ("title", models.CharField(max_length=200)),
                ("due", models.DateField()),
                ("reserved", models.BooleanField(default=False)),
                ("renewals", models.JSONField(default=list)),
            ],
        ),
        migrations.CreateModel(
            name="DemoPayment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=250, unique=True)),
                ("purpose", models.CharField(max_length=40)),
                ("amount", models.DecimalField(decimal_places=2, max_digits=12)),
                ("to", models.CharField(max_length=200)),
                ("sent_at", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="Release",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("sha256", models.CharField(db_index=True, max_length=64)),
                ("engine_version", models.CharField(max_length=20)),
                ("note", models.CharField(blank=True, max_length=500)),
                ("published_at", models.DateTimeField(auto_now_add=True)),
                ("trial", models.BooleanField(default=False)),
                ("texts", models.JSONField(blank=True, default=dict)),
                (
                    "assistant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="releases", to="dialogue.assistant"
                    ),
                ),
                (
                    "published_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("assistant", "number"),
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("trial", False)), fields=("assistant", "number"), name="release_once"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("trial", True)), fields=("assistant", "sha256"), name="trial_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Preference",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("muted_until", models.DateTimeField(blank=True, null=True)),
                ("shows_first_steps", models.BooleanField(default=False)),
                ("skips_gate_tour", models.BooleanField(default=False)),
                ("zone", models.CharField(blank=True, default="", max_length=64)),
                ("language", models.CharField(blank=True, default="", max_length=10)),
            ],
        ),
        migrations.CreateModel(
            name="ReceiptKey",
            fields=[
                ("name", models.CharField(max_length=16, primary_key=True, serialize=False)),
                ("salt", models.CharField(max_length=64)),
                ("public_key", models.CharField(max_length=64)),
                ("created_at", models.DateTimeField()),
                ("retired_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ("created_at", "name"),
            },
        ),
        migrations.CreateModel(
            name="TryCounter",
            fields=[
                ("key", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("since", models.DateTimeField(db_index=True)),
                ("tries", models.PositiveIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="Alert",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(choices=[("key_refused", "Key Refused")], max_length=20)),
                ("subject", models.CharField(max_length=200)),
                ("times", models.PositiveIntegerField(default=1)),
                ("first_at", models.DateTimeField()),
                ("last_at", models.DateTimeField()),
                ("over_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ("-pk",),
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("over_at", None)), fields=("kind", "subject"), name="alert_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="AnswerLink",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("email", models.EmailField(max_length=254)),
                ("name", models.CharField(blank=True, max_length=200)),
                ("made_at", models.DateTimeField()),
                ("undecided_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "role",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="auth.group",
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="links", to="dialogue.hitlsession"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "constraints": [models.UniqueConstraint(fields=("session", "email"), name="link_once")],
            },
        ),
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100)),
                ("sha256", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                ("scopes", models.JSONField(blank=True, null=True)),
                ("ends_at", models.DateTimeField(blank=True, null=True)),
                ("last_used_at", models.DateTimeField(blank=True, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="api_tokens",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "API token",
            },
        ),
        migrations.CreateModel(
            name="AllowedOrigin",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("origin", models.CharField(max_length=300)),
                ("added_at", models.DateTimeField()),
                ("seen_at", models.DateTimeField(blank=True, null=True)),
                (
                    "added_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "assistant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="allowed_origins",
                        to="dialogue.assistant",
                    ),
                ),
            ],
            options={
                "ordering": ("origin",),
                "indexes": [models.Index(fields=["origin"], name="allowed_origin")],
                "constraints": [models.UniqueConstraint(fields=("assistant", "origin"), name="allowed_origin_once")],
            },
        ),
        migrations.CreateModel(
            name="AssistantImage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100)),
                ("kind", models.CharField(max_length=10)),
                ("content", models.BinaryField()),
                ("digest", models.CharField(max_length=64)),
                ("at", models.DateTimeField()),
                (
                    "assistant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="images", to="dialogue.assistant"
                    ),
                ),
            ],
            options={
                "ordering": ("name",),
                "constraints": [models.UniqueConstraint(fields=("assistant", "name"), name="assistant_image_name")],
            },
        ),
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("chain", models.CharField(max_length=60)),
                ("number", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
                ("actor", models.CharField(max_length=150)),
                ("actor_id", models.BigIntegerField(blank=True, null=True)),
                ("act", models.CharField(max_length=60)),
                ("subject", models.CharField(blank=True, max_length=100)),
                ("facts", models.JSONField(default=dict)),
                ("detail_sha256", models.CharField(blank=True, max_length=64)),
                ("previous_sha256", models.CharField(max_length=64)),
                ("sha256", models.CharField(max_length=64)),
            ],
            options={
                "verbose_name_plural": "audit entries",
                "ordering": ("chain", "number"),
                "permissions": [
                    ("view_every_auditentry", "Can see every audit entry"),
                    ("export_auditentry", "Can export the audit"),
                ],
                "indexes": [
                    models.Index(fields=["-at", "-id"], name="audit_recent"),
                    models.Index(fields=["actor_id", "-at"], name="audit_actor"),
                    models.Index(fields=["subject", "-at"], name="audit_subject"),
                ],
                "constraints": [models.UniqueConstraint(fields=("chain", "number"), name="audit_order")],
            },
        ),
        migrations.CreateModel(
            name="AuditDetail",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text", models.JSONField()),
                (
                    "entry",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="detail", to="dialogue.auditentry"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ChannelConnection",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("channel", models.CharField(max_length=40)),
                ("address", models.CharField(max_length=200)),
                ("account", models.CharField(blank=True, max_length=200, null=True)),
                ("values", models.JSONField(blank=True, default=dict)),
                ("sealed", models.TextField(blank=True)),
                ("salt", models.CharField(max_length=64)),
                (
                    "state",
                    models.CharField(
                        choices=[("active", "Active"), ("paused", "Paused")], default="active", max_length=6
                    ),
                ),
                (
                    "paused_because",
                    models.CharField(
                        blank=True,
                        choices=[("", "None"), ("person", "Person"), ("refused", "Refused")],
                        default="",
                        max_length=7,
                    ),
                ),
                ("paused_at", models.DateTimeField(blank=True, null=True)),
                ("made_at", models.DateTimeField()),
                ("received_at", models.DateTimeField(blank=True, null=True)),
                ("sent_at", models.DateTimeField(blank=True, null=True)),
                ("error", models.CharField(blank=True, max_length=500)),
                ("failures", models.PositiveIntegerField(default=0)),
                ("rests_until", models.DateTimeField(blank=True, null=True)),
                (
                    "assistant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="channel_connections",
                        to="dialogue.assistant",
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "constraints": [
                    models.UniqueConstraint(fields=("channel", "address"), name="channel_address_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("account__isnull", False)),
                        fields=("channel", "account"),
                        name="channel_account_once",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ChannelThread",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=64)),
                ("recipient", models.CharField(max_length=320)),
                ("facts", models.JSONField(blank=True, default=dict)),
                ("is_current", models.BooleanField(default=True)),
                ("opened_at", models.DateTimeField()),
                (
                    "state",
                    models.CharField(
                        choices=[("active", "Active"), ("blocked", "Blocked"), ("failed", "Failed")],
                        default="active",
                        max_length=7,
                    ),
                ),
                ("latest", models.PositiveIntegerField(default=0)),
                ("sent", models.PositiveIntegerField(default=0)),
                ("claims", models.PositiveBigIntegerField(default=0)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("due_at", models.DateTimeField()),
                ("error", models.CharField(blank=True, max_length=500)),
                (
                    "connection",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="threads",
                        to="dialogue.channelconnection",
                    ),
                ),
                (
                    "conversation",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="channel_thread",
                        to="dialogue.conversation",
                    ),
                ),
            ],
            options={
                "ordering": ("-pk",),
                "indexes": [
                    models.Index(
                        condition=models.Q(("sent__lt", models.F("latest")), ("state", "active")),
                        fields=["connection", "due_at"],
                        name="channel_thread_due",
                    ),
                    models.Index(
                        condition=models.Q(("state", "failed")),
                        fields=["connection", "-id"],
                        name="channel_thread_failed",
                    ),
                    models.Index(fields=["connection", "recipient", "opened_at"], name="channel_thread_recipient"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("is_current", True)),
                        fields=("connection", "key"),
                        name="channel_thread_current",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Checkpoint",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("thread_id", models.CharField(max_length=100)),
                ("namespace", models.CharField(blank=True, max_length=200)),
                ("checkpoint_id", models.CharField(max_length=60)),
                ("parent_id", models.CharField(blank=True, max_length=60)),
                ("number", models.PositiveBigIntegerField()),
                ("kind", models.CharField(max_length=20)),
                ("blob", models.BinaryField()),
                ("metadata", models.JSONField(default=dict)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("thread_id", "namespace", "checkpoint_id"), name="checkpoint_once"),
                    models.UniqueConstraint(fields=("thread_id", "namespace", "number"), name="checkpoint_order"),
                ],
            },
        ),
        migrations.CreateModel(
            name="CheckpointWrite",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("thread_id", models.CharField(max_length=100)),
                ("namespace", models.CharField(blank=True, max_length=200)),
                ("checkpoint_id", models.CharField(max_length=60)),
                ("task_id", models.CharField(max_length=60)),
                ("task_path", models.CharField(blank=True, max_length=200)),
                ("position", models.IntegerField()),
                ("channel", models.CharField(max_length=200)),
                ("kind", models.CharField(max_length=20)),
                ("blob", models.BinaryField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("thread_id", "namespace", "checkpoint_id", "task_id", "position"),
                        name="checkpoint_write_once",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="NLUSpending",
            fields=[
                (
                    "conversation",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="nlu_spending",
                        serialize=False,
                        to="dialogue.conversation",
                    ),
                ),
                ("calls", models.PositiveIntegerField(default=0)),
                ("tokens", models.PositiveBigIntegerField(default=0)),
                ("seconds", models.FloatField(default=0)),
                ("money", models.DecimalField(decimal_places=6, default=0, max_digits=14)),
            ],
        ),
        migrations.CreateModel(
            name="Trial",
            fields=[
                (
                    "conversation",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="trial",
                        serialize=False,
                        to="dialogue.conversation",
                    ),
                ),
                ("private", models.BooleanField(default=False)),
                (
                    "actions",
                    models.CharField(
                        choices=[("simulated", "Simulated"), ("real", "Real")], default="simulated", max_length=10
                    ),
                ),
                ("stubs", models.JSONField(blank=True, default=dict)),
                ("nlu", models.CharField(blank=True, max_length=10)),
                ("ahead", models.DurationField(default=datetime.timedelta)),
                ("moves", models.JSONField(blank=True, default=list)),
                ("origin_turn", models.PositiveIntegerField(default=0)),
            ],
        ),
        migrations.AddField(
            model_name="hitlsession",
            name="conversation",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="sessions",
                to="dialogue.conversation",
            ),
        ),
        migrations.CreateModel(
            name="ContactRefusal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("user_ref", models.CharField(blank=True, max_length=200)),
                ("at", models.DateTimeField()),
                (
                    "assistant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="dialogue.assistant",
                    ),
                ),
                (
                    "conversation",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="refusal",
                        to="dialogue.conversation",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("user_ref", ""), _negated=True),
                        fields=("assistant", "user_ref"),
                        name="refusal_once",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ChannelDelivery",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("first", models.PositiveIntegerField()),
                ("last", models.PositiveIntegerField()),
                ("pieces_sent", models.PositiveSmallIntegerField(default=0)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("pending", "Pending"),
                            ("sent", "Sent"),
                            ("failed", "Failed"),
                            ("skipped", "Skipped"),
                        ],
                        default="pending",
                        max_length=7,
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("made_at", models.DateTimeField()),
                ("sent_at", models.DateTimeField(blank=True, null=True)),
                ("remote_id", models.CharField(blank=True, max_length=200)),
                ("error", models.CharField(blank=True, max_length=500)),
                (
                    "connection",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="dialogue.channelconnection",
                    ),
                ),
                (
                    "thread",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="dialogue.channelthread",
                    ),
                ),
                (
                    "conversation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="channel_deliveries",
                        to="dialogue.conversation",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "channel deliveries",
                "ordering": ("-pk",),
                "indexes": [
                    models.Index(fields=["connection", "-id"], name="channel_delivery_list"),
                    models.Index(fields=["made_at"], name="channel_delivery_age"),
                ],
                "constraints": [models.UniqueConstraint(fields=("thread", "first"), name="channel_delivery_once")],
            },
        ),
        migrations.CreateModel(
            name="ChannelArrival",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("ref", models.CharField(max_length=80)),
                ("sender", models.CharField(max_length=64)),
                (
                    "outcome",
                    models.CharField(
                        choices=[("accepted", "Accepted"), ("refused", "Refused"), ("ignored", "Ignored")], max_length=8
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=200)),
                ("at", models.DateTimeField()),
                (
                    "connection",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="arrivals",
                        to="dialogue.channelconnection",
                    ),
                ),
                (
                    "conversation",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="channel_arrivals",
                        to="dialogue.conversation",
                    ),
                ),
            ],
            options={
                "ordering": ("-pk",),
                "indexes": [
                    models.Index(fields=["connection", "-id"], name="channel_arrival_list"),
                    models.Index(fields=["connection", "sender", "at"], name="channel_arrival_sender"),
                ],
                "constraints": [models.UniqueConstraint(fields=("connection", "ref"), name="channel_arrival_once")],
            },
        ),
        migrations.CreateModel(
            name="AgentRequest",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("ref", models.CharField(max_length=100)),
                ("body_sha256", models.CharField(max_length=64)),
                ("dialect", models.CharField(max_length=30)),
                ("source", models.CharField(max_length=100)),
                ("thread", models.CharField(max_length=200)),
                ("ask", models.JSONField()),
                ("details", models.JSONField(default=dict)),
                ("callback", models.CharField(blank=True, max_length=2000)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("delivered", "Delivered"),
                            ("incident", "Incident"),
                            ("withdrawn", "Withdrawn"),
                            ("abandoned", "Abandoned"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("answer", models.JSONField(blank=True, null=True)),
                ("made_at", models.DateTimeField()),
                ("answered_at", models.DateTimeField(blank=True, null=True)),
                ("delivered_at", models.DateTimeField(blank=True, null=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("due_at", models.DateTimeField()),
                ("error", models.TextField(blank=True)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "conversation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="agent_requests",
                        to="dialogue.conversation",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "permissions": [("ask_agentrequest", "Can ask staff to decide for agents of other systems")],
                "indexes": [
                    models.Index(fields=["by", "source", "thread", "-id"], name="agent_request_thread"),
                    models.Index(
                        condition=models.Q(("state", "waiting"), models.Q(("callback", ""), _negated=True)),
                        fields=["due_at"],
                        name="agent_request_due",
                    ),
                    models.Index(
                        condition=models.Q(("answered_at__isnull", True), ("state", "waiting")),
                        fields=["by"],
                        name="agent_request_open",
                    ),
                ],
                "constraints": [models.UniqueConstraint(fields=("by", "ref"), name="agent_request_once")],
            },
        ),
        migrations.CreateModel(
            name="ActionRun",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=250, unique=True)),
                ("action", models.CharField(max_length=64)),
                ("inputs", models.JSONField(default=dict)),
                ("inputs_sha256", models.CharField(max_length=64)),
                ("idempotent", models.BooleanField(default=False)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("intended", "Intended"),
                            ("running", "Running"),
                            ("succeeded", "Succeeded"),
                            ("failed", "Failed"),
                            ("unknown", "Unknown"),
                        ],
                        default="intended",
                        max_length=10,
                    ),
                ),
                ("outputs", models.JSONField(blank=True, null=True)),
                ("error", models.TextField(blank=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("epoch", models.PositiveBigIntegerField()),
                ("intended_at", models.DateTimeField()),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "conversation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="action_runs",
                        to="dialogue.conversation",
                    ),
                ),
            ],
            options={
                "ordering": ("conversation", "pk"),
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", ["running", "unknown"])), fields=["state"], name="action_open"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ConversationView",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60)),
                ("query", models.JSONField(default=dict)),
                ("made_at", models.DateTimeField()),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "ordering": ("name", "pk"),
                "constraints": [models.UniqueConstraint(fields=("owner", "name"), name="conversation_view_once")],
            },
        ),
        migrations.CreateModel(
            name="Correction",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("turn", models.PositiveIntegerField()),
                ("flow", models.CharField(max_length=64)),
                ("text", models.CharField(max_length=500)),
                ("at", models.DateTimeField()),
                (
                    "assistant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="corrections", to="dialogue.assistant"
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "conversation",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="corrections",
                        to="dialogue.conversation",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("conversation", "turn"), name="correction_once")],
            },
        ),
        migrations.CreateModel(
            name="DemoPayee",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=200)),
                ("iban", models.CharField(max_length=34)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("name", "iban"), name="demo_payee_once")],
            },
        ),
        migrations.CreateModel(
            name="Draft",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("values", models.JSONField(default=dict)),
                ("saved_at", models.DateTimeField()),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="drafts", to="dialogue.hitlsession"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("session", "by"), name="draft_once")],
            },
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("message", "Message"),
                            ("choice", "Choice"),
                            ("decision", "Decision"),
                            ("expiry", "Expiry"),
                            ("cancel", "Cancel"),
                            ("say", "Say"),
                            ("slots", "Slots"),
                            ("hand_back", "Hand Back"),
                            ("timeout", "Timeout"),
                            ("file", "File"),
                            ("timer", "Timer"),
                            ("signal", "Signal"),
                            ("start", "Start"),
                            ("notify", "Notify"),
                        ],
                        max_length=10,
                    ),
                ),
                ("client_id", models.CharField(max_length=100)),
                ("body_sha256", models.CharField(max_length=64)),
                ("payload", models.JSONField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("due", "Due"),
                            ("done", "Done"),
                            ("incident", "Incident"),
                            ("abandoned", "Abandoned"),
                        ],
                        default="due",
                        max_length=10,
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("understanding", models.JSONField(blank=True, null=True)),
                ("basis", models.JSONField(blank=True, null=True)),
                ("error", models.TextField(blank=True)),
                ("reference", models.CharField(blank=True, max_length=12)),
                ("accepted_at", models.DateTimeField()),
                ("done_at", models.DateTimeField(blank=True, null=True)),
                (
                    "conversation",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="events",
                        to="dialogue.conversation",
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="events",
                        to="dialogue.hitlsession",
                    ),
                ),
            ],
            options={
                "ordering": ("conversation", "number"),
                "indexes": [
                    models.Index(condition=models.Q(("state", "due")), fields=["accepted_at"], name="event_due"),
                    models.Index(
                        condition=models.Q(("state", "due")), fields=["conversation", "number"], name="event_next"
                    ),
                    models.Index(
                        condition=models.Q(("state", "incident")), fields=["accepted_at"], name="event_incident"
                    ),
                    models.Index(
                        condition=models.Q(("session__isnull", False)), fields=["session"], name="event_session"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("conversation", "client_id"), name="event_once"),
                    models.UniqueConstraint(fields=("conversation", "number"), name="event_order"),
                    models.UniqueConstraint(
                        condition=models.Q(("kind__in", ["decision", "expiry"])),
                        fields=("session",),
                        name="one_event_per_decision",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="FileDeletion",
            fields=[
                ("content", models.CharField(max_length=200, primary_key=True, serialize=False)),
                ("removed_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "indexes": [models.Index(fields=["removed_at"], name="file_deletion_due")],
            },
        ),
        migrations.CreateModel(
            name="Flow",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=64)),
                ("draft", models.TextField(blank=True)),
                ("archived", models.BooleanField(default=False)),
                (
                    "assistant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="flows", to="dialogue.assistant"
                    ),
                ),
            ],
            options={
                "ordering": ("assistant", "name"),
                "constraints": [models.UniqueConstraint(fields=("assistant", "name"), name="flow_once")],
            },
        ),
        migrations.CreateModel(
            name="FlowDraft",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text", models.TextField(blank=True)),
                ("base", models.PositiveIntegerField(default=0)),
                ("saved_at", models.DateTimeField(auto_now=True)),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "flow",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="drafts", to="dialogue.flow"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("flow", "author"), name="flow_draft_once")],
            },
        ),
        migrations.CreateModel(
            name="FlowVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("text", models.TextField()),
                ("sha256", models.CharField(max_length=64)),
                ("note", models.CharField(blank=True, max_length=500)),
                ("saved_at", models.DateTimeField(auto_now_add=True)),
                (
                    "author",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "flow",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="versions", to="dialogue.flow"
                    ),
                ),
            ],
            options={
                "ordering": ("flow", "number"),
                "constraints": [models.UniqueConstraint(fields=("flow", "number"), name="flow_version_once")],
            },
        ),
        migrations.AddField(
            model_name="flow",
            name="head",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="dialogue.flowversion",
            ),
        ),
        migrations.CreateModel(
            name="FullLook",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveIntegerField()),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="dialogue.hitlsession"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("session", "by"), name="full_look_once")],
            },
        ),
        migrations.CreateModel(
            name="InboxEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=20)),
                ("version", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="dialogue.hitlsession"
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="KnowledgeDocument",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=200)),
                ("title", models.CharField(max_length=200)),
                ("text", models.TextField()),
                ("from_folder", models.BooleanField(default=False)),
                ("at", models.DateTimeField()),
                (
                    "assistant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="knowledge_documents",
                        to="dialogue.assistant",
                    ),
                ),
                (
                    "author",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("name",),
                "constraints": [models.UniqueConstraint(fields=("assistant", "name"), name="knowledge_document_name")],
            },
        ),
        migrations.CreateModel(
            name="KnowledgePassage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("ordinal", models.PositiveIntegerField()),
                ("heading", models.CharField(blank=True, max_length=300)),
                ("text", models.TextField()),
                (
                    "document",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="passages",
                        to="dialogue.knowledgedocument",
                    ),
                ),
            ],
            options={
                "ordering": ("document", "ordinal"),
                "constraints": [
                    models.UniqueConstraint(fields=("document", "ordinal"), name="knowledge_passage_place")
                ],
            },
        ),
        migrations.CreateModel(
            name="LearnedModel",
            fields=[
                (
                    "release",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="learned",
                        serialize=False,
                        to="dialogue.release",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("learning", "Learning"), ("ready", "Ready"), ("broken", "Broken")],
                        default="learning",
                        max_length=10,
                    ),
                ),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("digest", models.CharField(blank=True, max_length=64)),
                ("vectors", models.BinaryField(default=b"")),
                ("error", models.CharField(blank=True, max_length=500)),
                ("began_at", models.DateTimeField()),
                ("ready_at", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.AddField(
            model_name="release",
            name="versions",
            field=models.ManyToManyField(related_name="releases", to="dialogue.flowversion"),
        ),
        migrations.AddField(
            model_name="hitlsession",
            name="release",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="dialogue.release"
            ),
        ),
        migrations.AddField(
            model_name="conversation",
            name="release",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="conversations", to="dialogue.release"
            ),
        ),
        migrations.AddField(
            model_name="assistant",
            name="active_release",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="dialogue.release",
            ),
        ),
        migrations.CreateModel(
            name="LinkToken",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("sha256", models.CharField(max_length=64, unique=True)),
                ("made_at", models.DateTimeField()),
                (
                    "link",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="tokens", to="dialogue.answerlink"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Message",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("seq", models.PositiveIntegerField()),
                ("ordinal", models.PositiveSmallIntegerField(default=0)),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("user", "User"),
                            ("assistant", "Assistant"),
                            ("operator", "Operator"),
                            ("system", "System"),
                        ],
                        max_length=10,
                    ),
                ),
                ("key", models.CharField(blank=True, max_length=140)),
                ("text", models.TextField(blank=True)),
                ("buttons", models.JSONField(blank=True, default=list)),
                ("parts", models.JSONField(blank=True, default=list)),
                ("author", models.CharField(blank=True, max_length=150)),
                ("at", models.DateTimeField()),
                (
                    "conversation",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="messages",
                        to="dialogue.conversation",
                    ),
                ),
                (
                    "reply_to",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="replies",
                        to="dialogue.event",
                    ),
                ),
            ],
            options={
                "ordering": ("conversation", "seq"),
                "constraints": [
                    models.UniqueConstraint(fields=("conversation", "seq"), name="message_order"),
                    models.UniqueConstraint(
                        condition=models.Q(("reply_to__isnull", False)),
                        fields=("reply_to", "ordinal"),
                        name="message_once_early",
                    ),
                ],
            },
        ),
        migrations.AddField(
            model_name="event",
            name="message",
            field=models.OneToOneField(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="event",
                to="dialogue.message",
            ),
        ),
        migrations.CreateModel(
            name="NLUAnswer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=64)),
                ("commands", models.JSONField()),
                ("at", models.DateTimeField(db_index=True)),
                (
                    "conversation",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="nlu_answers",
                        to="dialogue.conversation",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("key", "conversation"), name="nlu_answer_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("conversation", None)), fields=("key",), name="nlu_answer_shared_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="NLUProgram",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[("candidate", "Candidate"), ("serving", "Serving"), ("retired", "Retired")],
                        default="candidate",
                        max_length=10,
                    ),
                ),
                ("artefact", models.TextField()),
                ("sha256", models.CharField(max_length=64)),
                ("signature", models.CharField(max_length=64)),
                ("dspy", models.CharField(max_length=20)),
                ("model", models.CharField(max_length=200)),
                ("optimizer", models.CharField(max_length=20)),
                ("data", models.CharField(max_length=64)),
                ("scores", models.JSONField(blank=True, default=dict)),
                ("baseline", models.JSONField(blank=True, default=dict)),
                ("made_at", models.DateTimeField()),
                ("promoted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "assistant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="nlu_programs",
                        to="dialogue.assistant",
                    ),
                ),
                (
                    "beaten",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="dialogue.nluprogram",
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "replaced",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="dialogue.nluprogram",
                    ),
                ),
            ],
            options={
                "ordering": ("assistant", "-number"),
                "constraints": [
                    models.UniqueConstraint(fields=("assistant", "number"), name="nlu_program_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("state", "serving")), fields=("assistant",), name="nlu_program_one_serves"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="NLURun",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "state",
                    models.CharField(
                        choices=[("running", "Running"), ("done", "Done"), ("broken", "Broken")],
                        default="running",
                        max_length=10,
                    ),
                ),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("error", models.TextField(blank=True)),
                ("started_at", models.DateTimeField()),
                ("beat_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "kind",
                    models.CharField(
                        choices=[("evaluation", "Evaluation"), ("optimisation", "Optimisation")], max_length=12
                    ),
                ),
                ("nlu", models.CharField(blank=True, max_length=10)),
                ("optimizer", models.CharField(blank=True, max_length=20)),
                ("stage", models.CharField(blank=True, max_length=40)),
                ("report", models.JSONField(blank=True, default=dict)),
                (
                    "assistant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="nlu_runs", to="dialogue.assistant"
                    ),
                ),
                (
                    "program",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="runs",
                        to="dialogue.nluprogram",
                    ),
                ),
                (
                    "started_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("-pk",),
                "abstract": False,
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state", "running")), fields=("assistant",), name="nlu_run_one_at_a_time"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Notice",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                (
                    "state",
                    models.CharField(
                        choices=[("pending", "Pending"), ("sent", "Sent"), ("incident", "Incident"), ("void", "Void")],
                        default="pending",
                        max_length=10,
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("error", models.TextField(blank=True)),
                ("made_at", models.DateTimeField()),
                ("due_at", models.DateTimeField()),
                ("sent_at", models.DateTimeField(blank=True, null=True)),
                (
                    "link",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="notices", to="dialogue.answerlink"
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "indexes": [
                    models.Index(condition=models.Q(("state", "pending")), fields=["due_at"], name="notice_due")
                ],
            },
        ),
        migrations.CreateModel(
            name="Outreach",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(choices=[("start", "Start"), ("notify", "Notify")], max_length=10)),
                ("client_id", models.CharField(max_length=100)),
                ("body_sha256", models.CharField(max_length=64)),
                ("payload", models.JSONField()),
                (
                    "state",
                    models.CharField(
                        choices=[("planned", "Planned"), ("done", "Done"), ("cancelled", "Cancelled")],
                        default="planned",
                        max_length=10,
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=40)),
                ("due_at", models.DateTimeField()),
                ("planned_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "conversation",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="outreaches",
                        to="dialogue.conversation",
                    ),
                ),
            ],
            options={
                "ordering": ("due_at", "pk"),
                "indexes": [
                    models.Index(condition=models.Q(("state", "planned")), fields=["due_at"], name="outreach_due")
                ],
                "constraints": [models.UniqueConstraint(fields=("conversation", "client_id"), name="outreach_once")],
            },
        ),
        migrations.CreateModel(
            name="Presence",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("until", models.DateTimeField(db_index=True)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="dialogue.hitlsession"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("session", "by"), name="presence_once")],
            },
        ),
        migrations.CreateModel(
            name="ReadMark",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("seq", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
                (
                    "conversation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="read_marks",
                        to="dialogue.conversation",
                    ),
                ),
                (
                    "reader",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("reader__isnull", False)),
                        fields=("conversation", "reader"),
                        name="read_mark_of_staff",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("reader__isnull", True)),
                        fields=("conversation",),
                        name="read_mark_of_customer",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RefusedOrigin",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("origin", models.CharField(max_length=300)),
                ("count", models.PositiveIntegerField(default=1)),
                ("at", models.DateTimeField()),
                (
                    "assistant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="refused_origins",
                        to="dialogue.assistant",
                    ),
                ),
            ],
            options={
                "ordering": ("-at",),
                "constraints": [models.UniqueConstraint(fields=("assistant", "origin"), name="refused_origin_once")],
            },
        ),
        migrations.CreateModel(
            name="SavedReply",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("title", models.CharField(max_length=80)),
                ("text", models.TextField()),
                ("changed_at", models.DateTimeField()),
                (
                    "changed_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "saved replies",
                "ordering": ("title", "pk"),
                "indexes": [models.Index(fields=["owner", "title"], name="reply_of_owner")],
            },
        ),
        migrations.CreateModel(
            name="SavedView",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60)),
                ("query", models.JSONField(default=dict)),
                ("made_at", models.DateTimeField()),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "ordering": ("name", "pk"),
                "constraints": [models.UniqueConstraint(fields=("owner", "name"), name="saved_view_once")],
            },
        ),
        migrations.CreateModel(
            name="ScenarioDocument",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100)),
                ("text", models.TextField()),
                ("version", models.PositiveIntegerField(default=1)),
                ("saved_at", models.DateTimeField()),
                (
                    "assistant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="scenario_documents",
                        to="dialogue.assistant",
                    ),
                ),
                (
                    "origin",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="scenarios",
                        to="dialogue.conversation",
                    ),
                ),
                (
                    "saved_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("assistant", "name"),
                "constraints": [models.UniqueConstraint(fields=("assistant", "name"), name="scenario_document_once")],
            },
        ),
        migrations.CreateModel(
            name="Scenario",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("place", models.PositiveIntegerField()),
                ("title", models.CharField(max_length=300)),
                ("turns", models.PositiveIntegerField()),
                ("gates", models.PositiveIntegerField(default=0)),
                ("passed", models.BooleanField(blank=True, null=True)),
                ("fact", models.CharField(blank=True, max_length=500)),
                ("seconds", models.FloatField(default=0)),
                ("sha256", models.CharField(blank=True, max_length=64)),
                ("result", models.JSONField(blank=True, default=dict)),
                (
                    "assistant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="scenarios", to="dialogue.assistant"
                    ),
                ),
                (
                    "document",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="scenarios",
                        to="dialogue.scenariodocument",
                    ),
                ),
            ],
            options={
                "ordering": ("document__name", "place"),
                "indexes": [models.Index(fields=["assistant", "passed"], name="scenario_passed")],
                "constraints": [models.UniqueConstraint(fields=("document", "place"), name="scenario_place_once")],
            },
        ),
        migrations.CreateModel(
            name="ScenarioRun",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "state",
                    models.CharField(
                        choices=[("running", "Running"), ("done", "Done"), ("broken", "Broken")],
                        default="running",
                        max_length=10,
                    ),
                ),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("error", models.TextField(blank=True)),
                ("started_at", models.DateTimeField()),
                ("beat_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("sha256", models.CharField(max_length=64)),
                ("nlu", models.CharField(default="given", max_length=20)),
                ("whole", models.BooleanField(default=True)),
                ("failed", models.PositiveIntegerField(default=0)),
                (
                    "assistant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="scenario_runs",
                        to="dialogue.assistant",
                    ),
                ),
                (
                    "started_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("-pk",),
                "abstract": False,
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state", "running")),
                        fields=("assistant",),
                        name="scenario_run_one_at_a_time",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SessionTag",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=40)),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="tags", to="dialogue.hitlsession"
                    ),
                ),
            ],
            options={
                "ordering": ("name",),
                "indexes": [models.Index(fields=["name", "session"], name="tag_of_sessions")],
                "constraints": [models.UniqueConstraint(fields=("session", "name"), name="tag_once")],
            },
        ),
        migrations.CreateModel(
            name="SigningSecret",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("salt", models.CharField(max_length=64)),
                ("sha256", models.CharField(max_length=64)),
                ("ending", models.CharField(max_length=4)),
                ("created_at", models.DateTimeField()),
                ("ends_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                ("used_at", models.DateTimeField(blank=True, null=True)),
                (
                    "assistant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="signing_secrets",
                        to="dialogue.assistant",
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("-id",),
            },
        ),
        migrations.CreateModel(
            name="Submission",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("accepted", models.BooleanField()),
                ("operation", models.CharField(max_length=12)),
                ("through", models.CharField(max_length=20)),
                ("action", models.CharField(blank=True, max_length=64)),
                ("values", models.JSONField(blank=True, default=dict)),
                ("reason", models.TextField(blank=True)),
                ("idempotency_key", models.CharField(blank=True, max_length=200)),
                ("body_sha256", models.CharField(blank=True, max_length=64)),
                ("status", models.PositiveSmallIntegerField()),
                ("code", models.CharField(blank=True, max_length=40)),
                ("detail", models.TextField(blank=True)),
                ("contested", models.BooleanField(default=False)),
                ("at", models.DateTimeField()),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "link",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="dialogue.answerlink",
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="submissions",
                        to="dialogue.hitlsession",
                    ),
                ),
            ],
            options={
                "ordering": ("session", "pk"),
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("accepted", True)), fields=("session",), name="one_accepted_submission"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("accepted", True), models.Q(("idempotency_key", ""), _negated=True)),
                        fields=("session", "idempotency_key"),
                        name="submission_key_once",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Timer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("task_key", models.CharField(max_length=200)),
                ("name", models.CharField(max_length=10)),
                ("due_at", models.DateTimeField()),
                ("fired_at", models.DateTimeField(blank=True, null=True)),
                (
                    "conversation",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="timers",
                        to="dialogue.conversation",
                    ),
                ),
            ],
            options={
                "ordering": ("due_at", "pk"),
                "indexes": [
                    models.Index(condition=models.Q(("fired_at__isnull", True)), fields=["due_at"], name="timer_due")
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("conversation", "task_key", "name"), name="timer_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Turn",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("record", models.JSONField()),
                (
                    "reading",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "None"),
                            ("understood", "Understood"),
                            ("asked_back", "Asked Back"),
                            ("not_understood", "Not Understood"),
                            ("corrected", "Corrected"),
                        ],
                        default="",
                        max_length=14,
                    ),
                ),
                ("state", models.CharField(max_length=10)),
                ("stack", models.JSONField(default=list)),
                ("milliseconds", models.FloatField()),
                ("llm_calls", models.PositiveIntegerField(default=0)),
                ("tokens", models.PositiveIntegerField(default=0)),
                ("finished_at", models.DateTimeField()),
                (
                    "conversation",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="turns",
                        to="dialogue.conversation",
                    ),
                ),
                (
                    "event",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="turn", to="dialogue.event"
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="dialogue.release"
                    ),
                ),
            ],
            options={
                "ordering": ("conversation", "number"),
                "constraints": [models.UniqueConstraint(fields=("conversation", "number"), name="turn_once")],
            },
        ),
        migrations.AddField(
            model_name="message",
            name="turn",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="messages",
                to="dialogue.turn",
            ),
        ),
        migrations.CreateModel(
            name="Unmasking",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reason", models.TextField()),
                ("at", models.DateTimeField()),
                ("until", models.DateTimeField()),
                (
                    "conversation",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="unmaskings",
                        to="dialogue.conversation",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("conversation", "person"), name="unmasking_once")],
            },
        ),
        migrations.CreateModel(
            name="UploadedFile",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("field", models.CharField(max_length=140)),
                ("name", models.CharField(max_length=150)),
                ("kind", models.CharField(max_length=10)),
                ("size", models.PositiveBigIntegerField()),
                ("digest", models.CharField(max_length=64)),
                (
                    "content",
                    models.FileField(
                        max_length=200,
                        storage=dialogue.models.conversations.uploaded_file.file_storage,
                        upload_to=dialogue.models.conversations.uploaded_file.storage_name,
                    ),
                ),
                ("sensitive", models.BooleanField(default=False)),
                ("sender", models.CharField(blank=True, max_length=150)),
                ("at", models.DateTimeField()),
                ("used_at", models.DateTimeField(blank=True, null=True)),
                (
                    "conversation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="files", to="dialogue.conversation"
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="files",
                        to="dialogue.hitlsession",
                    ),
                ),
            ],
            options={
                "ordering": ("at", "id"),
                "indexes": [
                    models.Index(
                        condition=models.Q(("used_at__isnull", True)), fields=["at"], name="uploaded_file_unused"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="UsedToken",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("sha256", models.CharField(max_length=64)),
                ("expires_at", models.DateTimeField(db_index=True)),
                (
                    "secret",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="used_tokens",
                        to="dialogue.signingsecret",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("secret", "sha256"), name="used_token_once")],
            },
        ),
        migrations.CreateModel(
            name="WebhookEndpoint",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("url", models.CharField(max_length=2000)),
                ("conversations", models.BooleanField(default=False)),
                ("messages", models.BooleanField(default=False)),
                ("sessions", models.BooleanField(default=False)),
                ("decisions", models.BooleanField(default=False)),
                ("incidents", models.BooleanField(default=False)),
                ("with_texts", models.BooleanField(default=False)),
                (
                    "state",
                    models.CharField(
                        choices=[("active", "Active"), ("paused", "Paused")], default="active", max_length=6
                    ),
                ),
                (
                    "paused_because",
                    models.CharField(
                        blank=True,
                        choices=[("", "None"), ("person", "Person"), ("failing", "Failing"), ("gone", "Gone")],
                        default="",
                        max_length=8,
                    ),
                ),
                ("paused_at", models.DateTimeField(blank=True, null=True)),
                ("made_at", models.DateTimeField()),
                ("succeeded_at", models.DateTimeField(blank=True, null=True)),
                ("failures", models.PositiveIntegerField(default=0)),
                ("rests_until", models.DateTimeField(blank=True, null=True)),
                (
                    "assistant",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="webhook_endpoints",
                        to="dialogue.assistant",
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="WebhookDelivery",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("type", models.CharField(max_length=40)),
                ("body", models.TextField()),
                (
                    "state",
                    models.CharField(
                        choices=[("pending", "Pending"), ("delivered", "Delivered"), ("failed", "Failed")],
                        default="pending",
                        max_length=9,
                    ),
                ),
                ("made_at", models.DateTimeField()),
                ("due_at", models.DateTimeField()),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("tried_at", models.DateTimeField(blank=True, null=True)),
                ("delivered_at", models.DateTimeField(blank=True, null=True)),
                ("milliseconds", models.PositiveIntegerField(blank=True, null=True)),
                ("status", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("answer", models.TextField(blank=True)),
                ("error", models.CharField(blank=True, max_length=500)),
                (
                    "conversation",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="webhook_deliveries",
                        to="dialogue.conversation",
                    ),
                ),
                (
                    "endpoint",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="dialogue.webhookendpoint",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "webhook deliveries",
                "ordering": ("-pk",),
                "indexes": [
                    models.Index(fields=["endpoint", "-id"], name="webhook_delivery_list"),
                    models.Index(
                        condition=models.Q(("state", "pending")),
                        fields=["endpoint", "due_at"],
                        name="webhook_delivery_due",
                    ),
                    models.Index(
                        condition=models.Q(("state", "pending")),
                        fields=["endpoint", "conversation", "id"],
                        name="webhook_delivery_order",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="WebhookEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "source",
                    models.CharField(
                        choices=[
                            ("opened", "Opened"),
                            ("ended", "Ended"),
                            ("message", "Message"),
                            ("inbox", "Inbox"),
                            ("audit", "Audit"),
                        ],
                        max_length=7,
                    ),
                ),
                ("row", models.BigIntegerField(default=0)),
                ("at", models.DateTimeField()),
                (
                    "conversation",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="webhook_events",
                        to="dialogue.conversation",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="WebhookSecret",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("salt", models.CharField(max_length=64)),
                ("sha256", models.CharField(max_length=64)),
                ("created_at", models.DateTimeField()),
                ("ends_at", models.DateTimeField(blank=True, null=True)),
                (
                    "account",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "endpoint",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="secrets",
                        to="dialogue.webhookendpoint",
                    ),
                ),
            ],
            options={
                "ordering": ("-id",),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("account__isnull", False), ("endpoint__isnull", True)),
                            models.Q(("account__isnull", True), ("endpoint__isnull", False)),
                            _connector="OR",
                        ),
                        name="webhook_secret_of_one",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="AgentPause",
            fields=[
                (
                    "session",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="agent_pause",
                        serialize=False,
                        to="dialogue.hitlsession",
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                ("snapshot", models.JSONField()),
                (
                    "request",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="pauses", to="dialogue.agentrequest"
                    ),
                ),
            ],
            options={
                "ordering": ("request", "position"),
                "constraints": [models.UniqueConstraint(fields=("request", "position"), name="agent_pause_once")],
            },
        ),
        migrations.AddField(
            model_name="trial",
            name="origin",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="forks",
                to="dialogue.conversation",
            ),
        ),
        migrations.AddField(
            model_name="trial",
            name="owner",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddIndex(
            model_name="hitlsession",
            index=models.Index(fields=["conversation", "state"], name="session_of_conversation"),
        ),
        migrations.AddIndex(
            model_name="hitlsession",
            index=models.Index(
                condition=models.Q(
                    ("state__in", ["open", "claimed"]),
                    ("delivery__in", ["pending", "applying", "incident"]),
                    _connector="OR",
                ),
                fields=["conversation"],
                name="session_current",
            ),
        ),
        migrations.AddConstraint(
            model_name="hitlsession",
            constraint=models.UniqueConstraint(
                fields=("conversation", "frame", "step", "visit"), name="session_per_visit"
            ),
        ),
        migrations.AddConstraint(
            model_name="message",
            constraint=models.UniqueConstraint(fields=("turn", "ordinal"), name="message_once"),
        ),
        AppendOnly("dialogue_auditentry"),
        migrations.RunPython(make_search, migrations.RunPython.noop),
        migrations.RunPython(seed_roles, migrations.RunPython.noop),
    ]
