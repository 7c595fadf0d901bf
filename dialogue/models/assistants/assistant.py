"""Assistants."""

from django.db import models
from django.utils.translation import get_language


class Assistant(models.Model):
    """An assistant: a set of YAML documents, of which one release is active.

    `translations` holds the title and the description in other languages: `{"title": {"es": …}, "description": {…}}`.
    """

    name = models.SlugField(max_length=64, unique=True)
    title = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    translations = models.JSONField(default=dict, blank=True)
    active_release = models.ForeignKey("Release", models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name",)
        permissions = [
            ("publish_assistant", "Can publish and roll back releases"),
            ("test_assistant", "Can try drafts and releases in the test console"),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def translated_title(self) -> str:
        """The title in the language of the page, or else as it is stored."""
        return self._translated("title")

    @property
    def translated_description(self) -> str:
        """The description in the language of the page, or else as it is stored."""
        return self._translated("description")

    def _translated(self, field: str) -> str:
        language, texts = get_language() or "", self.translations.get(field, {})
        translated = texts.get(language) or texts.get(language.split("-", maxsplit=1)[0])
        return str(translated or getattr(self, field))
