"""Watching a conversation from its rows: what each turn of a scenario added, and how the conversation stands."""

import itertools
from typing import Any

from dialogue.models import Conversation, Event, Message
from dialogue.scenarios.outcome.results import Observation, ObservedMessage
from dialogue.turns.checkpointer import DjangoSaver


class ConversationObserver:
    """Remembers how far it has looked. `repeated` is the event whose answer was asked for again, if any."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.repeated: int | None = None
        self._message = 0
        self._turn = 0
        self._event = 0

    def observe(self, conversation_slots: dict[str, Any]) -> Observation:
        """What is new since the last look; `conversation_slots` are the slots of the whole conversation."""
        self.conversation.refresh_from_db()
        lines = self._new_messages()
        turns = list(self.conversation.turns.filter(number__gt=self._turn).order_by("number"))
        incidents = self.conversation.events.filter(state=Event.State.INCIDENT, number__gt=self._event)
        errors = tuple(incidents.order_by("number").values_list("error", flat=True))
        self._event = self.conversation.last_event
        self._message, self._turn = self.conversation.last_message, self.conversation.last_turn
        repeated = _observed_messages(Message.objects.filter(turn__event=self.repeated)) if self.repeated else ()
        self.repeated = None
        return Observation(
            messages=lines,
            stack=self.stack(),
            slots={**conversation_slots, **self._stack_slots()},
            llm_calls=sum(turn.llm_calls for turn in turns),
            repeated=repeated,
            incidents=errors,
            path=tuple(
                (step["flow"], step["step"], step["to"]) for turn in turns for step in turn.record.get("steps", ())
            ),
            simulated=tuple(
                action["action"]
                for turn in turns
                for action in turn.record.get("actions", ())
                if action.get("simulated")
            ),
        )

    def stack(self) -> tuple[str, ...]:
        """The stack in the notation of scenarios, as it was at the last look."""
        return tuple(entry["awaiting"] for entry in self.conversation.stack)

    def find_button(self, name: str) -> tuple[str, str]:
        """The value and the label of the newest button that is named by either; else `name` for both."""
        rows = self.conversation.messages.exclude(buttons=[]).order_by("-seq")
        for button in itertools.chain.from_iterable(row.buttons for row in rows[:5]):
            if name.casefold() in (button["value"].casefold(), button["label"].casefold()):
                return button["value"], button["label"]
        return name, name

    def _new_messages(self) -> tuple[ObservedMessage, ...]:
        new = Message.objects.filter(conversation=self.conversation, seq__gt=self._message)
        return _observed_messages(new.filter(role=Message.Role.ASSISTANT))

    def _stack_slots(self) -> dict[str, Any]:
        """Every filled slot of the stack as `flow.slot`, of the topmost frame of a flow."""
        slots: dict[str, Any] = {}
        for entry in self.conversation.stack:
            slots |= {f"{entry['flow']}.{name}": slot["value"] for name, slot in entry["slots"].items()}
        return slots


async def conversation_slots(conversation: Conversation) -> dict[str, Any]:
    """The values of the slots that last for the whole conversation, from its checkpoint."""
    checkpoint_tuple = await DjangoSaver().aget_tuple({"configurable": {"thread_id": str(conversation.pk)}})
    values = checkpoint_tuple.checkpoint["channel_values"] if checkpoint_tuple else {}
    slots = values.get("memory", {}).get("slots", {})
    return {name: stored["value"] for name, stored in slots.items()}


def _observed_messages(rows: Any) -> tuple[ObservedMessage, ...]:
    return tuple(
        ObservedMessage(row.key, row.text, tuple(row.buttons), tuple(row.parts)) for row in rows.order_by("seq")
    )
