"""Paused conversations as each version left them, and how the present code goes on with them.

`python -m tests.upgrade VERSION` records those of the code beside it: `kinds` says what waits and how each goes on; the
database is kept as SQL, and beside it what came of going on. Recorded by the old code, a change that loses something
shows here. Where this code answers otherwise on purpose, `changes` says so. Copied into a work tree of an earlier
commit, with `tests/support/processes/server.py`, this folder records that commit.
"""
