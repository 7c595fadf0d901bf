"""Django's admin as this project has it: its name, and the limits on signing in at its own door.

A project that mounts the console elsewhere keeps its admin as it is: nothing here is part of the app.
"""

from django.contrib import admin
from django.contrib.admin.forms import AdminAuthenticationForm
from django.utils.translation import gettext_lazy

from dialogue.web.operations.sign_in import LimitedSignInForm, limited_sign_in


class LimitedAdminTries(LimitedSignInForm, AdminAuthenticationForm):
    """The admin's sign-in, with the limits of the console's."""


admin.site.site_title = "Soni"
admin.site.site_header = "Soni"
admin.site.index_title = gettext_lazy("Records, people and tokens")
admin.site.site_url = None  # base_site.html leads back to the console
admin.site.login_form = LimitedAdminTries
admin.site.login = limited_sign_in(admin.site.login)  # type: ignore[method-assign, assignment]
