"""Whether the database has every table that this version needs."""

from django.db import connection
from django.db.migrations.executor import MigrationExecutor

_up_to_date: set[str] = set()


class MigrationsWait(Exception):
    """The database is older than this version; the message says how to bring it up to date."""


def refuse_unmigrated() -> None:
    """Raises MigrationsWait when the database is behind. Once it is not, only that it answers is asked."""
    connection.ensure_connection()
    if connection.alias in _up_to_date:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        return
    executor = MigrationExecutor(connection)
    waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if waiting:
        raise MigrationsWait(
            f"{len(waiting)} migrations wait, the first is {waiting[0][0]}. "
            "Run `manage.py migrate` once, then start again."
        )
    _up_to_date.add(connection.alias)
