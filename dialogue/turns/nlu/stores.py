"""The rows behind understanding by language models: answers, spending, the program that serves, and alerts."""

import logging
from collections.abc import Sequence
from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q, Sum

from dialogue.engine.ports.commands import Command, from_plain, to_plain
from dialogue.engine.understanding import Usage
from dialogue.models import Alert, Conversation, NLUAnswer, NLUProgram, NLUSpending
from dialogue.turns import clock
from dialogue.turns.process.database import in_thread

if TYPE_CHECKING:
    from dialogue.nlu.budgets import Budget, Spending
    from dialogue.nlu.llm.ports import ConversationStores
    from dialogue.nlu.llm.programs import LLMProgram

log = logging.getLogger(__name__)

DAY = timedelta(days=1)
KEPT_FOR = timedelta(hours=24)
"""How long an answer is worth remembering; afterwards the sweep forgets it."""


def stores_for(conversation: Conversation, model: str, budget: "Budget") -> "ConversationStores":
    """Everything that is kept for this conversation's understanding."""
    from dialogue.nlu.llm.ports import ConversationStores

    return ConversationStores(
        answers=StoredAnswers(conversation.pk),
        spending=StoredSpending(conversation, budget),
        programs=StoredPrograms(conversation.assistant_id, model),
        alerts=StoredAlerts(),
    )


class StoredAnswers:
    """The conversation's own answers, and the shared ones, which hold no user's values."""

    def __init__(self, conversation: UUID) -> None:
        self._conversation = conversation

    async def recall(self, key: str) -> tuple[Command, ...] | None:
        return await in_thread(self._commands_for)(key)

    async def keep(self, key: str, commands: Sequence[Command], *, shared: bool) -> None:
        await in_thread(self._store_answer)(key, commands, None if shared else self._conversation)

    def _commands_for(self, key: str) -> tuple[Command, ...] | None:
        ours = Q(conversation=self._conversation) | Q(conversation=None)
        rows = NLUAnswer.objects.filter(ours, key=key, at__gt=clock.now() - KEPT_FOR)
        plain = rows.values_list("commands", flat=True).first()
        return None if plain is None else tuple(command for entry in plain for command in from_plain(entry))

    def _store_answer(self, key: str, commands: Sequence[Command], conversation: UUID | None) -> None:
        columns = {"commands": [to_plain(command) for command in commands], "at": clock.now()}
        if conversation is None:
            NLUAnswer.objects.update_or_create(key=key, conversation=None, defaults=columns)
            return
        with transaction.atomic():  # locked, so that nothing is kept of what was erased while the model answered
            conversation_row = Conversation.objects.select_for_update(of=("self",)).filter(
                pk=conversation, erased_at=None
            )
            if conversation_row.values_list("pk").first() is not None:
                NLUAnswer.objects.update_or_create(key=key, conversation_id=conversation, defaults=columns)


class StoredSpending:
    """Counted at once: what a failed turn cost was spent all the same."""

    def __init__(self, conversation: Conversation, budget: "Budget") -> None:
        self._conversation = conversation.pk
        self._origin = conversation.origin
        self._budget = budget

    async def conversation_spending(self) -> "Spending":
        return await in_thread(self._conversation_spending)()

    async def address_spending(self) -> "Spending":
        """What all conversations of the last day cost that were opened from there; nothing where an account did."""
        from dialogue.nlu.budgets import Spending

        return await in_thread(self._spent_from)(self._origin) if self._origin else Spending()

    async def charge(self, usage: Usage, seconds: float) -> None:
        if usage.calls:
            await in_thread(self._charge)(self._budget.spending_of(usage, seconds))

    def _conversation_spending(self) -> "Spending":
        from dialogue.nlu.budgets import Spending

        row = NLUSpending.objects.filter(conversation=self._conversation).first()
        return Spending(row.calls, row.tokens, row.seconds, row.money) if row else Spending()

    def _spent_from(self, origin: str) -> "Spending":
        from dialogue.nlu.budgets import Spending

        chats = Conversation.objects.filter(origin=origin, active_at__gt=clock.now() - DAY).exclude(origin="")
        rows = NLUSpending.objects.filter(conversation__in=chats.values("pk"))
        names = ("calls", "tokens", "seconds", "money")
        sums = rows.aggregate(**{f"all_{name}": Sum(name) for name in names})
        return Spending(**{name: sums[f"all_{name}"] for name in names if sums[f"all_{name}"] is not None})

    def _charge(self, more: "Spending") -> None:
        NLUSpending.objects.get_or_create(conversation_id=self._conversation)
        NLUSpending.objects.filter(conversation=self._conversation).update(
            calls=F("calls") + more.calls,
            tokens=F("tokens") + more.tokens,
            seconds=F("seconds") + more.seconds,
            money=F("money") + more.money,
        )


class StoredPrograms:
    """The program that serves now; a promotion holds from the next message on, in every process."""

    def __init__(self, assistant: int, model: str) -> None:
        self._assistant = assistant
        self._model = model

    async def serving_program(self) -> "LLMProgram | None":
        return await in_thread(serving_program)(self._assistant, self._model)


class StoredAlerts:
    """One alert a model while its key is refused."""

    async def key_refused(self, model: str) -> None:
        await in_thread(raise_alert)(Alert.Kind.KEY_REFUSED, model)

    async def key_works(self, model: str) -> None:
        await in_thread(end_alert)(Alert.Kind.KEY_REFUSED, model)


def serving_program(assistant: int, model: str) -> "LLMProgram | None":
    """What serves the assistant; None, the built-in one, also when what is stored may not serve here."""
    row = NLUProgram.objects.filter(assistant=assistant, state=NLUProgram.State.SERVING).first()
    return _read_program(row.artefact, row.sha256, model) if row else None


@lru_cache(maxsize=64)
def _read_program(text: str, sha256: str, model: str) -> "LLMProgram | None":
    from dialogue.nlu.llm.programs import ProgramRefused, read_program

    try:
        return read_program(text, sha256, model)
    except ProgramRefused as error:
        log.error("a program for the language model was refused, the built-in one serves: %s", error)
        return None


def raise_alert(kind: str, subject: str) -> Alert:
    """The open alert of this kind about this subject; a second time only counts."""
    now = clock.now()
    row, new = Alert.objects.get_or_create(
        kind=kind, subject=subject[:200], over_at=None, defaults={"first_at": now, "last_at": now}
    )
    if not new:
        Alert.objects.filter(pk=row.pk).update(times=F("times") + 1, last_at=now)
    return row


def end_alert(kind: str, subject: str) -> bool:
    """It works again; whether anything was wrong."""
    wrong = Alert.objects.filter(kind=kind, subject=subject[:200], over_at=None)
    return wrong.exists() and bool(wrong.update(over_at=clock.now()))  # most answers have nothing to write


def forget_answers() -> int:
    """Delete the answers that are too old to be given again; how many."""
    old = NLUAnswer.objects.filter(at__lte=clock.now() - KEPT_FOR)
    return old.delete()[0] if old.exists() else 0
