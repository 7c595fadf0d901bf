"""A hash of where a conversation was opened from, so that what one place's conversations cost can be added up."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0028_session_metadata")]

    operations = [
        migrations.AddField(
            model_name="conversation",
            name="origin",
            field=models.CharField(blank=True, default="", max_length=64),
            preserve_default=False,
        ),
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(fields=["origin", "active_at"], name="conversation_origin", condition=~Q(origin="")),
        ),
    ]
