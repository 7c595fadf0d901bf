"""The project's settings, from the environment (docs/operations.md). dialogue.conf reads those of the app."""

import gc
import os
from pathlib import Path
from typing import Any

from csp.constants import NONCE, NONE, SELF

from dialogue.conf.environment import Environment
from dialogue.conf.third_party import TRACING_NAMES, set_safe_defaults
from dialogue.conf.worker import worker_number
from soni_admin.databases import database_from, sqlite_file
from soni_admin.private_files import make_private_folder
from soni_admin.secret_key import kept_key
from soni_admin.static_folders import htmx_folder

set_safe_defaults()

# A start makes very many objects that stay: looking through them again and again is a tenth of its work.
gc.set_threshold(20_000, 20, 20)

env = Environment(os.environ)
BASE_DIR = Path(__file__).resolve().parent.parent
# In a wheel, templates and static files lie in the folders of the two apps, where Django looks for them by itself.
IN_CHECKOUT = (BASE_DIR / "templates" / "dialogue").is_dir()

# ---- where and for whom -------------------------------------------------------------------------------------------
DATA_DIR = Path(env.text("SONI_DATA", str(BASE_DIR / "var"))).expanduser().absolute()
make_private_folder(DATA_DIR)
DEVELOPMENT = env.one_of("SONI_ENVIRONMENT", ("production", "development"), "production") == "development"
DEBUG = env.flag("SONI_DEBUG")
DATABASE_URL = env.text("DATABASE_URL")
REDIS_URL = env.text("REDIS_URL")
SCALED = env.one_of("SONI_DEPLOYMENT", ("embedded", "scaled"), "scaled" if DATABASE_URL else "embedded") == "scaled"

# ---- safety -------------------------------------------------------------------------------------------------------
KEY_FILE = None if env.text("SONI_SECRET_KEY") else DATA_DIR / "secret_key"
SECRET_KEY = kept_key(KEY_FILE) if KEY_FILE else env.text("SONI_SECRET_KEY")
LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
ALLOWED_HOSTS = env.words("SONI_HOSTS") or LOCAL_HOSTS
WEBSOCKET_ORIGINS = env.words("SONI_ORIGINS")
CSRF_TRUSTED_ORIGINS = WEBSOCKET_ORIGINS
HTTPS = env.flag("SONI_HTTPS")
TRUSTED_PROXIES = env.networks("SONI_TRUSTED_PROXIES")
LANGGRAPH_STRICT_MSGPACK = env.flag("LANGGRAPH_STRICT_MSGPACK")
TRACING = [name for name in TRACING_NAMES if env.flag(name)]
DSPY_DISK_CACHE = env.flag("SONI_DSPY_DISK_CACHE")

SESSION_COOKIE_NAME = "soni_session"
CSRF_COOKIE_NAME = "soni_csrf"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 12 * 60 * 60
SECURE_HSTS_SECONDS = 365 * 24 * 60 * 60 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
# Files that people send. No address leads into this folder: downloads ask for permission.
MEDIA_ROOT = DATA_DIR / "files"

# Requests served at a time, streams of events aside; further ones get 503 with `Retry-After`.
MAX_IN_FLIGHT_REQUESTS = env.whole("SONI_MAX_IN_FLIGHT", 100)

# No inline script or style, no eval; 'self' covers the page's own WebSocket too (CSP level 3).
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF, NONCE],
        "style-src": [SELF, NONCE],
        "img-src": [SELF, "data:", *env.words("SONI_IMAGE_ORIGINS")],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "object-src": [NONE],
    }
}

# ---- what runs ----------------------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "soni_admin",
    "dialogue",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "csp",
    "ninja",
]
if SCALED and DATABASE_URL:  # its migrations are made for PostgreSQL
    INSTALLED_APPS += ["procrastinate.contrib.django"]
PROCRASTINATE_AUTODISCOVER_MODULE_NAME = ""  # the worker knows its tasks
MIDDLEWARE = [
    "soni_admin.caching.keep_pages_private",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "dialogue.web.server.cors.answer_allowed_origins",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "dialogue.web.server.reader_zone.activate_reader_zone",
    "dialogue.web.server.form_addresses.explain_form_address",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "soni_admin.urls"
ASGI_APPLICATION = "soni_admin.asgi.application"
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"] if IN_CHECKOUT else [],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
            ],
        },
    }
]
# ---- what is kept, and the doorbell -------------------------------------------------------------------------------
DATABASES = {"default": database_from(DATABASE_URL) if DATABASE_URL else sqlite_file(DATA_DIR / "soni.sqlite3")}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
MEMORY_LAYER = "dialogue.turns.live.layer.MemoryLayer"
REDIS_LAYER = "channels_redis.pubsub.RedisPubSubChannelLayer"
CHANNEL_LAYERS: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": REDIS_LAYER, "CONFIG": {"hosts": [REDIS_URL]}} if REDIS_URL else {"BACKEND": MEMORY_LAYER}
}

# ---- the console: its other settings are read from the environment by dialogue.conf ---------------------------------
SONI = {
    "PUBLIC_URL": env.text("SONI_URL", WEBSOCKET_ORIGINS[0] if WEBSOCKET_ORIGINS else ""),
    "RUN_TURNS": False,  # `manage.py up` runs them beside the pages, workers where the deployment is scaled
}

# ---- mail to people outside, with links that lead back here; without a mail server it is written into files --------
EMAIL_HOST = env.text("SONI_MAIL_HOST")
EMAIL_PORT = env.whole("SONI_MAIL_PORT", 587)
EMAIL_HOST_USER = env.text("SONI_MAIL_USER")
EMAIL_HOST_PASSWORD = env.text("SONI_MAIL_PASSWORD")
EMAIL_USE_TLS = env.flag("SONI_MAIL_TLS", default=True)
EMAIL_TIMEOUT = 10
EMAIL_BACKEND = f"{'django.core.mail.backends.smtp' if EMAIL_HOST else 'soni_admin.private_files'}.EmailBackend"
EMAIL_FILE_PATH = DATA_DIR / "mail"
DEFAULT_FROM_EMAIL = env.text("SONI_MAIL_FROM", "soni@localhost")

# ---- people -------------------------------------------------------------------------------------------------------
LOGIN_URL = "dialogue:login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

# ---- languages and time -------------------------------------------------------------------------------------------
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("es", "Español")]
LOCALE_PATHS = [BASE_DIR / "locale"] if IN_CHECKOUT else []
FORMAT_MODULE_PATH = ["soni_admin.formats"]
USE_TZ = True
TIME_ZONE = env.text("SONI_TIME_ZONE", "UTC")

# ---- static files: WhiteNoise serves them from where they lie; soni_admin/static_files.py asks it ------------------
STATIC_URL = "/static/"
STATICFILES_DIRS = [("dialogue", BASE_DIR / "static"), ("dialogue/htmx", htmx_folder())] if IN_CHECKOUT else []
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_ALLOW_ALL_ORIGINS = False

# ---- logging ------------------------------------------------------------------------------------------------------
WORKER_WORD = f"worker {worker_number()} " if worker_number() else ""
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,  # or the crash of a consumer is not logged
    "formatters": {
        "line": {"format": f"{{asctime}} {WORKER_WORD}{{levelname}} {{name}}: {{message}}", "style": "{"},
        "json": {"()": "soni_admin.logs.JsonLine"},
    },
    "filters": {
        "links": {"()": "soni_admin.masking.LinkMask"},
        "strangers": {"()": "soni_admin.masking.StrangersMistakes"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": env.one_of("SONI_LOGS", ("line", "json"), "line"),
            "filters": ["links", "strangers"],
        }
    },
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "dialogue": {"level": env.text("SONI_LOG_LEVEL", "INFO")},
        "django": {"handlers": [], "propagate": True},
        # Here too, so that handlers that a project adds get no tokens either.
        "django.request": {"filters": ["links"]},
    },
}
