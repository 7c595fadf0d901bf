"""Django admin: records are read-only; users, groups and API tokens are managed here."""

from dialogue.admin import audit, rows, tokens

__all__ = ["audit", "rows", "tokens"]
