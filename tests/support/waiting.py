"""An assistant that waits for a parcel and asks with a reminder, and its conversations."""

from dialogue.models import Conversation
from dialogue.turns.process.database import in_thread
from dialogue.turns.waiting.reports import report_event
from dialogue.turns.worker import drain
from tests.support.turns import begun, say

WAITING = {
    "assistant.yaml": """version: 1
assistant: parcels
title: Parcels
language: en
settings:
  quiet_hours: {from: "21:00", to: "08:00"}
  opt_out: {words: [stop], back: [start]}
events:
  parcel_received:
    payload: {parcel: text, weight: optional integer, code: {type: text, required: false, sensitive: true}}
  order_sent:
    payload: {order: text}
    start: feedback
""",
    "send_back.yaml": """flow: send_back
title: send back
description: Send a parcel back.
examples: [send a parcel back]
slots:
  parcel: {type: text, prompt: Which parcel?}
  weight: {type: integer, required: false}
steps:
  - {step: ask, type: collect, slot: parcel}
  - step: arrival
    type: wait
    event: parcel_received
    match: {parcel: parcel}
    outputs: {weight: weight}
    message: I wait for {parcel}.
    timeout: 5d
    on_timeout: late
  - {step: thanks, type: say, message: It is here., next: end}
  - {step: late, type: say, message: It has not arrived.}
""",
    "feedback.yaml": """flow: feedback
title: feedback
description: Ask how it was.
start: false
slots:
  order: {type: text, required: false}
  stars: {type: integer, minimum: 1, maximum: 5, prompt: How many stars?}
steps:
  - {step: hello, type: say, message: "Your order {order} has arrived."}
  - {step: ask, type: collect, slot: stars}
  - {step: thanks, type: say, message: Thanks.}
""",
    "order_paper.yaml": """flow: order_paper
title: order paper
description: Order paper.
examples: [order paper]
slots:
  sheets: {type: integer, prompt: How many sheets?}
steps:
  - step: ask
    type: collect
    slot: sheets
    reminder: {after: 1h, message: Do you still want paper?}
    timeout: 1d
    on_timeout: stop
  - {step: pause, type: wait, for: 2d}
  - {step: ordered, type: say, message: Ordered., next: end}
  - {step: stop, type: say, message: Then not.}
""",
}


async def waiting_for_parcel(parcel: str = "P1") -> Conversation:
    """A conversation that waits for this parcel."""
    conversation = await begun(WAITING)
    await say(conversation, "send a parcel back")
    await say(conversation, parcel)
    return conversation


async def asked_for_sheets() -> Conversation:
    """A conversation that asks a question with a reminder and a time limit."""
    conversation = await begun(WAITING)
    await say(conversation, "order paper")
    return conversation


async def report(conversation: Conversation, client_id: str = "r1", **payload: object) -> None:
    """Report that the parcel has come, and run the turn."""
    await conversation.arefresh_from_db()
    await in_thread(_report_to)(conversation, client_id, payload)
    await drain(conversation.pk)
    await conversation.arefresh_from_db()


def _report_to(conversation: Conversation, client_id: str, payload: dict[str, object]) -> None:
    row = Conversation.objects.select_related("assistant", "release").get(pk=conversation.pk)
    report_event(row, "parcel_received", payload, client_id)
