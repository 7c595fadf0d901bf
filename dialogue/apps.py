"""The dialogue app as Django sees it."""

from contextlib import suppress

from django.apps import AppConfig


class DialogueConfig(AppConfig):
    name = "dialogue"
    verbose_name = "Dialogue"

    def ready(self) -> None:
        """Load what the project brings. What cannot be loaded is told by the system check, and where it is used."""
        from dialogue import checks  # noqa: F401  (importing registers them)
        from dialogue.turns.extensions import load_extensions

        with suppress(Exception):
            load_extensions()
