"""Which refused attempts met another person's; a person's own late requests are none of these."""

from typing import Any

from django.db import migrations, models
from django.db.models import F, Q

FASTER = ("already_submitted", "claimed_by_other", "stale_version")


def mark_contested(apps: Any, schema_editor: Any) -> None:
    refused = apps.get_model("dialogue", "Submission").objects.filter(accepted=False, code__in=FASTER)
    others = Q(by__isnull=True) | Q(session__decided_by__isnull=True) | ~Q(by=F("session__decided_by"))
    numbers = refused.filter(others | ~Q(code="already_submitted")).values("pk")
    refused.filter(pk__in=numbers).update(contested=True)


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0026_overtaken")]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="contested",
            field=models.BooleanField(default=False),
        ),
        migrations.RunPython(mark_contested, migrations.RunPython.noop, elidable=True),
    ]
