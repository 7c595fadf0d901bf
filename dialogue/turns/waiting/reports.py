"""Events that other programs report to a conversation: checked against the assistant, then accepted like a message."""

import json
from typing import Any

from dialogue.engine.slots.payloads import Payload, read_payload
from dialogue.engine.source.problems import did_you_mean
from dialogue.models import Conversation, Event, Release
from dialogue.turns import clock
from dialogue.turns.accept import Accepted, Incoming, accept, storable_value
from dialogue.turns.compiled_releases import assistant_of

MAX_PAYLOAD_BYTES = 16 * 1024
"""The size of a payload as JSON."""


class UnknownEvent(LookupError):
    """The assistant declares no event of this name; the text is advice."""


class PayloadRefused(ValueError):
    """The payload does not fit the event; `payload.wrong` says where. Also one that is larger than the limit."""

    def __init__(self, payload: Payload) -> None:
        super().__init__(", ".join(wrong_field.name for wrong_field in payload.wrong))
        self.payload = payload


class PayloadTooLarge(ValueError):
    """The payload is larger than `MAX_PAYLOAD_BYTES`."""


def report_event(
    conversation: Conversation, name: str, payload: dict[str, Any], client_id: str, claim_for: str = ""
) -> Accepted:
    """Accept an event from outside, once for each `client_id`.

    Whether a flow waits for it is seen in its turn: the turn's record says so under `signal`.

    Raises UnknownEvent, PayloadRefused, PayloadTooLarge, and what `accept` raises.
    """
    incoming = Incoming(Event.Kind.SIGNAL, client_id, {"event": name, "payload": storable_value(payload)})
    # A repeated report gets the first answer, also when a new release no longer knows the event.
    if not Event.objects.filter(conversation=conversation, client_id=client_id).exists():
        _check_report(conversation, name, payload)
    return accept(conversation.pk, incoming, claim_for)


def _check_report(conversation: Conversation, name: str, payload: dict[str, Any]) -> None:
    if len(json.dumps(payload, ensure_ascii=False).encode(errors="surrogatepass")) > MAX_PAYLOAD_BYTES:
        raise PayloadTooLarge(name)
    assistant = assistant_of(next_release(conversation))
    contract = assistant.events.get(name)
    if contract is None:
        raise UnknownEvent(did_you_mean(name, assistant.events))
    language = conversation.language or assistant.language
    checked = read_payload(contract.payload, payload, now=clock.now(), timezone=assistant.timezone, language=language)
    if checked.wrong:
        raise PayloadRefused(checked)


def next_release(conversation: Conversation) -> Release:
    """Return the release that the conversation's next turn uses."""
    active = None if conversation.keeps_release else conversation.assistant.active_release
    return active or conversation.release
