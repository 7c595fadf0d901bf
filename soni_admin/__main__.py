"""Soni Admin's command line where it was installed: `python -m soni_admin COMMAND`, such as `up`."""

import atexit
import gc
import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "soni_admin.settings")
    from django.core.management import execute_from_command_line

    atexit.register(gc.freeze)  # leaving, nothing is searched for cycles: a third of a short command's processor time
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
