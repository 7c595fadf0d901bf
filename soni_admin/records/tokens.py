"""API tokens in the admin, in the words of the console."""

from typing import Any

from django.contrib import admin
from django.utils.html import format_html
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from dialogue.admin.tokens import ApiTokenAdmin
from dialogue.models import ApiToken
from dialogue.models.account import display_name
from dialogue.templatetags.formatting import at_time, icon, span
from dialogue.web.accounts.listing import TokenRow, token_rows

STATE = '<span class="chip {}">{} {}</span> <small>{}</small>'


class AccountFilter(admin.RelatedFieldListFilter):
    """The accounts that tokens act for."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.title = _("Account")


class WordedTokenAdmin(ApiTokenAdmin):
    """The list has the columns of the console's: for which account, and whether programs are let in with it."""

    list_display = ("name", "account", "allowed", "creation", "last_use", "state")
    list_filter = (("user", AccountFilter),)

    @admin.display(description=gettext_lazy("Account"), ordering="user")
    def account(self, token: ApiToken) -> str:
        """Return the name of the account that the token acts for."""
        return format_html("<bdi>{}</bdi>", display_name(token.user))

    @admin.display(description=gettext_lazy("State"), ordering="ends_at")
    def state(self, token: ApiToken) -> str:
        """Return whether the token is valid, and since or until when."""
        tone, sign, words, moment = _state_look(token_rows([token])[0])
        return format_html(STATE, tone, icon(sign, "s"), words, moment)


def _state_look(row: TokenRow) -> tuple[str, str, str, str]:
    """The class of the chip, its sign, its words, and what stands below it."""
    token = row.token
    match row.state:
        case "revoked":
            return "", "x", _("Revoked"), at_time(token.revoked_at)
        case "ended":
            return "", "x", pgettext("of one token", "Ended"), at_time(token.ends_at)
        case "closed":
            return "bad", "x", _("Account deactivated"), ""
        case "ending":
            return "warm", "clock", _("Ends in %(span)s") % {"span": span(row.remaining)}, at_time(token.ends_at)
        case _:
            return "good", "check", _("Valid"), _end_text(token)


def _end_text(token: ApiToken) -> str:
    if token.ends_at is None:
        return capfirst(_("no end date"))
    return format_html(capfirst(_("until %s")).replace("%s", "{}"), at_time(token.ends_at))
