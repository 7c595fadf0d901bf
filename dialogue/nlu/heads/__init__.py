"""Trained readers of messages: spans of slot values, and acts. Data files lie beside; `training/` makes them.

Nothing heavy is imported before the first use, so that an install without the extra `embedded` works. This package
knows texts and plain dataclasses, not assistants.
"""
