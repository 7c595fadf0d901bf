"""The shop that is killed all day: orders with actions, approvals and mails, notes that only the clock answers,
calls that wait for a time and for an event, and bills that come as files, with a list of
goods that changes, which staff answer with a receipt."""

SHOP = {
    "assistant.yaml": """version: 1
assistant: shop
title: Shop
actions:
  reserve: {inputs: {item: text}, outputs: {place: text}, idempotent: true, timeout: 5s}
  pack: {inputs: {part: text}, outputs: {}, idempotent: true, timeout: 5s}
  charge: {inputs: {item: text}, outputs: {reference: text}, idempotent: false, timeout: 5s}
events:
  posted: {payload: {digits: text}}
""",
    "order.yaml": """flow: order
title: order something
description: Orders something from the shop.
examples: [order something, I want to order something]
slots:
  item: {type: text, prompt: What shall it be?}
  place: {type: text, required: false}
  reference: {type: text, required: false}
  parts: {type: list, items: {type: text}, default: [box, label]}
  packed: {type: list, items: {type: text}, required: false}
steps:
  - {step: ask, type: collect, slot: item}
  - {step: looking, type: say, message: "I am looking for {item}."}
  - step: reserve
    type: action
    call: reserve
    outputs: {place: place}
    retry: {attempts: 5, delay: 1s, backoff: 1}
    on_error: sorry
  - {step: confirm, type: confirm, message: "Order {item}?"}
  - step: approval
    type: human
    title: Approve order
    show: [item]
    actions:
      - {id: approve, label: Approve, style: primary}
      - {id: reject, label: Reject}
    channels: [daniel@shop.example]
    timeout: 10m
    on_timeout: reject
    next: {approve: packing, reject: refused}
  - step: packing
    type: for_each
    item: part
    in: parts
    gather: {packed: part}
    do:
      - step: pack
        type: action
        call: pack
        inputs: {part: part}
        retry: {attempts: 5, delay: 1s, backoff: 1}
        on_error: sorry
  - {step: charging, type: say, message: I am charging you.}
  - {step: charge, type: action, call: charge, outputs: {reference: reference}, on_error: sorry}
  - {step: done, type: say, message: "Done, {reference}.", next: end}
  - {step: refused, type: say, message: Not this time., next: end}
  - {step: sorry, type: say, message: The shop is closed.}
""",
    "call.yaml": """flow: call
title: be called back
description: The shop calls back, and sends something afterwards.
examples: [call me back, I want to be called back]
slots:
  digits: {type: text, prompt: Which number?}
steps:
  - {step: ask, type: collect, slot: digits, reminder: {after: 1s}}
  - {step: later, type: wait, for: 2s, message: In a moment.}
  - {step: called, type: say, message: We have called you.}
  - {step: parcel, type: wait, event: posted, match: {digits: digits}, timeout: 3s, on_timeout: late}
  - {step: posted, type: say, message: It is on its way., next: end}
  - {step: late, type: say, message: Nothing was sent.}
""",
    "claim.yaml": """flow: claim
title: hand in a bill
description: Takes a bill, and the goods on it.
examples: [hand in a bill, I want to hand in a bill]
slots:
  bill: {type: file, kinds: [text], prompt: Please send the bill.}
  goods: {type: list, prompt: What did you buy?, items: {type: choice, options: [cheese, honey, jam, tea]}}
steps:
  - {step: ask_bill, type: collect, slot: bill}
  - {step: ask_goods, type: collect, slot: goods}
  - {step: sure, type: confirm, message: "{goods} on {bill.name}?"}
  - step: check
    type: human
    title: Check a bill
    show: [bill, goods]
    form: {receipt: {type: file, kinds: [text]}}
    actions:
      - {id: accept, label: Accept, style: primary}
      - {id: refuse, label: Refuse}
    timeout: 10m
    on_timeout: refuse
    next: {accept: filed, refuse: refused}
  - {step: filed, type: say, message: "{bill.name} is filed for {goods}, {check.receipt}.", next: end}
  - {step: refused, type: say, message: Not this one.}
""",
    "note.yaml": """flow: note
title: leave a note
description: Leaves a note for the shop's people.
examples: [leave a note, I want to leave a note]
slots:
  words: {type: text, prompt: What shall I note?}
steps:
  - {step: ask, type: collect, slot: words}
  - step: look
    type: human
    title: A note
    show: [words]
    actions:
      - {id: seen, label: Seen}
    timeout: 1s
    on_timeout: nobody
  - {step: thanks, type: say, message: Thank you., next: end}
  - {step: nobody, type: say, message: Nobody had time.}
""",
}

ORDER = (("order something", "ask:item"), ("lamp {number}", "confirm:order"), ("yes", "waiting:approval"))
PARTS = 2
"""How many parts of an order are packed, each in a round of a loop."""
NOTE = (("leave a note", "ask:words"), ("call me {number}", "waiting:look"))
CALL = (("call me back", "ask:digits"), ("{number}", "waiting:later"))
FILE = "bill-{number}.txt"
CLAIM = (
    ("hand in a bill", "ask:bill"), (FILE, "ask:goods"), ("cheese and honey", "confirm:claim"),
    ("also the jam", "confirm:claim"), ("leave out the honey", "confirm:claim"), ("yes", "waiting:check"),
)  # fmt: skip
FILED = "{name} is filed for cheese and jam, {receipt}."
"""What a customer says, or sends as a file, and the key of the answer that lets the next line follow."""

IN_ORDER = (
    "ask:item", "say:looking", "confirm:order", "waiting:approval", "say:charging", "say:done", "ask:words",
    "reminder:digits", "waiting:later", "say:called", "say:posted", "say:late",
    "ask:bill", "ask:goods", "waiting:check", "say:filed",
)  # fmt: skip
"""What the assistant says at most once, in this order; some lines of it are read while the action after them runs."""

ENDS = frozenset(
    {
        "say:done",
        "say:refused",
        "say:sorry",
        "say:thanks",
        "say:nobody",
        "say:posted",
        "say:late",
        "say:filed",
        "action_failed",
    }
)
