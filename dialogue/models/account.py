"""The accounts of the project: rows of the user model that `settings.AUTH_USER_MODEL` names.

A project's own user model may sign in by email and have no `username`, `first_name` or `last_name`. Everything that
depends on its fields is here.
"""

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from django.contrib.auth import get_user_model
from django.core.exceptions import FieldDoesNotExist
from django.db.models import CharField, EmailField, Q, QuerySet
from django.utils.text import slugify

if TYPE_CHECKING:
    from django.contrib.auth.models import User as Account
else:
    # Every user model derives from this one, so that `isinstance(request.user, Account)` is true for all accounts.
    from django.contrib.auth.base_user import AbstractBaseUser as Account

__all__ = [
    "Account",
    "account_named",
    "accounts",
    "display_name",
    "email_field",
    "email_of",
    "full_name",
    "name_fields",
    "name_matches",
    "new_account",
    "open_accounts",
    "username_field",
    "username_for",
]

REAL_NAME_FIELDS = ("first_name", "last_name", "full_name", "name")
"""Where user models keep the name of the person; a search for a customer looks at those that there are."""


NO_DOMAIN = "soni.invalid"
"""The domain of accounts that stand for no mailbox; `.invalid` never resolves (RFC 2606)."""
MAX_LOCAL_PART_CHARACTERS = 64
"""Of an address, before its @ (RFC 5321)."""


def accounts() -> QuerySet[Account]:
    """Every account of the project."""
    return get_user_model()._default_manager.all()


def open_accounts() -> QuerySet[Account]:
    """The accounts that may sign in. In a model without the field `is_active` all may."""
    return accounts().filter(is_active=True) if _has_field("is_active") else accounts()


def username_field() -> str:
    """The field that an account signs in with, such as `username` or `email`."""
    return get_user_model().USERNAME_FIELD


def account_named(name: str) -> Account | None:
    """The account that signs in with this name, or None."""
    return accounts().filter(**{username_field(): name}).first()


def email_field() -> str:
    """The field with an account's address; empty where the model has none."""
    name = get_user_model().get_email_field_name()
    return name if _has_field(name) else ""


def email_of(user: Account) -> str:
    """The account's address, or an empty text."""
    field = email_field()
    return getattr(user, field) or "" if field else ""


def full_name(user: Account) -> str:
    """The person's full name; empty where the account has none."""
    name: str = getattr(user, "get_full_name", str)()
    return name


def display_name(user: Account) -> str:
    """The person's full name, or else what the account signs in with."""
    return full_name(user) or user.get_username()


def name_fields() -> tuple[str, ...]:
    """The fields that name a person: the login field and the parts of the real name."""
    login_field = username_field()
    return (login_field, *(name for name in REAL_NAME_FIELDS if name != login_field and _has_field(name)))


def name_matches(word: str, relation: str) -> Q:
    """The rows whose account, reached by `relation`, has the word in one of its names."""
    return reduce(or_, (Q(**{f"{relation}__{name}__icontains": word}) for name in name_fields()))


def username_for(name: str) -> str:
    """What a new account of this name signs in with: the name, or an address where accounts sign in by email."""
    field = get_user_model()._meta.get_field(username_field())
    if isinstance(field, EmailField):
        return f"{slugify(name)[:MAX_LOCAL_PART_CHARACTERS]}@{NO_DOMAIN}"
    return name[: getattr(field, "max_length", None)]


def new_account(username: str, *, real_name: str) -> Account:
    """An account with this name, not saved and without a usable password. Required fields of text repeat the name.

    A required field of another kind needs a default of its own: without one, saving raises IntegrityError.
    """
    model = get_user_model()
    account: Account = model(**{username_field(): username})
    for name in (*name_fields()[1:2], *model.REQUIRED_FIELDS):
        field = model._meta.get_field(name)
        if isinstance(field, EmailField) and not field.blank:
            setattr(account, name, f"{slugify(username)[:MAX_LOCAL_PART_CHARACTERS]}@{NO_DOMAIN}")
        elif isinstance(field, CharField) and (name in REAL_NAME_FIELDS or not field.blank):
            setattr(account, name, real_name[: field.max_length])
    account.set_unusable_password()
    return account


def _has_field(name: str) -> bool:
    try:
        get_user_model()._meta.get_field(name)
    except FieldDoesNotExist:
        return False
    return True
