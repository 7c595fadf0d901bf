"""What Django's admin calls gates and API tokens."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0053_channels")]

    operations = [
        migrations.AlterModelOptions(name="apitoken", options={"verbose_name": "API token"}),
        migrations.AlterModelOptions(
            name="hitlsession",
            options={
                "ordering": ("number",),
                "permissions": [
                    ("decide_hitlsession", "Can claim, submit and expire sessions of own queues"),
                    ("supervise_hitlsession", "Can take over, extend, cancel, retry and abandon"),
                    ("view_every_hitlsession", "Can see the sessions of every queue"),
                ],
                "verbose_name": "gate or chat",
                "verbose_name_plural": "gates and chats",
            },
        ),
    ]
