"""The actions of both demo assistants, as the settings name them."""

from dialogue.library.demo import bank_actions, library_actions

__all__ = ["bank_actions", "library_actions"]
