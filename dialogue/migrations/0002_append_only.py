from django.db import migrations

from dialogue.audit.append_only import AppendOnly


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0001_rows")]

    operations = [AppendOnly("dialogue_auditentry")]
