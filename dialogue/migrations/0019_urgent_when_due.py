"""What is due before it expires is urgent from then on: open sessions are sorted by whichever comes first."""

from typing import Any

from django.db import migrations
from django.db.models import F


def urgent_when_due(apps: Any, _editor: Any) -> None:
    sessions = apps.get_model("dialogue", "HITLSession").objects
    sessions.filter(decided_at__isnull=True, due_at__lt=F("urgent_at")).update(urgent_at=F("due_at"))


def urgent_when_expiring(apps: Any, _editor: Any) -> None:
    sessions = apps.get_model("dialogue", "HITLSession").objects
    sessions.filter(decided_at__isnull=True, expires_at__isnull=False).update(urgent_at=F("expires_at"))


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0018_learned_models")]

    operations = [migrations.RunPython(urgent_when_due, urgent_when_expiring)]
