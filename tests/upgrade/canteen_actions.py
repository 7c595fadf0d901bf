"""What the canteen does in the world: each effect is one line in a journal outside of the database.

A file beside the journal makes `read_menu` and `order_cake` slow, so that a server can be killed while they run.
"""

import os
import time
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from dialogue.engine.actions import registry

JOURNAL = Path(os.environ.get("CANTEEN_JOURNAL", "journal"))
SLOW = JOURNAL.with_name("slow")
LONGEST_SECONDS = 120

Inputs = Mapping[str, Any]


@registry.action("book_hall")
def book_hall(inputs: Inputs, *, key: str, conversation: str) -> dict[str, Any]:
    _note("book_hall", conversation)
    return {"booking": _number(inputs["hall"], inputs["guests"])}


@registry.action("order_cake")
def order_cake(inputs: Inputs, *, key: str, conversation: str) -> dict[str, Any]:
    """The line to the baker breaks when a poppy cake is ordered, so that nobody knows whether it was."""
    _note("order_cake", conversation)
    if inputs["cake"] == "poppy":
        raise ConnectionResetError("the line broke")
    if inputs["cake"] == "apple":
        _dawdle()
    return {"order": _number(inputs["cake"])}


@registry.action("read_menu")
def read_menu(inputs: Inputs, *, key: str, conversation: str) -> dict[str, Any]:
    _note("read_menu", conversation)
    _dawdle()
    return {"menu": "soup and bread"}


@registry.action("send_menu")
def send_menu(inputs: Inputs, *, key: str, conversation: str) -> dict[str, Any]:
    _note("send_menu", conversation)
    return {"order": _number(inputs["dish"], inputs["price"])}


def _note(effect: str, conversation: str) -> None:
    with JOURNAL.open("a") as journal:
        journal.write(f"{conversation} {effect}\n")


def _number(*inputs: object) -> str:
    """The same for the same inputs, in every order in which conversations go on."""
    return sha256(" ".join(map(str, inputs)).encode()).hexdigest()[:6]


def _dawdle() -> None:
    until = time.monotonic() + LONGEST_SECONDS
    while SLOW.exists() and time.monotonic() < until:
        time.sleep(0.1)
