"""People and groups in the admin: their lists and forms in the words of the console."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.widgets import RelatedFieldWidgetWrapper
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.forms import (
    AdminPasswordChangeForm,
    ReadOnlyPasswordHashField,
    ReadOnlyPasswordHashWidget,
    UserChangeForm,
)
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Field, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.html import format_html, format_html_join
from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_lazy

from dialogue.models.account import display_name
from dialogue.templatetags.formatting import at_time, exact_time, icon, initials, tint
from dialogue.web.accounts.listing import role_of, roles_of
from soni_admin.records.permissions import Permissions

if TYPE_CHECKING:
    PersonFormBase = UserChangeForm[User]
    PersonAdminBase = UserAdmin[User]
    RoleChoices = forms.ModelMultipleChoiceField[Group]
    RoleFormBase = forms.ModelForm[Group]
    RoleAdminBase = GroupAdmin
    PasswordFormBase = AdminPasswordChangeForm[User]
else:
    PersonFormBase, PersonAdminBase = UserChangeForm, UserAdmin
    RoleChoices = forms.ModelMultipleChoiceField
    RoleFormBase, RoleAdminBase = forms.ModelForm, GroupAdmin
    PasswordFormBase = AdminPasswordChangeForm


USER_NAME = gettext_lazy("User name")
USER_NAME_HELP = gettext_lazy("Letters, digits and @ . + - _ only, at most 150.")
CHIP = '<span class="chip {}">{}</span>'
PERSON = '<span class="face s {}" aria-hidden="true">{}</span><span><bdi>{}</bdi> <small>{}</small></span>'


def password_choice() -> forms.ChoiceField:
    """Whether an account has a password; the console's password link sets one later."""
    return forms.ChoiceField(
        label=gettext_lazy("Password"),
        required=False,
        initial="true",
        choices={
            "true": gettext_lazy("Set a password now"),
            "false": gettext_lazy("No password: the person sets one with a link from the page Users"),
        },
        widget=forms.RadioSelect,
    )


class PasswordState(ReadOnlyPasswordHashWidget):
    """Says that a password is set; Django names its algorithm and the first letters of its hash."""

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """Return what Django's template shows: `summary` in words, and the button that sets a new one."""
        context = super().get_context(name, value, attrs)
        if any("value" in entry for entry in context["summary"]):
            context["summary"] = [{"label": gettext("A password is set.")}]
        return context


class Roles(RoleChoices):
    """Groups as the console calls them, each with a box to tick."""

    widget = forms.CheckboxSelectMultiple

    def label_from_instance(self, obj: Group) -> str:
        """Return the name of the role, or of another group, with what it may do."""
        role = role_of(obj)
        return format_html("<span>{} <small>{}</small></span>", role.title, role.meaning)


class PersonForm(PersonFormBase):
    """A person's fields in words that say what each of them opens."""

    password = ReadOnlyPasswordHashField(label=gettext_lazy("Password"), widget=PasswordState)

    class Meta(UserChangeForm.Meta):
        labels = {
            "username": USER_NAME,
            "is_active": gettext_lazy("May sign in"),
            "is_staff": gettext_lazy("May open Django's admin"),
            "is_superuser": gettext_lazy("Administrator"),
            "user_permissions": gettext_lazy("Permissions"),
        }
        help_texts = {
            "username": USER_NAME_HELP,
            "is_active": gettext_lazy("Untick it rather than delete the person: records keep the name."),
            "is_staff": gettext_lazy("What can be read and changed there follows from groups and permissions."),
            "is_superuser": gettext_lazy("May do everything, without any group or permission."),
            "groups": gettext_lazy("A person may do what any of the groups may."),
            "user_permissions": "",
        }
        field_classes = {**UserChangeForm.Meta.field_classes, "groups": Roles, "user_permissions": Permissions}


class PersonPasswordForm(PasswordFormBase):
    """A person's new password, or none."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        if "usable_password" in self.fields:  # where there is a password that can be taken away
            self.fields["usable_password"] = password_choice()
            self.order_fields(["usable_password"])


class RoleFilter(admin.RelatedFieldListFilter):
    """Groups as the console calls them."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.title = gettext("Role")

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> Any:
        """Return each group with its name as a role."""
        return [(role.number, role.title) for role in roles_of(Group.objects.all())]


class AccessFilter(admin.SimpleListFilter):
    """Who may sign in, open the admin, and do everything."""

    title = gettext_lazy("Access")
    parameter_name = "access"
    fields = ("is_active", "is_staff", "is_superuser")

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return what the form of a person calls these fields, and who may not sign in."""
        labels = PersonForm.Meta.labels
        return [*((name, str(labels[name])) for name in self.fields), ("closed", gettext("Deactivated"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> QuerySet[User]:
        """Return the accounts with the chosen field."""
        chosen = self.value()
        if chosen == "closed":
            return queryset.filter(is_active=False)
        return queryset.filter(**{chosen: True}) if chosen in self.fields else queryset


class PlainFieldsMixin:
    """Fields without buttons beside them: the records that they refer to have pages of their own.

    Before a deletion, rows are not counted that only join others, such as those of a person's groups.
    """

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> tuple[Any, dict[str, int], Any, Any]:
        """Return Django's lists and counts without the kinds of rows that join others."""
        rows, counts, lacking, protected = super().get_deleted_objects(objs, request)  # type: ignore[misc]
        joining = {
            model._meta.verbose_name_plural
            for model in apps.get_models(include_auto_created=True)
            if model._meta.auto_created
        }
        kept = {str(name): count for name, count in counts.items() if name not in joining}
        return rows, kept, lacking, protected

    def formfield_for_dbfield(self, db_field: "Field[Any, Any]", request: HttpRequest, **options: Any) -> Any:
        """Return Django's field without the wrapper that shows the buttons."""
        field = super().formfield_for_dbfield(db_field, request, **options)  # type: ignore[misc]
        if field is not None and isinstance(field.widget, RelatedFieldWidgetWrapper):
            field.widget = field.widget.widget
        return field


class PersonAdmin(PlainFieldsMixin, PersonAdminBase):
    """One person: who it is, what the person may do, and rarely used permissions folded away."""

    form = PersonForm
    change_password_form = PersonPasswordForm
    list_display = ("person", "roles", "last_sign_in", "state")
    list_filter = (("groups", RoleFilter), AccessFilter)
    search_placeholder = gettext_lazy("Name or user name")
    filter_horizontal = ()
    readonly_fields = ("signed_in", "made")
    fieldsets = (
        (gettext_lazy("Account"), {"fields": ("username", "password", "signed_in", "made")}),
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

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Go to the form of the console: there is one way to add an account."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        return redirect("dialogue:user_add")

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        """Read the groups of all rows at once."""
        return super().get_queryset(request).prefetch_related("groups")

    @admin.display(description=gettext_lazy("Person"), ordering="username")
    def person(self, person: User) -> str:
        """Return the name with the user name below it."""
        parts = (tint(person.pk), initials(person), display_name(person), person.get_username())
        return format_html(PERSON, *parts)

    @admin.display(description=gettext_lazy("Roles"))
    def roles(self, person: User) -> str:
        """Return the roles as the console shows them."""
        administrator = [("blue", gettext("Administrator"))] if person.is_superuser else []
        roles = [("good" if role.is_built_in else "line", role.title) for role in roles_of(person.groups.all())]
        chips = administrator + roles or [("", gettext("Customer"))]
        return format_html('<span class="roles">{}</span>', format_html_join(" ", CHIP, chips))

    @admin.display(description=gettext_lazy("Last sign-in"), ordering="last_login")
    def last_sign_in(self, person: User) -> str:
        """Return the moment as lists of the console show it."""
        return at_time(person.last_login) or capfirst(gettext("never"))

    @admin.display(description=gettext_lazy("State"), ordering="is_active")
    def state(self, person: User) -> str:
        """Return whether the person may sign in."""
        if person.is_active:
            return format_html(CHIP, "good", format_html("{} {}", icon("check", "s"), gettext("Active")))
        return format_html(CHIP, "bad", format_html("{} {}", icon("x", "s"), gettext("Deactivated")))

    @admin.display(description=gettext_lazy("Last sign-in"))
    def signed_in(self, person: User) -> str:
        """Return the moment as the console writes it."""
        return exact_time(person.last_login) if person.last_login else capfirst(gettext("never"))

    @admin.display(description=gettext_lazy("Account made"))
    def made(self, person: User) -> str:
        """Return the moment as the console writes it."""
        return exact_time(person.date_joined)


class RoleForm(RoleFormBase):
    """A group: its name, and what its members may do."""

    class Meta:
        model = Group
        fields = ("name", "permissions")
        field_classes = {"permissions": Permissions}
        help_texts = {"name": gettext_lazy("Flows name the group by this name.")}

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        role = role_of(self.instance)
        if role.is_built_in:
            help_text = gettext("The role “%s” is found by this name: do not change it.")
            self.fields["name"].help_text = help_text % role.title


class RoleAdmin(PlainFieldsMixin, RoleAdminBase):
    """Groups: the console's roles, and groups of people who answer the same gates."""

    form = RoleForm
    list_display = ("role", "meaning", "members")
    filter_horizontal = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Group]:
        """Count the members of all rows at once."""
        groups: QuerySet[Group] = super().get_queryset(request)
        return groups.annotate(member_count=Count("user"))

    @admin.display(description=gettext_lazy("Group"), ordering="name")
    def role(self, group: Group) -> str:
        """Return the name as a role, with the group's own name where it is another."""
        title = role_of(group).title
        if title == group.name:
            return title
        return format_html("<bdi>{}</bdi> <small>{}</small>", title, group.name)

    @admin.display(description=gettext_lazy("What its members do"))
    def meaning(self, group: Group) -> str:
        """Return the sentence of the role."""
        return capfirst(role_of(group).meaning)

    @admin.display(description=gettext_lazy("Members"), ordering="member_count")
    def members(self, group: Any) -> int:
        """Return how many accounts are in the group."""
        count: int = group.member_count
        return count
