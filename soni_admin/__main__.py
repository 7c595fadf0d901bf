"""Soni Admin's command line where it was installed: `python -m soni_admin COMMAND`, such as `up`."""

import atexit
import gc
import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "soni_admin.settings")
    from django.core.management import execute_from_command_line
    from django.db import DatabaseError

    from soni_admin.databases import broken_file_sentence
    from soni_admin.environment import SettingRefused

    atexit.register(gc.freeze)  # leaving, nothing is searched for cycles: a third of a short command's processor time
    try:
        execute_from_command_line(sys.argv)
    except SettingRefused as error:
        sys.exit(str(error))
    except DatabaseError as error:
        sentence = broken_file_sentence(error)
        if sentence is None:
            raise
        sys.exit(sentence)


if __name__ == "__main__":
    main()
