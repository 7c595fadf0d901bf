"""Template tags of the pages of Django's admin."""
