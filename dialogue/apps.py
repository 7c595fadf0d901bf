"""The dialogue app as Django sees it."""

from contextlib import suppress
from typing import Any

from django.apps import AppConfig
from django.core.signals import request_started
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy

from dialogue.conf.third_party import set_safe_defaults

set_safe_defaults()


class DialogueConfig(AppConfig):
    name = "dialogue"
    verbose_name = gettext_lazy("Dialogue")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Load what the project brings. What cannot be loaded is told by the system check, and where it is used."""
        from django.contrib.auth.signals import user_logged_in

        from dialogue import checks  # noqa: F401  (importing registers them)
        from dialogue.audit.event_triggers import EVENT_TRIGGERS
        from dialogue.audit.line_triggers import LINE_TRIGGER
        from dialogue.turns.extensions import load_extensions
        from dialogue.web.shared.zones import keep_chosen_zone

        user_logged_in.connect(keep_chosen_zone)
        for triggers in (EVENT_TRIGGERS, LINE_TRIGGER):
            post_migrate.connect(triggers.install_after_migrate, sender=self)
        request_started.connect(attach_at_first_request)
        with suppress(Exception):
            load_extensions()


def attach_at_first_request(scope: Any = None, **_: Any) -> None:
    """Let the loop of the first request by ASGI run turns; a WSGI server has no loop that lasts."""
    if scope is None:
        return
    request_started.disconnect(attach_at_first_request)
    from dialogue.web.shared.hosting import attach_from_thread  # loaded when there is something to run

    attach_from_thread()
