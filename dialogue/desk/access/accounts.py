"""What account managers do: add accounts, change roles, deactivate, hand out password links. All of it is on record.

Who may do it is decided by the permissions of Django's admin on the user model. Beyond these, no managers raise
themselves: they do not change their own account, and unless they are superusers they neither give a role nor manage an
account with a permission that they lack.
"""

from collections.abc import Iterable

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.contrib.auth.tokens import default_token_generator
from django.db import IntegrityError, transaction
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _

from dialogue.audit import chain
from dialogue.audit.chain import CONSOLE, Act
from dialogue.models import Preference
from dialogue.models.account import Account, accounts, display_name, email_field, new_account
from dialogue.turns import clock


class AccountRefused(Exception):
    """The account was not added or changed; the message says why."""


def has_account_right(manager: Account, verb: str) -> bool:
    """Whether Django's admin would let this person `view`, `add` or `change` accounts."""
    if not (manager.is_active and getattr(manager, "is_staff", False)):
        return False
    options = get_user_model()._meta
    verbs = {"view": ("view", "change"), "add": ("add", "change"), "change": ("change",)}[verb]
    allowed = (manager.has_perm(f"{options.app_label}.{name}_{options.model_name}") for name in verbs)
    return any(allowed) if verb == "view" else all(allowed)


def may_manage(manager: Account, account: Account) -> bool:
    """Whether this manager may change this account, or act for it."""
    if not has_account_right(manager, "change") or manager.pk == account.pk:
        return False
    return outranks(manager, account)


def outranks(manager: Account, account: Account) -> bool:
    """Whether the account has no permission that this person lacks."""
    if manager.is_superuser:
        return True
    return not account.is_superuser and account.get_all_permissions() <= manager.get_all_permissions()


def grantable_groups(manager: Account) -> list[Group]:
    """The groups that this manager may give and take, by name."""
    groups = list(Group.objects.order_by("name").prefetch_related("permissions__content_type"))
    if manager.is_superuser:
        return groups
    own = manager.get_all_permissions()
    return [group for group in groups if _permissions_of(group) <= own]


def add_account(manager: Account, username: str, real_name: str, email: str, groups: Iterable[int]) -> Account:
    """Add an account without a password; a password link lets its person set one. Raises AccountRefused."""
    if not has_account_right(manager, "add"):
        raise AccountRefused(_("You are not allowed to do this."))
    granted = _check_groups(manager, set(groups))
    account = new_account(username, real_name=real_name)
    if email and email_field():
        setattr(account, email_field(), email)
    try:
        with transaction.atomic():
            account.save()
            account.groups.set(granted)
            Preference.objects.create(user=account, shows_first_steps=True)
            _record(manager, "account.added", account, {"roles": sorted(group.name for group in granted)})
    except IntegrityError:
        raise AccountRefused(_("An account with this name exists already. Choose another name.")) from None
    return account


@transaction.atomic
def change_roles(manager: Account, number: int, groups: Iterable[int]) -> None:
    """Give the account these groups; groups that the manager may not give stay as they are. Raises AccountRefused."""
    account = _lock(manager, number)
    grantable = {group.pk for group in grantable_groups(manager)}
    before = {group.pk: group.name for group in account.groups.all()}
    granted = _check_groups(manager, set(groups) - (before.keys() - grantable))
    kept = [pk for pk in before if pk not in grantable]
    account.groups.set([*kept, *(group.pk for group in granted)])
    after = {group.name for group in account.groups.all()}
    added, removed = sorted(after - set(before.values())), sorted(set(before.values()) - after)
    if added or removed:
        _record(manager, "account.roles_changed", account, {"added": added, "removed": removed})


@transaction.atomic
def set_active(manager: Account, number: int, *, active: bool) -> None:
    """Let the account sign in, or not any more; a second call changes nothing. Raises AccountRefused."""
    account = _lock(manager, number)
    if account.is_active == active:
        return
    account.is_active = active
    account.save(update_fields=["is_active"])
    _record(manager, "account.activated" if active else "account.deactivated", account, {})


def password_link(manager: Account, number: int) -> tuple[str, str]:
    """Return the parts (uid, token) of a link with which the account's person sets a password, once.

    It ends after `PASSWORD_RESET_TIMEOUT`, at the next sign-in, and when a password is set. Raises AccountRefused.
    """
    with transaction.atomic():
        account = _lock(manager, number)
        if not account.is_active:
            raise AccountRefused(_("The account is deactivated. Activate it first."))
        _record(manager, "account.password_link", account, {})
    return urlsafe_base64_encode(force_bytes(account.pk)), default_token_generator.make_token(account)


def record_password_set(account: Account) -> None:
    """Record that the account's person has set a password through a link."""
    _record(account, "account.password_set", account, {})


def _lock(manager: Account, number: int) -> Account:
    account = accounts().select_for_update().filter(pk=number).first()
    if account is None:
        raise AccountRefused(_("This account does not exist any more."))
    if manager.pk == account.pk:
        raise AccountRefused(_("You cannot change your own account here. Ask another administrator."))
    if not may_manage(manager, account):
        raise AccountRefused(_("This account has rights that you do not have. Ask an administrator."))
    return account


def _check_groups(manager: Account, numbers: set[int]) -> list[Group]:
    granted = [group for group in grantable_groups(manager) if group.pk in numbers]
    if len(granted) != len(numbers):
        raise AccountRefused(_("You cannot give a role with rights that you do not have. Ask an administrator."))
    return granted


def _permissions_of(group: Group) -> set[str]:
    return {f"{row.content_type.app_label}.{row.codename}" for row in group.permissions.all()}


def _record(manager: Account, act: str, account: Account, facts: dict[str, object]) -> None:
    """Write the act into the console's chain. The account is named by what it signs in with."""
    name = account.get_username()
    done = Act(act, display_name(manager), manager.pk, f"account {account.pk}", {"account": name, **facts})
    with transaction.atomic():
        chain.record(CONSOLE, [done], clock.now())
