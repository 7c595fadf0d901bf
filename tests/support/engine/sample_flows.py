"""Small flows that the engine's tests talk to."""

from typing import Any

TRIP = """
flow: trip
title: book a trip
description: Book a trip.
slots:
  city: {type: text, prompt: Where to?}
  nights: {type: integer, minimum: 1, maximum: 30, prompt: How many nights?}
  class: {type: choice, options: [economy, business], prompt: Which class?}
  lounge: {type: boolean, prompt: Lounge access?}
  seat: {type: text, prompt: Which seat?}
  note: {type: text, required: false, prompt: Anything else?}
  price: {type: money, required: false}
  ticket: {type: text, required: false}
steps:
  - {step: ask_city, type: collect, slot: city}
  - {step: ask_nights, type: collect, slot: nights}
  - {step: ask_class, type: collect, slot: class}
  - step: comfort
    type: branch
    cases: [{when: "class == 'business'", next: ask_lounge}]
    else: ask_seat
  - {step: ask_lounge, type: collect, slot: lounge, next: ask_note}
  - {step: ask_seat, type: collect, slot: seat}
  - {step: ask_note, type: collect, slot: note}
  - {step: quote, type: action, call: quote, outputs: {price: price}, on_error: sorry}
  - {step: check, type: confirm, message: "{city}, {nights} nights, {class}: {price}. Book it?"}
  - {step: book, type: action, call: book, outputs: {ticket: ticket}, on_error: sorry}
  - {step: done, type: say, message: "Booked: {ticket}.", next: end}
  - {step: sorry, type: say, message: That did not work.}
"""

PING = """
flow: ping
title: ping
description: Answers at once.
steps:
  - {step: pong, type: say, message: Pong.}
"""

NAME = """
flow: name
title: tell your name
description: Asks for a name.
slots:
  name: {type: text, prompt: What is your name?}
steps:
  - {step: ask_name, type: collect, slot: name}
  - {step: hello, type: say, message: "Hello {name}."}
"""

REFUND = """
flow: refund
title: get a refund
description: Asks staff for a refund.
slots:
  amount: {type: money, prompt: How much?}
  reason: {type: text, prompt: Why?}
steps:
  - {step: ask_amount, type: collect, slot: amount}
  - {step: ask_reason, type: collect, slot: reason}
  - step: approval
    type: human
    title: Approve the refund
    message: "A colleague looks at your refund of {amount}."
    show: [amount, reason]
    bind: [amount]
    form:
      limit: {type: integer, required: false}
    actions:
      - {id: approve, label: Approve, style: primary}
      - {id: reject, label: Reject, reason: required}
    timeout: 30m
    on_timeout: reject
    next: {approve: pay, reject: refused}
  - {step: pay, type: action, call: pay, inputs: {amount: amount}, on_error: refused}
  - {step: paid, type: say, message: "Paid, {approval.action}, limit {approval.limit}.", next: end}
  - {step: refused, type: say, message: Not paid.}
"""

ACTIONS = """
actions:
  quote:
    inputs: {city: text, nights: integer}
    outputs: {price: money}
    idempotent: true
  book:
    inputs: {city: text, nights: integer, seat: optional text}
    outputs: {ticket: text}
  pay:
    inputs: {amount: money}
    outputs: {}
"""

STUBS: dict[str, list[dict[str, Any]]] = {
    "quote": [{"when": {"city": "Rome"}, "returns": {"price": 120}}, {"returns": {"price": 80}}],
    "book": [{"returns": {"ticket": "T-1"}}],
    "pay": [{"returns": {}}],
}
