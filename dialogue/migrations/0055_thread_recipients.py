"""An index for the limit on conversations that one sender opens, in the place of one that no query used."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0054_names_in_the_admin")]

    operations = [
        migrations.RemoveIndex(model_name="channelthread", name="channel_thread_key"),
        migrations.AddIndex(
            model_name="channelthread",
            index=models.Index(fields=["connection", "recipient", "opened_at"], name="channel_thread_recipient"),
        ),
    ]
