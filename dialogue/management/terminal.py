"""Shared parts of the commands: printing problems, finding people and conversations, running coroutines."""

import asyncio
from collections.abc import Coroutine, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from dialogue.engine.source.problems import FlowProblems, Problem
from dialogue.library.documents.folders import FolderRefused, load_folder
from dialogue.models import Assistant, Conversation
from dialogue.models.account import Account, account_named
from dialogue.turns.process.database import close_connections

Result = TypeVar("Result")


class FlowCommand(BaseCommand):
    """A command that reads folders of flow documents, and prints what is wrong with them, a problem a line."""

    def documents(self, folder: Path) -> dict[str, str]:
        """The documents of a folder. Raises CommandError, after printing what is wrong with a file's bytes."""
        try:
            return load_folder(folder)
        except FolderRefused as error:
            raise CommandError(str(error)) from error
        except FlowProblems as error:
            self.print_problems(error.problems, folder)
            raise CommandError("A file cannot be read.") from error

    def print_problems(self, problems: Iterable[Problem], folder: Path) -> None:
        """`file:line:column: code: text`, with the folder in front of each file."""
        for problem in problems:
            self.stdout.write(str(replace(problem, file=str(folder / problem.file))))


def counted(number: int, noun: str) -> str:
    """Return "1 document" or "3 documents"; the plural has an s."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def assistant_named(name: str) -> Assistant:
    """The assistant with its active release. Raises CommandError that lists the names there are."""
    row = Assistant.objects.select_related("active_release").filter(name=name).first()
    if row is None:
        known = ", ".join(Assistant.objects.values_list("name", flat=True)) or "none; load one with load_flows"
        raise CommandError(f"There is no assistant {name!r}. There are: {known}.")
    return row


def person_named(name: str | None) -> Account:
    """The account of this name. Raises CommandError when it is missing."""
    if not name:
        raise CommandError("Say who you are: --as NAME, the name of an account.")
    user = account_named(name)
    if user is None:
        raise CommandError(f"There is no account {name!r}.")
    return user


def conversation_with(text: str) -> Conversation:
    """The conversation with this id. Raises CommandError for text that is not an id or has no conversation."""
    try:
        row = Conversation.objects.select_related("release", "assistant", "user").filter(pk=UUID(text)).first()
    except ValueError as error:
        raise CommandError(f"{text!r} is no conversation's id.") from error
    if row is None:
        raise CommandError(f"There is no conversation {text}.")
    return row


def mark_of(conversation: Conversation) -> str:
    """The end of a list's line for a test conversation, in which no customer waits; empty for others."""
    return "  (test)" if conversation.test else ""


def wait_for(work: Coroutine[Any, Any, Result]) -> Result:
    """Run something asynchronous to its end, and leave no connection of its threads behind."""
    try:
        return asyncio.run(work)
    finally:
        close_connections()
