"""Whether what a conversation's opening says of the customer came from an account that may say it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0024_current_sessions")]

    operations = [
        migrations.AddField(
            model_name="conversation",
            name="vouched",
            field=models.BooleanField(default=False),
        ),
        migrations.AlterModelOptions(
            name="conversation",
            options={
                "ordering": ("-active_at", "-id"),
                "permissions": [
                    ("view_every_conversation", "Can see every conversation"),
                    ("cancel_conversation", "Can cancel a conversation"),
                    ("erase_conversation", "Can erase a conversation"),
                    ("unmask_conversation", "Can see sensitive values"),
                    ("vouch_conversation", "Can say who the customer of a conversation is"),
                ],
            },
        ),
    ]
