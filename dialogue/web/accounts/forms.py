"""Forms of users and tokens."""

from typing import Any

from django import forms
from django.contrib.auth import get_user_model
from django.utils.translation import gettext as _

from dialogue.models.account import account_named, username_field


class AccountForm(forms.Form):
    """A new account: what it signs in with, the person's name, and an address."""

    username = forms.CharField(max_length=150)
    real_name = forms.CharField(max_length=150)
    email = forms.EmailField(max_length=254, required=False)

    def clean_username(self) -> str:
        name: str = get_user_model().normalize_username(self.cleaned_data["username"])
        field: Any = get_user_model()._meta.get_field(username_field())
        field.run_validators(name)
        if account_named(name) is not None:
            raise forms.ValidationError(_("An account with this name exists already. Choose another name."))
        return name


class TokenForm(forms.Form):
    """A new token: what it is for, and what its account signs in with."""

    name = forms.CharField(max_length=100)
    username = forms.CharField(max_length=254)
