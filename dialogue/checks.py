"""System checks: what the project has to have, or to write otherwise, so that the console works in it."""

from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any

from django.apps import AppConfig, apps
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.checks import CheckMessage, Error, register
from django.core.checks import Warning as CheckWarning
from django.db import connection, models
from django.urls import NoReverseMatch, reverse
from django.utils.module_loading import import_string

from dialogue.conf import SETTINGS, soni, unknown_keys
from dialogue.conf.environment import SettingRefused

EXTENSIONS = "extensions"
A_PORT = "Write the dotted name of a class or function that takes the assistant, such as shop.ports.Understanding."
HINTS = {
    "ACTIONS": "Write modules that can be imported from where this process runs, separated by commas.",
    "COMMANDS": "Write dotted names of tables, such as shop.commands.COMMANDS = {Wave: wave}.",
    "KNOWLEDGE": A_PORT,
    "HELP": A_PORT,
    "NLU": A_PORT,
    "CHANNELS": "Write dotted names of subclasses of dialogue.channels.port.Channel, separated by commas.",
}
APPS = ("django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.messages")
MIDDLEWARE = (
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
)
PROCESSORS = ("django.template.context_processors.request", "django.contrib.messages.context_processors.messages")
MIN_SECRET_BYTES = 32
"""HMAC with SHA-256 asks for a key as long as its result."""
MEMORY_LAYER = 'CHANNEL_LAYERS = {"default": {"BACKEND": "dialogue.turns.live.layer.MemoryLayer"}}'


@register
def misspelt_settings(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> Iterable[CheckMessage]:
    """Keys of `SONI` that are no settings, and settings whose value cannot be used."""
    for key, nearest in unknown_keys(getattr(settings, "SONI", {})):
        hint = f'Did you mean "{nearest}"?' if nearest else "docs/embedding.md has the settings in a table."
        yield Error(f'SONI["{key}"] is not a setting of the console.', hint=hint, id="dialogue.E001")


@register(EXTENSIONS)
def unusable_settings(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> list[CheckMessage]:
    """Settings that cannot be read, and what the project brings that this process cannot use."""
    from dialogue.channels.table import unusable_channels  # settings have to be there
    from dialogue.turns.extensions import unusable_settings

    unreadable = list(refused_values())
    if unreadable:
        return [Error(text, id="dialogue.E002") for text in unreadable]
    problems = [*unusable_settings(), *(("CHANNELS", text) for text in unusable_channels())]
    return [Error(text, hint=HINTS[setting], id="soni.E020") for setting, text in problems]


def refused_values() -> Iterator[str]:
    """For each setting that cannot be read, what is wrong and what to write."""
    for name in SETTINGS:
        try:
            getattr(soni, name)
        except SettingRefused as error:
            yield str(error)


@register
def weak_secrets(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> Iterable[CheckMessage]:
    """Secrets of customers' tokens that are short enough to be guessed."""
    if any(len(secret.encode()) < MIN_SECRET_BYTES for secret in soni.USER_TOKEN_SECRETS):
        yield Error(
            f"A secret of USER_TOKEN_SECRETS has fewer than {MIN_SECRET_BYTES} bytes, so tokens could be forged.",
            hint='Make one with python -c "import secrets; print(secrets.token_urlsafe(48))".',
            id="dialogue.E008",
        )


@register
def unfit_user_model(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> Iterable[CheckMessage]:
    """The project's user model needs groups and permissions, and whole numbers as keys."""
    from django.contrib.auth.models import PermissionsMixin  # this module is imported before there are models

    model: type[models.Model] = get_user_model()
    if not issubclass(model, PermissionsMixin):
        yield Error(
            f"The console gives rights by groups and permissions, which {settings.AUTH_USER_MODEL} does not have.",
            hint=f"Write: class {model.__name__}(AbstractBaseUser, PermissionsMixin)",
            id="dialogue.E003",
        )
    if not isinstance(model._meta.pk, models.IntegerField):
        yield Error(
            f"The console records who did what by a number, and the primary key of {settings.AUTH_USER_MODEL} is a "
            f"{type(model._meta.pk).__name__}.",
            hint="Use a user model with an AutoField or BigAutoField as primary key.",
            id="dialogue.E004",
        )


@register
def missing_parts(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> Iterable[CheckMessage]:
    """Apps, middleware and context processors of Django's own that the pages need."""
    for name in (name for name in APPS if not apps.is_installed(name)):
        yield Error(f"The console needs {name}.", hint=f'INSTALLED_APPS += ["{name}"]', id="dialogue.E005")
    for name in (name for name in MIDDLEWARE if not _has_middleware(name)):
        yield Error(f"The console needs {name}.", hint=f'MIDDLEWARE += ["{name}"]', id="dialogue.E006")
    for name in (name for name in PROCESSORS if not _has_processor(name)):
        hint = f'TEMPLATES[0]["OPTIONS"]["context_processors"] += ["{name}"]'
        yield Error(f"The console's pages need the context processor {name}.", hint=hint, id="dialogue.E007")


def _has_middleware(name: str) -> bool:
    wanted = import_string(name)
    known = (import_string(path) for path in settings.MIDDLEWARE)
    return any(part is wanted or (isinstance(part, type) and issubclass(part, wanted)) for part in known)


def _has_processor(name: str) -> bool:
    return any(name in engine.get("OPTIONS", {}).get("context_processors", ()) for engine in settings.TEMPLATES)


@register
def not_live(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> Iterable[CheckMessage]:
    """Without a channel layer pages hear of nothing; without a mount there are none."""
    if not getattr(settings, "CHANNEL_LAYERS", {}):
        yield CheckWarning(
            "CHANNEL_LAYERS is empty: open pages hear of news up to 20 seconds late.",
            hint=f"Write {MEMORY_LAYER}, or a layer of channels_redis for several processes.",
            id="dialogue.W001",
        )
    try:
        reverse("dialogue:home")
    except NoReverseMatch:
        yield CheckWarning(
            "The console has no address.",
            hint='Write in the project\'s urls.py: path("soni/", include("dialogue.urls"))',
            id="dialogue.W002",
        )


@register
def deferred_locks(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> Iterable[CheckMessage]:
    """SQLite refuses at once a transaction that first reads and then wants to write while another writes."""
    options = connection.settings_dict.get("OPTIONS", {})
    if connection.vendor == "sqlite" and options.get("transaction_mode", "").upper() not in ("IMMEDIATE", "EXCLUSIVE"):
        yield CheckWarning(
            'SQLite fails with "database is locked" where several requests write at the same moment.',
            hint='DATABASES["default"]["OPTIONS"] = {"transaction_mode": "IMMEDIATE", "timeout": 20, '
            '"init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL"}',
            id="dialogue.W003",
        )


@register
def language_model_without_dspy(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> Iterable[CheckMessage]:
    """A language model that is named, and cannot be asked."""
    if soni.NLU_MODEL and find_spec("dspy") is None:
        yield CheckWarning(
            f"NLU_MODEL names {soni.NLU_MODEL}, but DSPy is not installed: messages are understood without it.",
            hint="`make up` installs it where NLU_MODEL is set; or install requirements/llm.txt, or unset NLU_MODEL.",
            id="dialogue.W004",
        )
