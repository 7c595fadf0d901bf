"""The project as a Django app: it brings the checks that stop an unsafe start."""

from django.apps import AppConfig


class SoniAdminConfig(AppConfig):
    name = "soni_admin"
    verbose_name = "Soni Admin"

    def ready(self) -> None:
        from dialogue.checks import refused_values
        from dialogue.conf.environment import SettingRefused
        from soni_admin import checks  # noqa: F401  (importing registers them)

        for sentence in refused_values():
            raise SettingRefused(sentence)
