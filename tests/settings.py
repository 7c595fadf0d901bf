"""The project's settings for tests: a data folder of their own, files instead of memory, nothing slow that proves nothing."""

import atexit
import os
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

FOLDER = Path(mkdtemp(prefix="soni-tests-"))
atexit.register(rmtree, FOLDER, ignore_errors=True)
os.environ["SONI_DATA"] = str(FOLDER)
os.environ["SONI_SECRET_KEY"] = "a-key-for-tests-only-that-signs-nothing-anybody-keeps-0123456789"

from soni_admin.settings import *  # noqa: E402, F403
from soni_admin.settings import DATABASES, SCALED  # noqa: E402

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1", "[::1]"]

if not SCALED:
    # In memory, SQLite fails under parallel requests; on disk it behaves as it will for people. Only the disk is not waited for.
    DATABASES["default"]["TEST"] = {"NAME": str(FOLDER / "test.sqlite3")}
    DATABASES["default"]["OPTIONS"]["init_command"] = "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF"
