"""manage.py chat ASSISTANT — a conversation in the terminal."""

import asyncio
import json
from argparse import ArgumentParser
from typing import Any
from uuid import uuid4

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dialogue.desk.chats.chats import leave_chat
from dialogue.engine.slots.redaction import one_line
from dialogue.management.terminal import wait_for
from dialogue.models import Conversation, Message
from dialogue.models.account import account_named
from dialogue.turns.accept import (
    AssistantNotFound,
    ConversationOver,
    Incoming,
    MessageRefused,
    accept,
    open_conversation,
)
from dialogue.turns.live.failed_steps import failed_steps
from dialogue.turns.live.serializers import conversation_view
from dialogue.turns.nlu.explanations import reasons_not_understood
from dialogue.turns.process.database import in_thread
from dialogue.turns.worker import drain

LEAVE = "/leave"
"""What who waits for a person types to go back to the assistant."""
LOOK_EVERY = 0.5
"""Seconds between two looks for what staff or the clock made the assistant say."""


class Command(BaseCommand):
    help = (
        "Talk with an assistant; an empty end of input (Ctrl+D) ends it, /leave waits no longer for a person. "
        "-v shows commands and actions, -vv slots and stack."
    )

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Here -v counts, as people expect of it."""
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("assistant")
        parser.add_argument("--as", dest="person", metavar="NAME", default="", help="an account, or any name")
        parser.add_argument("-v", dest="shown", action="count", default=0)

    def handle(self, *args: Any, assistant: str, person: str, shown: int, **options: Any) -> None:
        self._shown, self._seen, self._turn = shown, 0, 0
        account = account_named(person) if person else None
        try:
            self._conversation, _token = open_conversation(
                assistant, user=account, user_ref="" if account else person, vouched=True, channel="terminal"
            )
        except AssistantNotFound as error:
            raise CommandError(f"There is no published assistant {assistant!r}.") from error
        self.stdout.write(f"conversation {self._conversation.pk}")
        wait_for(self._talk())

    async def _talk(self) -> None:
        while True:
            line = await self._next_line()
            if line is None or not await self._say(line):
                return

    async def _next_line(self) -> str | None:
        """What is typed next; meanwhile, whatever is said is shown."""
        typing = asyncio.ensure_future(asyncio.to_thread(_typed))
        while not typing.done():
            await asyncio.wait([typing], timeout=LOOK_EVERY)
            await in_thread(self._show_new)()
        return typing.result()

    async def _say(self, text: str) -> bool:
        """False when the conversation is over."""
        if text.strip() == LEAVE and await in_thread(leave_chat)(self._conversation.pk):
            return await self._answered()
        incoming = Incoming("message", uuid4().hex, {"text": text}, text=text)
        try:
            await in_thread(accept)(self._conversation.pk, incoming)
        except ConversationOver:
            self.stdout.write("(the conversation is over)")
            return False
        except MessageRefused as error:
            self.stdout.write(f"({error.detail})")
            return True
        return await self._answered()

    async def _answered(self) -> bool:
        """Run the turn; what it says before an action is shown while the action runs."""
        turn = asyncio.ensure_future(drain(self._conversation.pk))
        while not turn.done():
            await asyncio.wait([turn], timeout=LOOK_EVERY)
            await in_thread(self._show_new)()
        await turn
        return True

    def _show_new(self) -> None:
        rows = Message.objects.filter(conversation=self._conversation, seq__gt=self._seen).order_by("seq")
        for row in rows:
            self._seen = row.seq
            if row.role != Message.Role.USER:
                self.stdout.write(_spoken(row))
        if self._shown:
            self._show_turns()

    def _show_turns(self) -> None:
        self._conversation.refresh_from_db()
        for turn in self._conversation.turns.filter(number__gt=self._turn).order_by("number"):
            self._turn = turn.number
            self.stdout.write(f"    commands {json.dumps(turn.record.get('proposed', []), ensure_ascii=False)}")
            for reason in reasons_not_understood(turn.record):
                self.stdout.write(f"    {reason}")
            for entry in turn.record.get("actions", []):
                self.stdout.write(f"    action {_told(entry)}")
            for entry in failed_steps(turn.record):
                self.stdout.write(f"    step {entry['step']} failed: {one_line(entry['error'])}")
            if self._shown > 1:
                self._show_stack(self._conversation)

    def _show_stack(self, row: Conversation) -> None:
        for entry in conversation_view(row, insight=True)["stack"]:
            self.stdout.write(f"    {entry['awaiting']:28} {json.dumps(entry['slots'], ensure_ascii=False)}")


def _spoken(row: Message) -> str:
    who = f"{row.author}: " if row.author else ""
    buttons = "".join(f"  [{button['label']}]" for button in row.buttons)
    return f"{who}{row.text}{buttons}"


def _told(entry: dict[str, Any]) -> str:
    """One action of the record: its name, its outcome, and why it did not work."""
    error = f": {one_line(entry['error'])}" if entry.get("error") else ""
    return f"{entry['action']} {entry['outcome']}{error}"


def _typed() -> str | None:
    try:
        return input("> ")
    except EOFError:
        return None
