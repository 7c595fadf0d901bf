"""The demo bank, and people who write and publish it."""

import pytest
from django.contrib.auth.models import User

from dialogue.library.demo.seed import ASSISTANTS_FOLDER
from dialogue.library.documents.folders import load_folder
from dialogue.library.documents.versions import store_documents
from dialogue.models import Assistant


@pytest.fixture
def documents() -> dict[str, str]:
    return load_folder(ASSISTANTS_FOLDER / "bank")


@pytest.fixture
def bank(db: None, documents: dict[str, str]) -> Assistant:
    return store_documents(documents)


@pytest.fixture
def arthur(db: None) -> User:
    """Arthur the author."""
    return User.objects.create_user("arthur")
