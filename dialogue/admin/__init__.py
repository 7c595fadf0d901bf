"""Django's admin: what happened is there to be read, by nobody to be changed; people, groups and tokens are managed."""

from dialogue.admin import audit, rows, tokens

__all__ = ["audit", "rows", "tokens"]
