"""Events that a person must look at are found without reading all of them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0012_waiting_indexes")]

    operations = [
        migrations.AddIndex(
            model_name="event",
            index=models.Index(
                condition=models.Q(("state", "incident")), fields=["accepted_at"], name="event_incident"
            ),
        ),
    ]
