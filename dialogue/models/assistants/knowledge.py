"""Documents that questions are answered from, in passages that are searched."""

from django.conf import settings
from django.db import models

from dialogue.models.assistants.assistant import Assistant


class KnowledgeDocument(models.Model):
    """A text of an assistant. `from_folder`: the next load of its folder may replace it, or take it away."""

    assistant = models.ForeignKey(Assistant, models.CASCADE, related_name="knowledge_documents")
    name = models.CharField(max_length=200)
    title = models.CharField(max_length=200)
    text = models.TextField()
    from_folder = models.BooleanField(default=False)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ("name",)
        constraints = [models.UniqueConstraint(fields=["assistant", "name"], name="knowledge_document_name")]

    def __str__(self) -> str:
        return self.name


class KnowledgePassage(models.Model):
    """A part of a document that can be an answer. The full-text index beside it is the database's own."""

    document = models.ForeignKey(KnowledgeDocument, models.CASCADE, related_name="passages")
    ordinal = models.PositiveIntegerField()
    heading = models.CharField(max_length=300, blank=True)
    text = models.TextField()

    class Meta:
        ordering = ("document", "ordinal")
        constraints = [models.UniqueConstraint(fields=["document", "ordinal"], name="knowledge_passage_place")]

    def __str__(self) -> str:
        return f"{self.document_id}.{self.ordinal}"
