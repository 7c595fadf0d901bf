"""Paused conversations as each release left them, and how the next release goes on with them.

`python -m tests.upgrade VERSION` records those of the present code: a database as SQL, and what to say next in each.
"""
