"""An index of the sessions that a turn asks about: undecided, or decided and not heard."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0023_corrections")]

    operations = [
        migrations.AddIndex(
            model_name="hitlsession",
            index=models.Index(
                fields=["conversation"],
                name="session_current",
                condition=Q(state__in=["open", "claimed"]) | Q(delivery__in=["pending", "applying", "incident"]),
            ),
        ),
    ]
