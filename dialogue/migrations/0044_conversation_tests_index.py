"""An index of the authors' tests in the order of the list of conversations."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0043_integration")]

    operations = [
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(
                fields=["-active_at", "-id"],
                name="conversation_tests_active",
                condition=models.Q(test=True),
            ),
        ),
    ]
