"""Keys that sign receipts of decisions."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("dialogue", "0048_refused_origins"),
    ]

    operations = [
        migrations.CreateModel(
            name="ReceiptKey",
            fields=[
                ("name", models.CharField(max_length=16, primary_key=True, serialize=False)),
                ("salt", models.CharField(max_length=64)),
                ("public_key", models.CharField(max_length=64)),
                ("created_at", models.DateTimeField()),
                ("retired_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ("created_at", "name"),
            },
        ),
    ]
