"""Tell webhooks of lines that a channel did not take."""

from django.db import migrations

from dialogue.audit.event_triggers import EventTriggers


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0055_thread_recipients")]

    operations = [EventTriggers()]
