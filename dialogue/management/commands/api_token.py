"""manage.py api_token create|list|revoke — API tokens in the terminal."""

from argparse import ArgumentParser
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dialogue.desk.access.accounts import outranks
from dialogue.desk.access.api_tokens import create_token, revoke_token
from dialogue.desk.access.token_scopes import DEFAULT_DAYS, SCOPES, ScopeUnknown, checked_scopes, end_after
from dialogue.management.terminal import person_named
from dialogue.models import ApiToken
from dialogue.turns import clock

MAX_DAYS = 3650


class Command(BaseCommand):
    help = "Create, list and revoke API tokens. Scopes: " + ", ".join(SCOPES) + "."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb")
        create = verbs.add_parser("create", help="create a token, and print its text once")
        create.add_argument("account", help="the account whose rights count")
        create.add_argument("--name", required=True, help="what it is for")
        create.add_argument("--scope", action="append", default=[], help="limit it to this; as often as needed")
        create.add_argument("--whole-account", action="store_true", help="let it do all that the account may do")
        create.add_argument("--days", type=int, default=DEFAULT_DAYS, help="when it ends; 0: it has no end")
        create.add_argument("--as", dest="person", metavar="NAME", help="who creates it, for the record")
        verbs.add_parser("list", help="list the tokens, the newest first")
        revoke = verbs.add_parser("revoke", help="revoke a token")
        revoke.add_argument("number", type=int, help="its number in the list")
        revoke.add_argument("--as", dest="person", metavar="NAME", help="who revokes it, for the record")

    def handle(self, *args: Any, verb: str | None, **options: Any) -> None:
        match verb:
            case None:
                raise CommandError("Name what to do: create ACCOUNT --name NAME, list or revoke NUMBER.")
            case "create":
                self._create(**options)
            case "list":
                self._list()
            case _:
                self._revoke(options["number"], options["person"])

    def _create(self, **options: Any) -> None:
        creator, owner = person_named(options["person"]), person_named(options["account"])
        if not owner.is_active:
            raise CommandError(f"The account {options['account']!r} is deactivated.")
        if not outranks(creator, owner):
            raise CommandError(f"{options['account']!r} has rights that {options['person']!r} does not have.")
        scopes, ends_at = _chosen_scopes(options["scope"], options["whole_account"]), _chosen_end(options["days"])
        row = ApiToken(user=owner, name=options["name"][:100], scopes=scopes, ends_at=ends_at)
        self.stdout.write(create_token(row, creator))
        self.stderr.write(f"This is token {row.pk}. It is shown only now. It {_end_text(row)}.")

    def _list(self) -> None:
        for row in ApiToken.objects.select_related("user").order_by("-pk"):
            scopes = "whole account" if row.scopes is None else " ".join(row.scopes)
            used = f"last used {row.last_used_at:%Y-%m-%d %H:%M}" if row.last_used_at else "never used"
            self.stdout.write(f"{row.pk}  {row.name}  {row.user.get_username()}  {scopes}  {_end_text(row)}  {used}")

    def _revoke(self, number: int, person: str | None) -> None:
        row = ApiToken.objects.filter(pk=number).first()
        if row is None:
            raise CommandError(f"There is no token {number}. `manage.py api_token list` has the numbers.")
        revoked = revoke_token(row, person_named(person))
        self.stdout.write(f"The token {row.name!r} is revoked." if revoked else "It was revoked before.")


def _chosen_scopes(names: list[str], whole_account: bool) -> list[str] | None:
    if bool(names) == whole_account:
        raise CommandError("Write --scope NAME, as often as needed, or --whole-account.")
    try:
        return None if whole_account else checked_scopes(names)
    except ScopeUnknown as unknown:
        raise CommandError(f"There is no scope {str(unknown)!r}. There are: {', '.join(SCOPES)}.") from None


def _chosen_end(days: int) -> datetime | None:
    if not 0 <= days <= MAX_DAYS:
        raise CommandError(f"--days is a number from 0 (no end) to {MAX_DAYS}.")
    return end_after(days, clock.now()) if days else None


def _end_text(row: ApiToken) -> str:
    if row.revoked_at is not None:
        return f"was revoked on {row.revoked_at:%Y-%m-%d}"
    if row.ends_at is None:
        return "has no end"
    return f"{'ended' if row.has_ended(clock.now()) else 'ends'} on {row.ends_at:%Y-%m-%d}"
