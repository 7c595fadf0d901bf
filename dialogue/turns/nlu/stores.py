"""The stores of the language model in the database: answers, spending, the serving program, and alerts."""

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
ANSWER_LIFETIME = timedelta(hours=24)
"""How long a stored answer is used; the sweep deletes older ones."""


def stores_for(conversation: Conversation, model: str, budget: "Budget") -> "ConversationStores":
    """Return the stores of this conversation for the model `model` and its budget."""
    from dialogue.nlu.llm.ports import ConversationStores

    return ConversationStores(
        answers=StoredAnswers(conversation.pk),
        spending=StoredSpending(conversation, budget),
        programs=StoredPrograms(conversation.assistant_id, model),
        alerts=StoredAlerts(),
    )


class StoredAnswers:
    """The conversation's answers, and those shared by all, which contain no values of users."""

    def __init__(self, conversation: UUID) -> None:
        self._conversation = conversation

    async def recall(self, key: str) -> tuple[Command, ...] | None:
        return await in_thread(self._commands_for)(key)

    async def keep(self, key: str, commands: Sequence[Command], *, shared: bool) -> None:
        await in_thread(self._store_answer)(key, commands, None if shared else self._conversation)

    def _commands_for(self, key: str) -> tuple[Command, ...] | None:
        ours = Q(conversation=self._conversation) | Q(conversation=None)
        rows = NLUAnswer.objects.filter(ours, key=key, at__gt=clock.now() - ANSWER_LIFETIME)
        plain = rows.values_list("commands", flat=True).first()
        return None if plain is None else tuple(command for entry in plain for command in from_plain(entry))

    def _store_answer(self, key: str, commands: Sequence[Command], conversation: UUID | None) -> None:
        columns = {"commands": [to_plain(command) for command in commands], "at": clock.now()}
        if conversation is None:
            NLUAnswer.objects.update_or_create(key=key, conversation=None, defaults=columns)
            return
        with transaction.atomic():  # locked: the conversation may have been erased while the model answered
            conversation_row = Conversation.objects.select_for_update(of=("self",)).filter(
                pk=conversation, erased_at=None
            )
            if conversation_row.values_list("pk").first() is not None:
                NLUAnswer.objects.update_or_create(key=key, conversation_id=conversation, defaults=columns)


class StoredSpending:
    """What a conversation has spent. It is stored at once, because a failed turn also costs."""

    def __init__(self, conversation: Conversation, budget: "Budget") -> None:
        self._conversation = conversation.pk
        self._origin = conversation.origin
        self._budget = budget

    async def conversation_spending(self) -> "Spending":
        return await in_thread(self._conversation_spending)()

    async def address_spending(self) -> "Spending":
        """Return what conversations from the same address have spent in the last day; 0 for those of an account."""
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
    """The program that serves now, read at each message, so that a promotion takes effect in every process."""

    def __init__(self, assistant: int, model: str) -> None:
        self._assistant = assistant
        self._model = model

    async def serving_program(self) -> "LLMProgram | None":
        return await in_thread(serving_program)(self._assistant, self._model)


class StoredAlerts:
    """One open alert for each model whose key is refused."""

    async def key_refused(self, model: str) -> None:
        await in_thread(raise_alert)(Alert.Kind.KEY_REFUSED, model)

    async def key_works(self, model: str) -> None:
        await in_thread(end_alert)(Alert.Kind.KEY_REFUSED, model)


def serving_program(assistant: int, model: str) -> "LLMProgram | None":
    """Return the serving program. None means the built-in one, also when the stored one cannot be used here."""
    row = NLUProgram.objects.filter(assistant=assistant, state=NLUProgram.State.SERVING).first()
    return _read_program(row.artefact, row.sha256, model) if row else None


@lru_cache(maxsize=64)
def _read_program(text: str, sha256: str, model: str) -> "LLMProgram | None":
    from dialogue.nlu.llm.programs import ProgramRefused, read_program

    try:
        return read_program(text, sha256, model)
    except ProgramRefused as error:
        log.error("a stored program for the language model cannot be used, so the built-in one serves: %s", error)
        return None


def raise_alert(kind: str, subject: str) -> Alert:
    """Return the open alert of this kind and subject, created or counted once more."""
    now = clock.now()
    row, new = Alert.objects.get_or_create(
        kind=kind, subject=subject[:200], over_at=None, defaults={"first_at": now, "last_at": now}
    )
    if not new:
        Alert.objects.filter(pk=row.pk).update(times=F("times") + 1, last_at=now)
    return row


def end_alert(kind: str, subject: str) -> bool:
    """Close the open alert of this kind and subject. Return whether there was one."""
    open_alert = Alert.objects.filter(kind=kind, subject=subject[:200], over_at=None)
    # Read first, because most calls have nothing to write.
    return open_alert.exists() and bool(open_alert.update(over_at=clock.now()))


def forget_answers() -> int:
    """Delete the answers that are too old to be used. Return how many."""
    old = NLUAnswer.objects.filter(at__lte=clock.now() - ANSWER_LIFETIME)
    return old.delete()[0] if old.exists() else 0
