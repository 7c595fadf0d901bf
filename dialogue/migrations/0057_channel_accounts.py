"""One connection for each account of a channel: its own id tells accounts apart when a public name has changed."""

from typing import Any

from django.db import migrations, models

from dialogue.channels.credentials import CredentialsLost, unseal


def name_accounts(apps: Any, _schema_editor: Any) -> None:
    """Store the number of each bot of Telegram, with which its token begins; of two rows for one bot the first has it."""
    rows, named = apps.get_model("dialogue", "ChannelConnection").objects.filter(channel="telegram"), set()
    for row in rows.order_by("pk"):
        try:
            account = unseal(row.sealed).get("token", "").partition(":")[0]
        except CredentialsLost:
            continue
        if account and account not in named:
            named.add(account)
            rows.filter(pk=row.pk).update(account=account)


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0056_channel_incidents")]

    operations = [
        migrations.AddField("channelconnection", "account", models.CharField(blank=True, max_length=200, null=True)),
        migrations.RunPython(name_accounts, migrations.RunPython.noop),
        migrations.AddConstraint(
            "channelconnection",
            models.UniqueConstraint(
                condition=models.Q(("account__isnull", False)),
                fields=("channel", "account"),
                name="channel_account_once",
            ),
        ),
    ]
