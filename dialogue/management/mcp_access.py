"""Who an assistant acts for: the API token of the MCP server, read at every call, and what it may do."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from dialogue.conf import soni
from dialogue.desk.access.api_tokens import TokenRefused, find_token
from dialogue.desk.access.people import TEST, AccountClosed, Caller, Person, read_person
from dialogue.desk.access.token_scopes import SESSIONS_DECIDE
from dialogue.models import ApiToken


class ToolRefused(Exception):
    """A tool did nothing; the message says why, and what helps."""


@dataclass(frozen=True)
class Assistant:
    """An author's or operator's assistant: its token, and the person for whom it acts, with their present rights."""

    token: ApiToken
    person: Person

    @property
    def caller(self) -> Caller:
        """The caller of operations on gates, recorded with the token's name."""
        return Caller(self.person.id, "mcp", token=self.token.name)

    def for_flows(self) -> Person:
        """The person, if they may read flows. Raises ToolRefused."""
        if not (self.person.superuser or self.person.has("view_flow")):
            raise ToolRefused(_("The account of this token may not see flows."))
        return self.person

    def for_testing(self) -> Person:
        """The person, if they may test assistants. Raises ToolRefused."""
        if self.person.is_auditor or not (self.person.superuser or self.person.has(TEST)):
            raise ToolRefused(_("The account of this token may not test assistants."))
        return self.person

    def for_deciding(self) -> Caller:
        """The caller of a decision, where deciding is on and the token names the scope. Raises ToolRefused."""
        if not soni.MCP_DECIDE:
            raise ToolRefused(
                _("Deciding through MCP is off here. An administrator turns it on with SONI_MCP_DECIDE=true.")
            )
        if self.token.scopes is None:
            raise ToolRefused(
                _("A token for the whole account does not decide. Use one that is limited to scopes, with %s.")
                % SESSIONS_DECIDE
            )
        return self.caller


def assistant_with(*scopes: str) -> Assistant:
    """The assistant of `SONI_MCP_TOKEN`. Raises ToolRefused if the token does not count or has none of these."""
    if not soni.MCP_TOKEN:
        raise ToolRefused(_("There is no token. Write one into the environment variable SONI_MCP_TOKEN."))
    try:
        token = find_token(soni.MCP_TOKEN)
        person = read_person(token.user_id) if token else None
    except TokenRefused as refused:
        at = refused.row.revoked_at or refused.row.ends_at
        raise ToolRefused(_("The token no longer counts since %s. Ask for a new one.") % f"{at:%Y-%m-%d}") from None
    except AccountClosed:
        raise ToolRefused(_("The account of this token is closed.")) from None
    if token is None or person is None:
        raise ToolRefused(_("The token in SONI_MCP_TOKEN is unknown here."))
    if not token.has_scope(*scopes):
        granted = " · ".join(token.scopes or ()) or "—"
        detail = _("This token may not do this. It needs the scope %(needed)s, and has: %(granted)s.")
        raise ToolRefused(detail % {"needed": " · ".join(scopes), "granted": granted})
    return Assistant(token, person)
