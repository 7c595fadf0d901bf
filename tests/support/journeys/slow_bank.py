"""The bank's actions with an outside ledger and a pause, so that a test can end the process in the middle of one."""

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dialogue.engine.actions import registry

_effects = Path(os.environ.get("SLOW_BANK_LEDGER", "effects"))


def _effect(name: str, key: str, *facts: object) -> None:
    """One line per effect in the outside world, on the disk before the action goes on."""
    with _effects.open("a") as ledger:
        ledger.write(f"{' '.join([name, key, *map(str, facts)])}\n")
        ledger.flush()
        os.fsync(ledger.fileno())


@registry.action("check_payee")
def check_payee(inputs: Mapping[str, Any], *, key: str, conversation: str) -> dict[str, Any]:
    _effect("check_payee", key)
    time.sleep(float(os.environ.get("SLOW_BANK_SECONDS", "0")))
    return {"known": False, "valid": True}


@registry.action("send_money")
def send_money(inputs: Mapping[str, Any], *, key: str, conversation: str) -> dict[str, Any]:
    _effect("send_money", key, inputs["amount"])
    return {"reference": "TR-1"}


@registry.action("read_balance")
def read_balance(inputs: Mapping[str, Any], *, key: str, conversation: str) -> dict[str, Any]:
    return {"balance": "100.00"}


@registry.action("block_card")
def block_card(inputs: Mapping[str, Any], *, key: str, conversation: str) -> dict[str, Any]:
    return {"blocked": True}
