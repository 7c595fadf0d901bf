"""Titles and one example for each part of the flow language, for the page that explains it."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

TITLES: dict[str, str | Promise] = {
    "Assistant": gettext_lazy("The assistant"),
    "Flow": gettext_lazy("A flow"),
    "Slot": gettext_lazy("A slot"),
    "Say": gettext_lazy("Say something"),
    "Collect": gettext_lazy("Ask for a value"),
    "Confirm": gettext_lazy("Ask yes or no"),
    "Action": gettext_lazy("Run an action"),
    "Assign": gettext_lazy("Set values"),
    "Branch": gettext_lazy("Choose a way"),
    "While": gettext_lazy("Repeat while a condition holds"),
    "ForEach": gettext_lazy("Repeat for each entry of a list"),
    "Call": gettext_lazy("Run another flow and return"),
    "Link": gettext_lazy("Go on with another flow"),
    "Human": gettext_lazy("Ask staff for a decision"),
    "Handoff": gettext_lazy("Hand the chat to a person"),
    "WaitStep": gettext_lazy("Wait"),
    "ActionContract": gettext_lazy("What an action takes and returns"),
    "Answer": gettext_lazy("An answer of a confirmation"),
    "Case": gettext_lazy("A case of a branch"),
    "Channel": gettext_lazy("A mail that asks for a decision"),
    "EntryButtons": gettext_lazy("Buttons for the entries of a list"),
    "Escalation": gettext_lazy("Another role after some time"),
    "EventContract": gettext_lazy("An event from another program"),
    "FlowSettings": gettext_lazy("Settings of a flow"),
    "HumanAction": gettext_lazy("An answer that staff may give"),
    "Knowledge": gettext_lazy("An answer to a frequent question"),
    "MessageImage": gettext_lazy("An image below a message"),
    "MessageLink": gettext_lazy("A link below a message"),
    "MessageTable": gettext_lazy("A table below a message"),
    "OptOut": gettext_lazy("Refusing to be written to"),
    "Option": gettext_lazy("An option of a choice"),
    "OptionsFrom": gettext_lazy("Options from data"),
    "QuietHours": gettext_lazy("Quiet hours"),
    "Record": gettext_lazy("A record with fields"),
    "Reminder": gettext_lazy("A reminder"),
    "Retry": gettext_lazy("Trying an action again"),
    "Settings": gettext_lazy("Settings of the assistant"),
    "SteeringPhrases": gettext_lazy("Phrases for yes, no, cancel and the like"),
    "TableColumn": gettext_lazy("A column of a table"),
}
"""What a chapter is called, by the name of its model; a part that is not here keeps its name."""

PARTS: tuple[tuple[str | Promise, tuple[str, ...]], ...] = (
    (gettext_lazy("Documents"), ("Assistant", "Flow")),
    (gettext_lazy("Data"), ("Slot", "Option", "OptionsFrom", "Record")),
    (
        gettext_lazy("Parts of steps"),
        ("Case", "Answer", "HumanAction", "Escalation", "Channel", "Reminder", "EntryButtons"),
    ),
    (gettext_lazy("Below a message"), ("MessageImage", "MessageLink", "MessageTable", "TableColumn")),
    (gettext_lazy("Actions and other programs"), ("ActionContract", "Retry", "EventContract")),
    (
        gettext_lazy("Settings and answers"),
        ("Settings", "FlowSettings", "Knowledge", "SteeringPhrases", "QuietHours", "OptOut"),
    ),
)
"""Chapters that are no steps, under what they are about; the page shows the steps after the first group."""

EXAMPLES = {
    "Assistant": "version: 1\nassistant: bank\ntitle: Harbour Bank\ndescription: Transfers and cards.\nlanguage: en\n",
    "Flow": (
        "flow: greet\ntitle: say hello\ndescription: Greets the customer by name.\nexamples: [hello, good morning]\n"
        'slots:\n  name: {type: text, prompt: "What is your name?"}\nsteps:\n'
        "  - {step: ask_name, type: collect, slot: name}\n"
        '  - {step: hello, type: say, message: "Hello {name}."}\n'
    ),
    "Slot": "type: money\nminimum: 1\ntitle: amount\nprompt: How much should I send?\n",
    "Say": "step: done\ntype: say\nmessage: The card is blocked.\n",
    "Collect": "step: ask_amount\ntype: collect\nslot: amount\n",
    "Confirm": "step: check\ntype: confirm\nmessage: Send {amount} to {payee}?\n",
    "Action": "step: send\ntype: action\ncall: send_money\ninputs: {amount: amount}\noutputs: {reference: reference}\n",
    "Assign": 'step: reset\ntype: set\nslots: {total: "=price * seats", note: ~}\n',
    "Branch": ('step: over_limit\ntype: branch\ncases:\n  - {when: "amount > 5000", next: approval}\nelse: send\n'),
    "While": (
        "step: each_guest\ntype: while\ncondition: guests > 0\ndo:\n  - {step: ask_guest, type: collect, slot: guest}\n"
    ),
    "ForEach": (
        "step: each_item\ntype: for_each\nitem: swap\nin: items\ndo:\n"
        "  - {step: ask, type: collect, slot: replacement}\n"
    ),
    "Call": "step: sign_in\ntype: call\nflow: identify\n",
    "Link": "step: block\ntype: link\nflow: block_card\n",
    "Human": (
        "step: approval\ntype: human\ntitle: Approve transfer\nshow: [amount, payee]\n"
        "actions: [{id: approve, style: primary}, {id: reject, reason: required}]\n"
        "timeout: 30m\non_timeout: reject\nnext: {approve: send, reject: refused}\n"
    ),
    "Handoff": "step: person\ntype: handoff\nmessage: I am passing you to a colleague.\n",
    "WaitStep": "step: tomorrow\ntype: wait\nfor: 1d\n",
    "ActionContract": "inputs: {amount: money}\noutputs: {reference: text}\nidempotent: false\ntimeout: 20s\n",
    "Case": "when: amount > 5000\nnext: approval\n",
    "Knowledge": 'questions: ["When do you open?"]\nanswer: We open at nine.\n',
    "Retry": "attempts: 3\ndelay: 2s\n",
    "Escalation": "after: 2h\nrole: supervisors\n",
    "Reminder": "after: 1h\nmessage: Are you still there?\n",
    "MessageLink": "label: Terms\nurl: https://example.org/terms\n",
    "Option": "value: standard\nlabel: Standard delivery\nsynonyms: [normal]\n",
}
"""A part as an author writes it, by the name of its model. A test reads each with the language's own models."""
