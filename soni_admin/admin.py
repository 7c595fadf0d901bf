"""Django's admin as this project has it: its name, its door, and the page of one person.

A project that mounts the console elsewhere keeps its admin as it is: nothing here is part of the app.
"""

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import ReadOnlyPasswordHashField, ReadOnlyPasswordHashWidget, UserChangeForm
from django.contrib.auth.models import Permission, User
from django.db.models import ManyToManyField
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy

from dialogue.templatetags.formatting import exact_time
from dialogue.web.operations.sign_in import LimitedSignInForm, limited_sign_in

if TYPE_CHECKING:
    PersonFormBase = UserChangeForm[User]
    PersonAdminBase = UserAdmin[User]
    PermissionChoices = forms.ModelMultipleChoiceField[Permission]
else:
    PersonFormBase, PersonAdminBase, PermissionChoices = UserChangeForm, UserAdmin, forms.ModelMultipleChoiceField


class LimitedAdminTries(LimitedSignInForm, AdminAuthenticationForm):
    """The admin's sign-in, with the limits of the console's."""


class PasswordState(ReadOnlyPasswordHashWidget):
    """Says that a password is set; Django names its algorithm and the first letters of its hash."""

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """Return what Django's template shows: `summary` in words, and the button that sets a new one."""
        context = super().get_context(name, value, attrs)
        if any("value" in entry for entry in context["summary"]):
            context["summary"] = [{"label": gettext("A password is set.")}]
        return context


class SinglePermissions(PermissionChoices):
    """Permissions by what they allow; their app and model would be cut off in a narrow list."""

    def label_from_instance(self, obj: Permission) -> str:
        """Return the permission's own words, such as "Can view audit entry"."""
        return obj.name


class PersonForm(PersonFormBase):
    """A person's fields in words that say what each of them opens."""

    password = ReadOnlyPasswordHashField(label=gettext_lazy("Password"), widget=PasswordState)

    class Meta(UserChangeForm.Meta):
        labels = {
            "is_active": gettext_lazy("May sign in"),
            "is_staff": gettext_lazy("May open Django's admin"),
            "is_superuser": gettext_lazy("Administrator"),
            "user_permissions": gettext_lazy("Permissions"),
        }
        help_texts = {
            "username": gettext_lazy("Letters, digits and @ . + - _ only, at most 150."),
            "is_active": gettext_lazy("Untick it rather than delete the person: records keep the name."),
            "is_staff": gettext_lazy("What can be read and changed there follows from groups and permissions."),
            "is_superuser": gettext_lazy("May do everything, without any group or permission."),
            "groups": gettext_lazy("A person may do what any of the groups may."),
            "user_permissions": "",
        }
        field_classes = {**UserChangeForm.Meta.field_classes, "user_permissions": SinglePermissions}


class PersonAdmin(PersonAdminBase):
    """One person: who it is, what the person may do, and rarely used permissions folded away."""

    form = PersonForm
    change_form_template = "admin/auth/user/change_form.html"
    filter_horizontal = ("user_permissions",)
    readonly_fields = ("signed_in", "made")
    fieldsets = (
        (None, {"fields": ("username", "password", "signed_in", "made")}),
        (gettext_lazy("Person"), {"fields": ("first_name", "last_name", "email")}),
        (gettext_lazy("Access"), {"fields": ("is_active", "groups", "is_staff", "is_superuser")}),
        (
            gettext_lazy("Single permissions"),
            {
                "fields": ("user_permissions",),
                "classes": ("collapse",),
                "description": gettext_lazy("Only for what no group gives."),
            },
        ),
    )

    @admin.display(description=gettext_lazy("Last sign-in"))
    def signed_in(self, person: User) -> str:
        """Return the moment as the console writes it."""
        return exact_time(person.last_login) if person.last_login else gettext("never")

    @admin.display(description=gettext_lazy("Account made"))
    def made(self, person: User) -> str:
        """Return the moment as the console writes it."""
        return exact_time(person.date_joined)

    def formfield_for_manytomany(
        self, db_field: "ManyToManyField[Any, Any]", request: HttpRequest, **kwargs: Any
    ) -> Any:
        """Groups are few: each has a box to tick."""
        if db_field.name == "groups":
            kwargs["widget"] = forms.CheckboxSelectMultiple
        return super().formfield_for_manytomany(db_field, request, **kwargs)


admin.site.site_title = "Soni"
admin.site.site_header = "Soni"
admin.site.index_title = gettext_lazy("Records, people and tokens")
admin.site.site_url = None  # base_site.html leads back to the console
admin.site.login_form = LimitedAdminTries
admin.site.login = limited_sign_in(admin.site.login)  # type: ignore[method-assign, assignment]
admin.site.unregister(User)
admin.site.register(User, PersonAdmin)
