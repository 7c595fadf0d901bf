"""The project as a Django app: it brings the checks that stop an unsafe start."""

from django.apps import AppConfig


class SoniAdminConfig(AppConfig):
    name = "soni_admin"
    verbose_name = "Soni Admin"

    def ready(self) -> None:
        from soni_admin import checks  # noqa: F401  (importing registers them)
