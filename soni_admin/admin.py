"""Django's admin as this project has it: its sign-in, and the records in the frame of the console.

A project that mounts the console elsewhere keeps its admin as it is: nothing here is part of the app.
"""

from django.contrib import admin
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.models import Group, User
from django.utils.translation import gettext_lazy

from dialogue.models import ApiToken, AuditEntry, Conversation, HITLSession
from dialogue.web.operations.sign_in import LimitedSignInForm, limited_sign_in
from soni_admin.records.audit import WordedAuditAdmin
from soni_admin.records.conversations import WordedConversationAdmin
from soni_admin.records.gates import WordedGateAdmin
from soni_admin.records.kinds import NOTHING
from soni_admin.records.people import PersonAdmin, RoleAdmin
from soni_admin.records.tokens import WordedTokenAdmin


class LimitedAdminTries(LimitedSignInForm, AdminAuthenticationForm):
    """The admin's sign-in, with the limits of the console's."""


admin.site.site_title = "Soni"
admin.site.site_header = "Soni"
admin.site.index_title = gettext_lazy("Records, people and tokens")
admin.site.site_url = None  # base_site.html leads back to the console
admin.site.login_form = LimitedAdminTries
admin.site.login = limited_sign_in(admin.site.login)  # type: ignore[method-assign, assignment]
admin.site.password_change_template = "admin/own_password.html"
admin.site.empty_value_display = NOTHING
admin.site.unregister((User, Group, ApiToken, AuditEntry, Conversation, HITLSession))
admin.site.register(User, PersonAdmin)
admin.site.register(Group, RoleAdmin)
admin.site.register(ApiToken, WordedTokenAdmin)
admin.site.register(AuditEntry, WordedAuditAdmin)
admin.site.register(Conversation, WordedConversationAdmin)
admin.site.register(HITLSession, WordedGateAdmin)
