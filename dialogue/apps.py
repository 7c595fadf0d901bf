"""The dialogue app as Django sees it."""

from django.apps import AppConfig


class DialogueConfig(AppConfig):
    name = "dialogue"
    verbose_name = "Dialogue"
