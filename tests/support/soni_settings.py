"""The console's settings for one test: `change(settings, NLU_MODEL="…")`, or `@override(NLU_MODEL="…")`."""

from typing import Any

from django.conf import settings as project
from django.test import override_settings


def change(settings: Any, **values: Any) -> None:
    """Give the console's settings these values until the end of the test; `settings` is pytest-django's fixture."""
    settings.SONI = {**settings.SONI, **values}


def override(**values: Any) -> override_settings:
    """A decorator or context manager that does the same."""
    return override_settings(SONI={**project.SONI, **values})
