"""Which of the processes of `manage.py up --workers N` this one is. The supervisor writes it into their environment."""

import os

WORKER = "SONI_WORKER"
"""The variable that has the number of the process and how many there are, such as `2/4`."""


def worker_number() -> int:
    """Return the number of this process, from 1; 0 in a process that has no supervisor."""
    return int(_parts()[0])


def worker_count() -> int:
    """Return how many processes serve beside each other; 1 without a supervisor."""
    return int(_parts()[2])


def _parts() -> tuple[str, str, str]:
    return os.environ.get(WORKER, "0/1").partition("/")
