"""Account managers: what they change, what they may not, and that nobody raises themselves."""

import pytest
from django.contrib.auth.models import Group, Permission, User

from dialogue.desk.access import accounts
from dialogue.desk.access.accounts import AccountRefused
from dialogue.models import AuditEntry
from tests.support.transfers import person

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def root() -> User:
    return User.objects.create_superuser("root", first_name="Rut")


@pytest.fixture
def manager() -> User:
    """Manages accounts, and is an operator; no superuser."""
    row = person("maria", "Maria Lopez", "operators", is_staff=True)
    row.user_permissions.set(Permission.objects.filter(content_type__app_label="auth", content_type__model="user"))
    return User.objects.get(pk=row.pk)


def group(name: str) -> Group:
    return Group.objects.get(name=name)


def names_of(user: User) -> list[str]:
    return sorted(user.groups.values_list("name", flat=True))


def test_an_administrator_adds_an_account_without_a_password_and_it_is_on_record(root: User):
    account = accounts.add_account(root, "nina", "Nina Holm", "nina@example.org", [group("operators").pk])

    assert (account.get_full_name() or account.first_name, account.email) == ("Nina Holm", "nina@example.org")
    assert names_of(account) == ["operators"]
    assert not account.has_usable_password()
    assert not account.is_staff
    entry = AuditEntry.objects.get(act="account.added")
    assert (entry.actor, entry.facts) == ("Rut", {"account": "nina", "roles": ["operators"]})


def test_the_same_name_twice_is_refused(root: User):
    accounts.add_account(root, "nina", "Nina Holm", "", [])

    with pytest.raises(AccountRefused, match="exists already"):
        accounts.add_account(root, "nina", "Nina Holm", "", [])


def test_roles_are_changed_once_and_the_record_says_which(root: User):
    olga = person("olga", "Olga", "operators")

    accounts.change_roles(root, olga.pk, [group("supervisors").pk])
    accounts.change_roles(root, olga.pk, [group("supervisors").pk])

    assert names_of(olga) == ["supervisors"]
    entry = AuditEntry.objects.get(act="account.roles_changed")
    assert entry.facts == {"account": "olga", "added": ["supervisors"], "removed": ["operators"]}


@pytest.mark.parametrize("act", ["roles", "active", "link"])
def test_nobody_changes_their_own_account(root: User, act: str):
    change = {
        "roles": lambda: accounts.change_roles(root, root.pk, [group("operators").pk]),
        "active": lambda: accounts.set_active(root, root.pk, active=False),
        "link": lambda: accounts.password_link(root, root.pk),
    }[act]

    with pytest.raises(AccountRefused, match="own account"):
        change()
    assert names_of(root) == []


def test_a_manager_gives_no_role_with_rights_that_they_lack(manager: User):
    oscar = person("oscar", "Oscar")

    accounts.change_roles(manager, oscar.pk, [group("operators").pk])
    with pytest.raises(AccountRefused, match="rights that you do not have"):
        accounts.change_roles(manager, oscar.pk, [group("supervisors").pk])
    with pytest.raises(AccountRefused, match="rights that you do not have"):
        accounts.add_account(manager, "nina", "Nina", "", [group("supervisors").pk])

    assert names_of(oscar) == ["operators"]
    assert not User.objects.filter(username="nina").exists()


def test_a_manager_does_not_touch_an_account_with_more_rights(manager: User, root: User):
    sofia = person("sofia", "Sofia", "supervisors")

    for number in (sofia.pk, root.pk):
        with pytest.raises(AccountRefused):
            accounts.password_link(manager, number)
        with pytest.raises(AccountRefused):
            accounts.set_active(manager, number, active=False)


def test_roles_that_a_manager_may_not_give_stay_when_they_save_the_others(manager: User):
    row = person("oscar", "Oscar", "operators")
    cooks = Group.objects.create(name="cooks")

    accounts.change_roles(manager, row.pk, [cooks.pk])

    assert names_of(row) == ["cooks"]


def test_a_person_without_the_permission_changes_nothing(root: User):
    olga, oscar = person("olga", "Olga", "operators", is_staff=True), person("oscar", "Oscar")

    with pytest.raises(AccountRefused):
        accounts.add_account(olga, "nina", "Nina", "", [])
    with pytest.raises(AccountRefused):
        accounts.change_roles(olga, oscar.pk, [])


def test_an_account_is_deactivated_once(root: User):
    olga = person("olga", "Olga", "operators")

    accounts.set_active(root, olga.pk, active=False)
    accounts.set_active(root, olga.pk, active=False)

    assert not User.objects.get(pk=olga.pk).is_active
    assert AuditEntry.objects.filter(act="account.deactivated").count() == 1
    with pytest.raises(AccountRefused, match="Activate it first"):
        accounts.password_link(root, olga.pk)
