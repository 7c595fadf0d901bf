"""A role for programs that ask staff to decide for agents of other systems."""

from typing import Any

from django.db import migrations


def seed_role(apps: Any, _editor: Any) -> None:
    """Permissions are made after all migrations; the role needs its own now, under the name that Django will find."""
    kind, _new = apps.get_model("contenttypes", "ContentType").objects.get_or_create(
        app_label="dialogue", model="agentrequest"
    )
    permission, _new = apps.get_model("auth", "Permission").objects.get_or_create(
        content_type=kind,
        codename="ask_agentrequest",
        defaults={"name": "Can ask staff to decide for agents of other systems"},
    )
    group, _new = apps.get_model("auth", "Group").objects.get_or_create(name="agent programs")
    group.permissions.add(permission)


class Migration(migrations.Migration):
    dependencies = [
        ("dialogue", "0059_pieces_sent"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [migrations.RunPython(seed_role, migrations.RunPython.noop)]
