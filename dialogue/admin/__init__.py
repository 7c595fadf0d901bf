"""Django's admin: what happened is there to be read, by nobody to be changed; people, groups and tokens are managed."""

from django.contrib import admin
from django.utils.translation import gettext_lazy

from dialogue.admin import audit, rows, tokens

__all__ = ["audit", "rows", "tokens"]

admin.site.site_title = "Soni"
admin.site.site_header = "Soni"
admin.site.index_title = gettext_lazy("Records, people and tokens")
admin.site.site_url = "/"
