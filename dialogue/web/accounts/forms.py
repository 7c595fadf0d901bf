"""Forms of users and tokens."""

from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.contrib.auth import get_user_model
from django.utils.timezone import get_current_timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dialogue.desk.access.token_scopes import DEFAULT_DAYS, OFFERED_DAYS, SCOPES, end_after
from dialogue.models.account import account_named, username_field, username_for
from dialogue.turns import clock


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


class ProgramForm(AccountForm):
    """A new account of a program: it has one name, and signs in with tokens only."""

    real_name = None  # type: ignore[assignment]
    email = None  # type: ignore[assignment]

    def clean_username(self) -> str:
        self.cleaned_data["username"] = username_for(self.cleaned_data["username"])
        return super().clean_username()


WHOLE_ACCOUNT, ONLY_SCOPES = "account", "scopes"
ON_A_DATE, NEVER = "date", "never"


def end_choices() -> list[tuple[str, str]]:
    """The offered ends of a new token: after days, on a date, never."""
    days = [(str(days), ngettext("in %s day", "in %s days", days) % days) for days in OFFERED_DAYS]
    return [*days, (ON_A_DATE, _("on a date")), (NEVER, _("never"))]


class TokenLimits(forms.Form):
    """What a new token may do (`extent`, `scopes`), and when it ends (`ends`, `ends_on`).

    Without `extent` it may do all that its account may do; without `ends` it ends after `DEFAULT_DAYS`.
    """

    extent = forms.ChoiceField(choices=[(WHOLE_ACCOUNT, WHOLE_ACCOUNT), (ONLY_SCOPES, ONLY_SCOPES)], required=False)
    scopes = forms.MultipleChoiceField(choices=list(SCOPES.items()), required=False)
    ends = forms.ChoiceField(choices=end_choices, required=False)
    ends_on = forms.DateField(required=False)

    def clean(self) -> dict[str, Any]:
        """Check that scopes are chosen where they are meant, and that the date is one to come."""
        values: dict[str, Any] = super().clean() or self.cleaned_data
        if values.get("extent") == ONLY_SCOPES and not values.get("scopes") and "scopes" not in self.errors:
            self.add_error("scopes", _("Choose at least one scope, or all that the account may do."))
        if values.get("ends") == ON_A_DATE and "ends_on" not in self.errors:
            day = values.get("ends_on")
            if day is None or end_of_day(day) <= clock.now():
                self.add_error("ends_on", _("Choose a date to come: the token ends with that day."))
        return values

    @property
    def token_scopes(self) -> list[str] | None:
        """The scopes to store; None for all that the account may do."""
        values = self.cleaned_data
        return list(values["scopes"]) if values["extent"] == ONLY_SCOPES or values["scopes"] else None

    @property
    def token_end(self) -> datetime | None:
        """The moment to store; None for a token without an end."""
        match self.cleaned_data["ends"]:
            case "never":
                return None
            case "date":
                return end_of_day(self.cleaned_data["ends_on"])
            case days:
                return end_after(int(days or DEFAULT_DAYS), clock.now())


class TokenForm(TokenLimits):
    """A new token: what it is for, what its account signs in with, and its limits."""

    name = forms.CharField(max_length=100)
    username = forms.CharField(max_length=254)


def end_of_day(day: date) -> datetime:
    """The midnight that ends this day, in the reader's zone."""
    return datetime.combine(day, time.min, get_current_timezone()) + timedelta(days=1)
