"""The audit entries in the admin, each with the sentence of the console."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from dialogue.admin.audit import AuditEntryAdmin
from dialogue.admin.reading import person_of
from dialogue.models import AuditEntry
from dialogue.web.audit.views import rows_in_words
from dialogue.web.audit.words import act_text


class WordedChangeList(ChangeList):
    """Reads what the sentences name for the whole page at once."""

    def __init__(self, request: HttpRequest, *arguments: Any) -> None:
        self.person = person_of(request)
        super().__init__(request, *arguments)

    def get_results(self, request: HttpRequest) -> None:
        """Give each entry its sentence."""
        super().get_results(request)
        self.result_list = list(self.result_list)
        if self.person is not None:
            for entry, row in zip(self.result_list, rows_in_words(self.result_list, self.person), strict=True):
                entry.sentence = row.sentence


class ActFilter(admin.AllValuesFieldListFilter):
    """Kinds of acts in words."""

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        """Return Django's choices, each with its words."""
        for choice in super().choices(changelist):
            yield {**choice, "display": act_text(str(choice["display"]))}


class WordedAuditAdmin(AuditEntryAdmin):
    """The list says what happened; the act as it is exported stands beside it."""

    list_filter = (("act", ActFilter), "actor")
    list_display = ("moment", "sentence", "act", "actor", "subject", "short_chain", "number")

    @admin.display(description=gettext_lazy("What happened"))
    def sentence(self, entry: AuditEntry) -> str:
        """Return the sentence with its links."""
        return getattr(entry, "sentence", "")

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[ChangeList]:
        """Return the list that knows the sentences."""
        return WordedChangeList
