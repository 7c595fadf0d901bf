"""The demo bank, and people who write and publish it."""

import pytest
from django.contrib.auth.models import User

from dialogue.library.demo.seed import FOLDER
from dialogue.library.documents.folders import load_folder
from dialogue.library.documents.versions import store
from dialogue.models import Assistant


@pytest.fixture
def documents() -> dict[str, str]:
    return load_folder(FOLDER / "bank")


@pytest.fixture
def bank(db: None, documents: dict[str, str]) -> Assistant:
    return store(documents)


@pytest.fixture
def arthur(db: None) -> User:
    """Arthur the author."""
    return User.objects.create_user("arthur")
