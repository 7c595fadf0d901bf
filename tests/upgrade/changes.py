"""Where this code answers otherwise than the version that was recorded, on purpose: what it gives now, and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.upgrade.outcome import Outcome


@dataclass(frozen=True)
class Change:
    """What differs: texts and keys of lines, the new by the old; further lines as key and text; other fields as now."""

    why: str
    texts: Mapping[str, str] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)
    more: Sequence[Sequence[str]] = ()
    now: Mapping[str, Any] = field(default_factory=dict)

    def applied(self, recorded: Outcome) -> Outcome:
        """The outcome that is right now."""
        keys = [self.keys.get(key, key) for key in recorded.keys]
        texts = [self.texts.get(text, text) for text in recorded.texts or ()]
        keys += [key for key, _text in self.more]
        texts += [text for _key, text in self.more]
        return Outcome(**{**vars(recorded), "keys": keys, "texts": texts, **self.now})


HELP = (
    "I can help you with this: book a hall, borrow a projector, close the road, complain, leave a telephone number, "
    "hire a band, light a fire, order a cake, order a menu, today's menu."
)
REASON_SAID = "A flow's text can hold the reason of a decision, which was left out before."

CHANGES: Mapping[tuple[str, str], Change] = {
    ("4ad7e57", "a gate is rejected"): Change(
        REASON_SAID, {"Blue for 80 guests was refused. ": "Blue for 80 guests was refused. Too loud."}
    ),
    ("4ad7e57", "a gate is left to expire"): Change(
        REASON_SAID, {"Blue for 80 guests was refused. ": "Blue for 80 guests was refused. Nobody is here."}
    ),
    ("4ad7e57", "a form is declined"): Change(
        REASON_SAID, {"The cook cannot make trout: ": "The cook cannot make trout: There is no trout."}
    ),
    ("4ad7e57", "it is asked how far a gate is"): Change(
        "The status names what is decided about in quotation marks.",
        {
            "A colleague is still looking at this: book a hall. You will hear from me as soon as it is decided.": (
                "A colleague is still deciding about “book a hall”. You will hear from me as soon as it is decided."
            )
        },
    ),
    ("4ad7e57", "a value that a gate shows is changed"): Change(
        "What is not understood while a gate waits is answered with how far the gate is.",
        {
            f"I am sorry, I did not understand that. {HELP}": (
                "I am not sure what you mean. A colleague is still deciding about “book a hall”. You will hear from me "
                "as soon as it is decided. If something is to change, tell me what and to what."
            )
        },
        {"cannot_handle": "waiting:approval"},
    ),
    ("4ad7e57", "a restart is offered"): Change(
        "A restart goes on with the same conversation, which ended before and took no further message.",
        {
            "This conversation is closed. Just write when you need me again.": (
                f"All right, we start from the beginning. {HELP}"
            )
        },
        {"session_ended": "restarted"},
        [["ask:phone", "Which number may we call?"]],
        {
            "answers": [200, 200],
            "left": {
                "state": "waiting",
                "stack": [
                    {
                        "flow": "order_cake",
                        "step": "contact",
                        "awaiting": "order_cake",
                        "status": "calling",
                        "slots": {"cake": "lemon"},
                    },
                    {
                        "flow": "give_contact",
                        "step": "ask_phone",
                        "awaiting": "give_contact?phone",
                        "status": "active",
                        "slots": {},
                    },
                ],
                "pending": [["collect", "user"]],
            },
        },
    ),
}
"""The changes, by version and conversation."""
