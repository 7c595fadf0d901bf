"""The groups of the product and what each may do. Code asks for permissions, never for these names."""

from typing import Any

from django.db import migrations

_READ = ["assistant.view", "flow.view", "hitlsession.view", "conversation.view", "auditentry.view"]
_READ_ALL = ["hitlsession.view_every", "conversation.view_every", "auditentry.view_every"]

ROLES = {
    "operators": [*_READ, "hitlsession.decide"],
    "supervisors": [*_READ, *_READ_ALL, "hitlsession.decide", "hitlsession.supervise", "conversation.cancel"],
    "flow authors": [
        *("assistant.view", "assistant.test", "assistant.publish"),
        *("flow.view", "flow.add", "flow.change", "auditentry.view"),
    ],
    "auditors": [*_READ, *_READ_ALL, "auditentry.export"],
}


def seed_roles(apps: Any, _editor: Any) -> None:
    Group = apps.get_model("auth", "Group")
    for name, rights in ROLES.items():
        group, _ = Group.objects.get_or_create(name=name)
        group.permissions.add(*(_permission(apps, right) for right in rights))


def _permission(apps: Any, right: str) -> Any:
    """Permissions are made after all migrations; a role needs its own now, under the name that Django will find."""
    model, act = right.split(".")
    kind, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(app_label="dialogue", model=model)
    codename = f"{act}_{model}"
    row, _ = apps.get_model("auth", "Permission").objects.get_or_create(
        content_type=kind, codename=codename, defaults={"name": f"Can {act.replace('_', ' ')} {model}"}
    )
    return row


class Migration(migrations.Migration):
    dependencies = [
        ("dialogue", "0002_append_only"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [migrations.RunPython(seed_roles, migrations.RunPython.noop)]
