"""The sentence of a refusal, from which people of other languages read it in theirs; old rows have it as text only."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0061_roles_of_programs")]

    operations = [
        migrations.AddField(model_name="submission", name="sentence", field=models.JSONField(blank=True, null=True)),
    ]
