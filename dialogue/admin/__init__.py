"""Django admin: records are read-only; users, groups and API tokens are managed here."""

from dialogue.admin import audit, rows, tokens
from dialogue.admin.names import name_models

__all__ = ["audit", "rows", "tokens"]

name_models()
