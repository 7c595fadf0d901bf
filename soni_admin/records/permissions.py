"""The field of permissions: by what they are about, in words, and how many of each are ticked."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib.auth.models import Permission
from django.db.models import QuerySet
from django.forms.models import ModelChoiceIterator
from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

from soni_admin.records.kinds import GROUPS

if TYPE_CHECKING:
    PermissionChoices = forms.ModelMultipleChoiceField[Permission]
    PermissionIterator = ModelChoiceIterator[Permission]
else:
    PermissionChoices, PermissionIterator = forms.ModelMultipleChoiceField, ModelChoiceIterator

OPERATIONS = {
    "add": gettext_lazy("Add %s"),
    "change": gettext_lazy("Change %s"),
    "delete": gettext_lazy("Delete %s"),
    "view": gettext_lazy("View %s"),
}
"""What Django's own permissions allow with the records of a model."""
PERMISSIONS = {
    "ask_agentrequest": gettext_lazy("Ask staff to decide for agents of other systems"),
    "cancel_conversation": gettext_lazy("Cancel conversations"),
    "decide_hitlsession": gettext_lazy("Answer the gates and chats of their groups"),
    "erase_conversation": gettext_lazy("Erase conversations"),
    "export_auditentry": gettext_lazy("Export and verify the audit"),
    "publish_assistant": gettext_lazy("Publish and roll back releases"),
    "signal_conversation": gettext_lazy("Report events to conversations and begin their flows"),
    "supervise_hitlsession": gettext_lazy("Take over, extend, withdraw, retry and abandon gates"),
    "test_assistant": gettext_lazy("Try drafts and releases in the test console"),
    "unmask_conversation": gettext_lazy("See sensitive values"),
    "view_every_auditentry": gettext_lazy("See every audit entry"),
    "view_every_conversation": gettext_lazy("See every conversation"),
    "view_every_hitlsession": gettext_lazy("See the gates and chats of every group"),
    "vouch_conversation": gettext_lazy("Say who the customer of a conversation is"),
}
"""What the product's own permissions allow, by their code."""
IN_THE_CONSOLE = (
    *("decide_hitlsession", "view_every_hitlsession", "supervise_hitlsession", "ask_agentrequest"),
    *("view_conversation", "view_every_conversation", "unmask_conversation", "vouch_conversation"),
    *("signal_conversation", "cancel_conversation", "erase_conversation"),
    *("view_flow", "change_flow", "test_assistant", "publish_assistant"),
    *("view_auditentry", "view_every_auditentry", "export_auditentry"),
)
"""What opens pages of the console and what is done there, in the order of the form; four are Django's own."""
CONSOLE = gettext_lazy("Work in the console")
OTHERS = gettext_lazy("Tables without a page")
CHANGEABLE = GROUPS[0][0]
"""The group whose records the admin adds, changes and deletes."""
READ_ONLY = gettext_lazy(
    "These records can only be read. Who sees them follows from “Work in the console”. The console does not ask for "
    "the permissions below; programs of your own may."
)
WITHOUT_PAGE = gettext_lazy("The console does not ask for these. Programs of your own may.")


class PermissionBoxes(forms.CheckboxSelectMultiple):
    """Boxes to tick, in groups that open; each says how many of it are ticked."""

    class Media:
        js = (forms.Script("dialogue/js/accounts/ticked_boxes.js", type="module"),)

    def render(self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: Any = None) -> SafeString:
        """Return the groups; the project's own template, which Django's renderer of forms does not find."""
        widget = self.get_context(name, value, attrs)["widget"]
        groups = [
            {
                "title": title,
                "boxes": boxes,
                "ticked": sum(box["selected"] for box in boxes),
                "is_open": title == CONSOLE,
                "note": _note_of(title),
            }
            for title, boxes, _place in widget["optgroups"]
        ]
        facts = {
            "id": widget["attrs"].get("id", ""),
            "groups": groups,
            "ticked": sum(group["ticked"] for group in groups),
            "all": sum(len(group["boxes"]) for group in groups),
        }
        return render_to_string("admin/permission_boxes.html", facts)


class GroupedPermissions(PermissionIterator):
    """The permissions by group; what opens pages of the console comes first."""

    def __iter__(self) -> Iterator[Any]:
        groups: dict[Any, list[Any]] = {title: [] for title in (CONSOLE, *(title for title, _names in GROUPS), OTHERS)}
        places = {codename: place for place, codename in enumerate(IN_THE_CONSOLE)}
        for permission in sorted(self.queryset, key=lambda each: places.get(each.codename, len(places))):
            groups[_group_of(permission)].append(self.choice(permission))
        return ((title, choices) for title, choices in groups.items() if choices)


class Permissions(PermissionChoices):
    """Permissions by what they allow, each with a box to tick."""

    widget = PermissionBoxes
    iterator = GroupedPermissions

    def __init__(self, queryset: QuerySet[Permission], **options: Any) -> None:
        places = ("content_type__app_label", "content_type__model", "codename")
        super().__init__(queryset.select_related("content_type").order_by(*places), **options)

    def label_from_instance(self, obj: Permission) -> str:
        """Return what it allows in the reader's language, such as "View audit entries"."""
        return permission_text(obj)


def permission_text(permission: Permission) -> str:
    """What a permission allows. Django's four for each model have the model's name; others have a sentence."""
    operation, _separator, model_name = permission.codename.partition("_")
    model = permission.content_type.model_class()
    if model is None or operation not in OPERATIONS or model_name != model._meta.model_name:
        return str(PERMISSIONS.get(permission.codename, permission.name))
    return str(OPERATIONS[operation]) % model._meta.verbose_name_plural


def _note_of(title: Any) -> Any:
    """What the permissions of a group do, where ticking one changes nothing in the console; else empty."""
    if title == OTHERS:
        return WITHOUT_PAGE
    return "" if title in (CONSOLE, CHANGEABLE) else READ_ONLY


def _group_of(permission: Permission) -> Promise:
    """The title of the group: of the console, of the records that the model is listed with, or the last one."""
    if permission.codename in IN_THE_CONSOLE:
        return CONSOLE
    model = permission.content_type.model_class()
    name = model.__name__ if model else ""
    return next((title for title, models in GROUPS if name in models), OTHERS)
