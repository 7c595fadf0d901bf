"""Roles for programs that say who a customer is, and for programs that report events."""

from typing import Any

from django.db import migrations

ROLES = {
    "sign-in programs": ("vouch_conversation", "Can say who the customer of a conversation is"),
    "event programs": ("signal_conversation", "Can report events to conversations and begin their flows"),
}


def seed_roles(apps: Any, _editor: Any) -> None:
    """Permissions are made after all migrations; the roles need theirs now, under the names that Django will find."""
    kind, _new = apps.get_model("contenttypes", "ContentType").objects.get_or_create(
        app_label="dialogue", model="conversation"
    )
    for role, (codename, name) in ROLES.items():
        permission, _new = apps.get_model("auth", "Permission").objects.get_or_create(
            content_type=kind, codename=codename, defaults={"name": name}
        )
        group, _new = apps.get_model("auth", "Group").objects.get_or_create(name=role)
        group.permissions.add(permission)


class Migration(migrations.Migration):
    dependencies = [
        ("dialogue", "0060_agent_programs_role"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [migrations.RunPython(seed_roles, migrations.RunPython.noop)]
