"""manage.py conversations list|inspect|trace|replay|cancel — a look at conversations from the terminal."""

import json
from argparse import ArgumentParser
from typing import Any
from uuid import uuid4

from django.core.management.base import BaseCommand, CommandError

from dialogue.management.terminal import conversation_with, mark_of, wait_for
from dialogue.models import Conversation, Turn
from dialogue.turns.accept import ConversationOver, Incoming, accept
from dialogue.turns.live.serializers import conversation_view, message_view
from dialogue.turns.nlu.explanations import reasons_not_understood
from dialogue.turns.worker import drain


class Command(BaseCommand):
    help = "List conversations, look at one, see why it said what it said, or cancel it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        acts = parser.add_subparsers(dest="act")
        listing = acts.add_parser("list", help="the newest conversations")
        listing.add_argument("--state", choices=Conversation.State.values)
        listing.add_argument("--assistant")
        listing.add_argument("--limit", type=int, default=20)
        acts.add_parser("inspect", help="state, stack, pending and transcript").add_argument("id")
        tracing = acts.add_parser("trace", help="the record of each turn, or of one")
        tracing.add_argument("id")
        tracing.add_argument("turn", nargs="?", type=int)
        replaying = acts.add_parser("replay", help="the turns that another release would have answered differently")
        replaying.add_argument("id")
        replaying.add_argument("--release", type=int, help="its number; else the active one")
        replaying.add_argument("--understand", action="store_true", help="let its own understanding read every text")
        cancelling = acts.add_parser("cancel", help="end it")
        cancelling.add_argument("id")
        cancelling.add_argument("reason", nargs="+")

    def handle(self, *args: Any, act: str | None, **options: Any) -> None:
        match act:
            case None:
                raise CommandError(
                    "Name what to do: list, inspect ID, trace ID [TURN], replay ID or cancel ID REASON, such as "
                    "“manage.py conversations list”."
                )
            case "list":
                self._list(options["state"], options["assistant"], options["limit"])
            case "inspect":
                self._inspect(conversation_with(options["id"]))
            case "trace":
                self._trace(conversation_with(options["id"]), options["turn"])
            case "replay":
                self._replay(conversation_with(options["id"]), options["release"], again=options["understand"])
            case _:
                self._cancel(conversation_with(options["id"]), " ".join(options["reason"]))

    def _list(self, state: str | None, assistant: str | None, limit: int) -> None:
        rows = Conversation.objects.select_related("assistant", "user")
        rows = rows.filter(state=state) if state else rows
        rows = rows.filter(assistant__name=assistant) if assistant else rows
        for row in rows[:limit]:
            stack = " ".join(entry["awaiting"] for entry in row.stack) or "-"
            at = row.active_at.isoformat(" ", "seconds")
            who = f"{row.assistant.name:12}  {row.customer:16}"
            self.stdout.write(f"{row.pk}  {at}  {row.state:9}  {who}  {stack}{mark_of(row)}")

    def _inspect(self, row: Conversation) -> None:
        self.stdout.write(_plainly(conversation_view(row, insight=True)))
        for message in row.messages.order_by("seq"):
            view = message_view(message)
            self.stdout.write(f"{view['seq']:4} {view['role']:9} {view['key']:24} {view['text']}")

    def _trace(self, row: Conversation, number: int | None) -> None:
        turns = row.turns.select_related("event").order_by("number")
        found = list(turns.filter(number=number) if number is not None else turns)
        if not found and number is not None:
            raise CommandError(f"This conversation has no turn {number}.")
        for turn in found:
            self.stdout.write(_headline(turn))
            self.stdout.writelines(f"not understood: {reason}" for reason in reasons_not_understood(turn.record))
            self.stdout.write(_plainly(turn.record))

    def _replay(self, row: Conversation, number: int | None, *, again: bool) -> None:
        from dialogue.scenarios.replay import replay_conversation  # it runs turns, which the other acts do without

        release = row.assistant.releases.filter(number=number).first() if number else row.assistant.active_release
        if release is None:
            raise CommandError(f"{row.assistant.name} has no release {number or 'that is active'}.")
        found = wait_for(replay_conversation(row, release, understand_again=again))
        for turn in found.differing_turns:
            self.stdout.write(f"turn {turn.number} ({turn.kind})")
            self.stdout.write(f"  expected: {turn.expected}")
            self.stdout.write(f"  got:      {turn.got or 'nothing'}")
            self.stdout.writelines(f"  {note}" for note in turn.notes)
        same = len(found.turns) - len(found.differing_turns)
        self.stdout.write(f"{same} of {len(found.turns)} turns as before, with release {release.number}")

    def _cancel(self, row: Conversation, reason: str) -> None:
        try:
            accept(row.pk, Incoming("cancel", f"terminal:{uuid4().hex}", {"reason": reason}))
        except ConversationOver as error:
            raise CommandError(f"The conversation is {row.state} already.") from error
        wait_for(drain(row.pk))
        row.refresh_from_db()
        self.stdout.write(f"{row.pk} is {row.state}.")


def _headline(turn: Turn) -> str:
    return f"turn {turn.number}: {turn.event.kind}, {turn.milliseconds:.1f} ms, {turn.llm_calls} calls of a model"


def _plainly(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)
