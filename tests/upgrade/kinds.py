"""What waits in a recording: what was done before the server ended, and what is done when another one serves it."""

from dataclasses import dataclass

from tests.upgrade.house import Step

HALL = "book the blue hall for 80 guests"
GATE: tuple[Step, ...] = (["say", HALL], ["say", "yes"])
CONFIRM: tuple[Step, ...] = (["say", "book the blue hall for 20 guests"],)
ASKED: tuple[Step, ...] = (["say", "I want to book a hall"],)
MENU = "what is on the menu today?"
DOUBT: tuple[Step, ...] = (["say", "order a poppy cake"], ["say", "0123456789"], ["say", "yes"])


@dataclass(frozen=True, eq=False)
class Kind:
    """A conversation that waits. `killed`: what is under way when the server is killed, without waiting for it;
    `console`: it is a test of an author's; `release`: the one that it begins with."""

    what: str
    before: tuple[Step, ...]
    then: tuple[Step, ...]
    killed: tuple[Step, ...] = ()
    console: bool = False
    release: int = 1


KINDS = (
    Kind("a slot is asked for", ASKED, (["say", "garden"], ["say_again", "garden"], ["say", "20"], ["say", "yes"])),
    Kind("a slot is asked for after a refused answer", (*ASKED, ["say", "garden"], ["say", "900"]), (["say", "30"],)),
    Kind("a confirmation is asked for", CONFIRM, (["say", "yes"], ["say_again", "yes"])),
    Kind("a confirmation is denied", CONFIRM, (["say", "no"], ["say", "cancel"])),
    Kind("a confirmed value is corrected", CONFIRM, (["say", "for 30 guests"], ["say", "yes"])),
    Kind("a gate is approved", GATE, (
        ["submit", "olga", "approve", {"discount": 10}],
        ["submit_again", "olga", "approve", {"discount": 10}],
        ["submit_late", "oscar", "approve"],
    )),
    Kind("a gate is rejected", GATE, (
        ["submit", "oscar", "reject"],
        ["submit", "oscar", "reject", {}, "Too loud."],
        ["submit_late", "olga", "approve"],
    )),
    Kind("a gate is left to expire", GATE, (
        ["expire", "sofia", "Nobody is here."],
        ["submit_late", "olga", "approve"],
    )),
    Kind("a gate's time was over while no server ran", (["say", "I want to light a fire"],), (
        ["wait"], ["submit_late", "olga", "allow"],
    )),
    Kind("a claimed gate has a draft", (
        *GATE,
        ["claim", "olga"],
        ["keep_draft", "olga", {"discount": 5, "remark": "A good customer"}, "approve"],
    ), (
        ["read_holder", "sofia"],
        ["read_draft", "olga"],
        ["submit_late", "oscar", "approve"],
        ["submit", "olga", "approve", {"discount": 5}],
    )),
    Kind("a gate was escalated", (["say", "I want to borrow a projector"], ["wait_until_escalated"]), (
        ["submit_late", "sofia", "lend"],
        ["claim", "sofia"],
        ["submit", "sofia", "lend"],
    )),
    Kind("a gate has a link that was mailed", (["say", "I want to hire a band"], ["find_link"]), (
        ["answer_link", "allow"],
        ["answer_link", "allow"],
        ["submit_late", "olga", "forbid"],
    )),
    Kind("a gate with a link is answered by staff", (["say", "I want to hire a band"], ["find_link"]), (
        ["submit", "olga", "forbid", {}, "The neighbours sleep."],
        ["answer_link", "allow"],
    )),
    Kind("one of two people has agreed", (["say", "I want to close the road"], ["submit", "olga", "allow"]), (
        ["submit_again", "olga", "allow"],
        ["submit_late", "olga", "allow"],
        ["submit", "oscar", "allow"],
    )),
    Kind("a form waits", (["say", "order a menu with trout"],), (
        ["submit", "olga", "offer", {"price": "cheap"}],
        ["submit", "olga", "offer", {"price": 24.5, "vegetarian": False, "ready": "2027-05-01"}],
        ["say", "yes"],
    )),
    Kind("a form is declined", (["say", "order a menu with trout"],), (
        ["submit", "olga", "decline", {"vegetarian": False, "price": 10}, "There is no trout."],
    )),
    Kind("a form was filled in and its values are asked about", (
        ["say", "order a menu with soup"],
        ["submit", "olga", "offer", {"price": 12, "vegetarian": True}],
    ), (["say", "yes"],)),
    Kind("a flow has handed the chat over", (["say", "I want to complain"], ["say", "The soup was cold"]), (
        ["tell", "olga", "I am sorry to hear that."],
        ["say", "It was very cold"],
        ["hand_back", "olga"],
        ["say", "yes"],
    )),
    Kind("a person has the chat and has written", (
        ["say", "I want to complain"],
        ["say", "The soup was cold"],
        ["tell", "oscar", "Which soup?"],
        ["say", "The fish soup"],
    ), (["read_holder", "sofia"], ["hand_back", "oscar"], ["say", "no"])),
    Kind("a person was asked for in the middle of a flow", (*ASKED, ["say", "I want to talk to a person"]), (
        ["hand_back", "olga"], ["say", "garden"],
    )),
    Kind("one flow is put aside for another", (*ASKED, ["say", MENU]), (["say", "vegan"], ["say", "blue"])),
    Kind("two flows are put aside for a third", (*ASKED, ["say", "order a lemon cake"], ["say", MENU]), (
        ["say", "vegan"], ["say", "0123456789"], ["say", "yes"], ["say", "blue"],
    )),
    Kind("a gate waits behind another flow", (*GATE, ["say", MENU]), (
        ["submit", "olga", "approve"], ["say", "vegan"],
    )),
    Kind("a called flow asks", (["say", "order a lemon cake"],), (["say", "0123456789"], ["say", "yes"])),
    Kind("a question was answered in the middle of a flow", (*ASKED, ["say", "Where can I park?"]), (
        ["say", "garden"],
    )),
    Kind("a restart is offered", (*ASKED, ["say", "start over"]), (["say", "yes"], ["say", "order a lemon cake"])),
    Kind("it is asked how far a gate is", GATE, (["say", "what is the status?"], ["submit", "olga", "approve"])),
    Kind("a value that a gate shows is changed", GATE, (
        ["say", "for 90 guests"], ["say", "yes"], ["say", "yes"],
    )),
    Kind("a flow is cancelled while its gate waits", GATE, (["say", "cancel"], ["submit_late", "olga", "approve"])),
    Kind("nothing is known of an action", DOUBT, (
        ["submit", "olga", "happened", {"order": "C-7"}], ["submit_again", "olga", "happened", {"order": "C-7"}],
    )),
    Kind("nothing is known of an action, which did not happen", DOUBT, (["submit", "olga", "did_not_happen"],)),
    Kind("nothing is open", (*CONFIRM, ["say", "yes"]), (*CONFIRM, ["say", "yes"])),
    Kind("a conversation of the second release", CONFIRM, (["say", "yes"],), release=2),
    Kind("a test waits for a confirmation", (["try_line", CONFIRM[0][1]],), (["try_line", "yes"],), console=True),
    Kind("a test waits at a gate", (["try_line", HALL], ["try_line", "yes"]), (["try_gate", "approve"],), console=True),
    Kind("a message waits behind a turn that was under way", (["say", "Where can I park?"], ["say", MENU]), (
        ["wait"], ["say", "yes"],
    ), killed=(["send", "vegan"], ["send", "book the garden hall for 20 guests"])),
    Kind("the server ended while an action ran", (["say", "order an apple cake"], ["say", "0123456789"]), (
        ["wait"], ["submit", "olga", "happened", {"order": "C-8"}],
    ), killed=(["send", "yes"],)),
    Kind("a decision was taken and not heard", (*GATE, ["say", MENU]), (
        ["wait"], ["submit_late", "oscar", "reject"],
    ), killed=(["send", "vegan"], ["decide", "olga", "approve"])),
)  # fmt: skip
