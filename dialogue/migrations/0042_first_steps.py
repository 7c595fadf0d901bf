"""New accounts are led to the first steps of their role until they dismiss them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0041_session_values")]

    operations = [
        migrations.AddField(
            model_name="preference",
            name="shows_first_steps",
            field=models.BooleanField(default=False),
        ),
    ]
