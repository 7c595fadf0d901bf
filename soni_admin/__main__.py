"""Soni Admin's command line where it was installed: `python -m soni_admin COMMAND`, such as `up`."""

import atexit
import gc
import os
import sys

ENDED_BY_SIGPIPE = 128 + 13
"""The exit status that a shell gives a program whose reader went away."""


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "soni_admin.settings")
    from django.core.management import execute_from_command_line
    from django.db import DatabaseError

    from dialogue.conf.environment import SettingRefused
    from soni_admin.databases import broken_file_sentence, missing_tables_sentence

    atexit.register(gc.freeze)  # leaving, nothing is searched for cycles: a third of a short command's processor time
    try:
        execute_from_command_line(sys.argv)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader, such as `head`, has enough; Python would fail once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(ENDED_BY_SIGPIPE)
    except SettingRefused as error:
        sys.exit(str(error))
    except DatabaseError as error:
        sentence = broken_file_sentence(error) or missing_tables_sentence(error)
        if sentence is None:
            raise
        sys.exit(sentence)


if __name__ == "__main__":
    main()
