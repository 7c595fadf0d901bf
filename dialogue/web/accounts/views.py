"""Users and API tokens in the console, for people whom Django's admin would let manage them."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import Group
from django.contrib.auth.views import PasswordResetConfirmView
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse, reverse_lazy
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from dialogue.desk.access import accounts as management
from dialogue.desk.access.accounts import AccountRefused, grantable_groups, has_account_right, may_manage, outranks
from dialogue.desk.access.api_tokens import create_token, revoke_token
from dialogue.desk.access.people import ASK, SIGNAL, VOUCH
from dialogue.desk.access.token_scopes import CHAT, CONVERSATIONS_SIGNAL, DEFAULT_DAYS, REQUESTS, SCOPE_NAMES, SCOPES
from dialogue.desk.queue.keyset import NotOffered, keyset_page
from dialogue.models import ApiToken
from dialogue.models.account import Account, account_named, accounts, open_accounts, username_field
from dialogue.web.accounts.forms import AccountForm, ProgramForm, TokenForm, end_choices
from dialogue.web.accounts.listing import PROGRAM_ROLES, AccountFilters, roles_of, token_rows
from dialogue.web.shared.people import account_of_request, needs

PAGE_ROWS = 50
MAX_SUGGESTED_NAMES = 200
SCOPES_OF_RIGHTS = {ASK: REQUESTS, VOUCH: CHAT, SIGNAL: CONVERSATIONS_SIGNAL}
"""The scope that the first token of a program needs for what its roles let it do."""

Managed = Callable[..., HttpResponse]


def needs_right(allowed: Callable[[Account], bool]) -> Callable[[Managed], Managed]:
    """Require an account that is `allowed`, and pass it to the view. For others the page is a 404."""

    def decorate(view: Managed) -> Managed:
        @wraps(view)
        def guarded(request: HttpRequest, /, *args: Any, **kwargs: Any) -> HttpResponse:
            manager = account_of_request(request)
            if manager is None or not allowed(manager):
                raise Http404
            return view(request, manager, *args, **kwargs)

        return needs(lambda _person: True)(guarded)

    return decorate


def may_see_users(account: Account) -> bool:
    return has_account_right(account, "view")


def may_add_users(account: Account) -> bool:
    return has_account_right(account, "add")


def may_change_users(account: Account) -> bool:
    return has_account_right(account, "change")


def may_see_tokens(account: Account) -> bool:
    return _has_token_right(account, "view") or _has_token_right(account, "change")


def may_revoke_tokens(account: Account) -> bool:
    return _has_token_right(account, "change")


def may_add_tokens(account: Account) -> bool:
    return _has_token_right(account, "add")


def _has_token_right(account: Account, verb: str) -> bool:
    """Whether Django's admin would let this person do so."""
    return bool(getattr(account, "is_staff", False)) and account.has_perm(f"dialogue.{verb}_apitoken")


# ---- users ---------------------------------------------------------------------------------------------------------


@needs_right(may_see_users)
@require_GET
def users(request: HttpRequest, manager: Account) -> HttpResponse:
    """The accounts by name: staff first of all, customers on request."""
    filters = AccountFilters.of_query(request.GET)
    try:
        page = keyset_page(filters.rows(), (username_field(),), cursor=request.GET.get("after", ""), limit=PAGE_ROWS)
    except NotOffered as error:
        raise Http404 from error
    facts = {
        "rows": [{"account": row, "roles": roles_of(row.groups.all())} for row in page.rows],
        "next": page.next,
        "filters": filters,
        "chips": filters.chips(),
        "may_add": may_add_users(manager),
    }
    return render(request, "dialogue/accounts/users.html", facts)


@needs_right(may_add_users)
@require_http_methods(["GET", "POST"])
def add_user(request: HttpRequest, manager: Account) -> HttpResponse:
    """Add an account. Next comes the link with which its person sets a password, or with `kind=program` its token."""
    is_program = request.GET.get("kind") == "program"
    form = (ProgramForm if is_program else AccountForm)(request.POST or None)
    if request.method == "POST" and form.is_valid():
        values = {"real_name": form.cleaned_data["username"], "email": "", **form.cleaned_data}
        try:
            account = management.add_account(manager, **values, groups=_numbers(request, "group"))
        except AccountRefused as refused:
            form.add_error(None, str(refused))
        else:
            show = _first_token if is_program else _link_page
            return show(request, manager, account.pk)
    offered = [group for group in grantable_groups(manager) if is_program or group.name not in PROGRAM_ROLES]
    asked_role = request.GET.get("role", "")
    checked = set(_numbers(request, "group")) or {group.pk for group in offered if group.name == asked_role}
    roles = sorted(roles_of(offered), key=lambda role: is_program and role.kind != "program")
    kinds = [(_("A person"), "?kind=person", not is_program), (_("A program"), "?kind=program", is_program)]
    facts = {"form": form, "roles": roles, "checked": checked, "is_program": is_program, "kinds": kinds}
    return render(request, "dialogue/accounts/add_user.html", facts, status=422 if form.errors else 200)


@needs_right(may_see_users)
@require_GET
def user(request: HttpRequest, manager: Account, number: int) -> HttpResponse:
    """One account: its roles, its state, and what the manager may do with it."""
    return _user_page(request, manager, get_object_or_404(accounts(), pk=number))


@needs_right(may_change_users)
@require_POST
def change_roles(request: HttpRequest, manager: Account, number: int) -> HttpResponse:
    """Give the account the chosen roles."""
    return _change(
        request,
        number,
        _("The roles are changed."),
        lambda: management.change_roles(manager, number, _numbers(request, "group")),
    )


@needs_right(may_change_users)
@require_POST
def set_active(request: HttpRequest, manager: Account, number: int) -> HttpResponse:
    """Deactivate the account (`active=`), or activate it (`active=1`)."""
    active = request.POST.get("active") == "1"
    done = _("The account is active.") if active else _("The account is deactivated.")
    return _change(request, number, done, lambda: management.set_active(manager, number, active=active))


@needs_right(may_change_users)
@never_cache
@require_POST
def password_link(request: HttpRequest, manager: Account, number: int) -> HttpResponse:
    """Show a link with which the account's person sets a password. It is shown in this answer only."""
    return _link_page(request, manager, number)


class SetPassword(PasswordResetConfirmView):
    """The page that a password link opens: the person sets a password, and then signs in with it."""

    template_name = "dialogue/accounts/set_password.html"
    success_url = reverse_lazy("dialogue:login")

    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        management.record_password_set(form.user)
        words = _("Your password is set. Sign in as “%s” with it.") % form.user.get_username()
        messages.success(self.request, words)
        return response


def _change(request: HttpRequest, number: int, done: str, change: Callable[[], None]) -> HttpResponse:
    get_object_or_404(accounts(), pk=number)
    try:
        change()
    except AccountRefused as refused:
        messages.warning(request, str(refused))
    else:
        messages.success(request, done)
    return redirect("dialogue:user", number)


def _link_page(request: HttpRequest, manager: Account, number: int) -> HttpResponse:
    account = get_object_or_404(accounts(), pk=number)
    try:
        uid, token = management.password_link(manager, number)
    except AccountRefused as refused:
        messages.warning(request, str(refused))
        return redirect("dialogue:user", number)
    link = request.build_absolute_uri(reverse("dialogue:set_password", args=[uid, token]))
    return _user_page(request, manager, account, link=link, days=settings.PASSWORD_RESET_TIMEOUT // 86_400)


def _first_token(request: HttpRequest, manager: Account, number: int) -> HttpResponse:
    """Go on to the form of tokens, filled in for a program that was added just now."""
    account = get_object_or_404(accounts(), pk=number)
    name = account.get_username()
    if not may_add_tokens(manager):
        messages.success(request, _("The program “%s” is added. Someone who may create tokens gives it one.") % name)
        return redirect("dialogue:user", number)
    messages.success(request, _("The program “%s” is added. Now create its token.") % name)
    scopes = [scope for right, scope in SCOPES_OF_RIGHTS.items() if account.has_perm(f"dialogue.{right}")]
    query = urlencode({"account": name, "scope": scopes}, doseq=True)
    return redirect(f"{reverse('dialogue:tokens')}?{query}")


def _user_page(request: HttpRequest, manager: Account, account: Account, **facts: Any) -> HttpResponse:
    groups: list[Group] = list(account.groups.all())
    grantable = grantable_groups(manager) if may_manage(manager, account) else []
    if not _is_program(account, groups):
        grantable = [group for group in grantable if group.name not in PROGRAM_ROLES]
    offered = {group.pk for group in grantable}
    facts |= {
        "account": account,
        "is_self": account.pk == manager.pk,
        "roles": roles_of(groups),
        "checked": {group.pk for group in groups},
        "offered": roles_of(grantable),
        "fixed": roles_of(group for group in groups if group.pk not in offered),
        "may_change": may_manage(manager, account),
        "tokens": account.api_tokens.filter(revoked_at=None).count(),
        "may_add_tokens": may_add_tokens(manager),
    }
    return render(request, "dialogue/accounts/user.html", facts)


def _is_program(account: Account, groups: list[Group]) -> bool:
    """Whether the account has a program's role, or signs in with tokens only."""
    signs_in_with_tokens = not account.has_usable_password() and account.api_tokens.exists()
    return signs_in_with_tokens or any(group.name in PROGRAM_ROLES for group in groups)


def _numbers(request: HttpRequest, name: str) -> list[int]:
    return [int(text) for text in request.POST.getlist(name) if text.isascii() and text.isdigit() and len(text) < 10]


# ---- tokens --------------------------------------------------------------------------------------------------------


@needs_right(may_see_tokens)
@require_GET
def tokens(request: HttpRequest, manager: Account) -> HttpResponse:
    """The API tokens, the newest first; those that are revoked stay listed.

    `account` fills in the form of a new token for that account, `scope` its scopes.
    """
    account = request.GET.get("account", "")[:150]
    scopes = [scope for scope in request.GET.getlist("scope") if scope in SCOPES]
    filled_in = {"username": account, "name": account[:100], "scopes": scopes} if account else {}
    return _tokens_page(request, manager, TokenForm(initial=filled_in))


@needs_right(may_add_tokens)
@never_cache
@require_POST
def add_token(request: HttpRequest, manager: Account) -> HttpResponse:
    """Create a token. Its text is in this answer, and nowhere else."""
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _tokens_page(request, manager, form, status=422)
    account = account_named(form.cleaned_data["username"])
    if account is None or not account.is_active:
        form.add_error("username", _("There is no open account of this name."))
    elif not outranks(manager, account):
        form.add_error("username", _("This account has rights that you do not have. Ask an administrator."))
    else:
        row = ApiToken(user=account, name=form.cleaned_data["name"], scopes=form.token_scopes, ends_at=form.token_end)
        return _tokens_page(request, manager, TokenForm(), created=row, text=create_token(row, manager))
    return _tokens_page(request, manager, form, status=422)


@needs_right(may_revoke_tokens)
@require_POST
def remove_token(request: HttpRequest, manager: Account, number: int) -> HttpResponse:
    """Revoke a token: programs that use it are refused at once."""
    row = get_object_or_404(ApiToken.objects.select_related("user"), pk=number)
    if revoke_token(row, manager):
        messages.success(request, _("The token “%s” is revoked.") % row.name)
    return redirect("dialogue:tokens")


def _tokens_page(
    request: HttpRequest, manager: Account, form: TokenForm, *, status: int = 200, **facts: Any
) -> HttpResponse:
    try:
        rows = ApiToken.objects.select_related("user")
        page = keyset_page(rows, ("-id",), cursor=request.GET.get("after", ""), limit=PAGE_ROWS)
    except NotOffered as error:
        raise Http404 from error
    may_add = may_add_tokens(manager)
    facts |= {
        "next": page.next,
        "rows": token_rows(page.rows),
        "scopes": [(name, SCOPE_NAMES[name], meaning) for name, meaning in SCOPES.items()],
        "end_choices": end_choices(),
        "default_days": str(DEFAULT_DAYS),
        "form": form,
        "may_add": may_add,
        "is_adding": may_add and (form.is_bound or bool(form.initial) or "new" in request.GET),
        "may_revoke": may_revoke_tokens(manager),
        "may_see_users": may_see_users(manager),
        "names": _suggested_names() if may_add else [],
    }
    return render(request, "dialogue/accounts/tokens.html", facts, status=status)


def _suggested_names() -> list[str]:
    """What staff sign in with, for the field of the account."""
    staff = AccountFilters().rows().filter(pk__in=open_accounts().values("pk")).prefetch_related(None)
    return list(staff.order_by(username_field()).values_list(username_field(), flat=True)[:MAX_SUGGESTED_NAMES])
