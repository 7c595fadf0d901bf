"""The project's settings for tests: a data folder of their own, and nothing slow that proves nothing."""

import atexit
import os
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

FOLDER = Path(mkdtemp(prefix="soni-tests-"))
atexit.register(rmtree, FOLDER, ignore_errors=True)
os.environ["SONI_DATA"] = str(FOLDER)
os.environ["SONI_SECRET_KEY"] = "a-key-for-tests-only-that-signs-nothing-anybody-keeps-0123456789"
os.environ.setdefault("SONI_DEPLOYMENT", "embedded")  # on PostgreSQL too: what needs workers starts them
os.environ["NLU_EMBEDDED"] = "off"  # or what is understood would depend on how far a thread has come

from soni_admin.settings import *  # noqa: E402, F403
from soni_admin.settings import DATABASE_URL, DATABASES, LOCAL_HOSTS, SONI  # noqa: E402

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
WHITENOISE_AUTOREFRESH = True  # or each client of a test would first look through all files there are
NO_LIMITS = {"OPENINGS_PER_ADDRESS": 0, "MESSAGES_PER_CONVERSATION": 0, "MESSAGES_PER_ADDRESS": 0}
SONI = SONI | NO_LIMITS  # all clients of a test have one address
LOCAL_HOSTS = ALLOWED_HOSTS = [*LOCAL_HOSTS, "testserver"]

if not DATABASE_URL:
    # A file, since SQLite in memory fails under parallel requests. Only the disk is not waited for.
    # Campaigns name one that is migrated already.
    DATABASES["default"]["TEST"] = {"NAME": os.environ.get("SONI_TEST_DATABASE", str(FOLDER / "test.sqlite3"))}
    DATABASES["default"]["OPTIONS"]["init_command"] = "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF"
