"""How many messages of a line that is too long for one have arrived."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0058_reader_language")]

    operations = [
        migrations.AddField(
            model_name="channeldelivery",
            name="pieces_sent",
            field=models.PositiveSmallIntegerField(default=0),
        ),
    ]
