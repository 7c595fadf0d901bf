"""What the demo bank does in the world. A repeated call with the same key does no harm."""

from typing import Any

from dialogue.engine.actions import registry
from dialogue.library.demo.payments import TRANSFER, account_balance, record_payment
from dialogue.models import DemoPayee
from dialogue.turns.process.database import in_thread

Values = dict[str, Any]


@registry.action("check_payee")
async def check_payee(inputs: Values, *, key: str, conversation: str) -> Values:
    iban = inputs["iban"].replace(" ", "").upper()
    return {"known": await in_thread(is_known_payee)(inputs["beneficiary"], iban), "valid": is_valid_iban(iban)}


@registry.action("send_money")
async def send_money(inputs: Values, *, key: str, conversation: str) -> Values:
    payment = await in_thread(record_payment)(key, TRANSFER, inputs["amount"], inputs["beneficiary"])
    return {"reference": f"TR-{payment.pk}"}


@registry.action("read_balance")
async def read_balance(inputs: Values, *, key: str, conversation: str) -> Values:
    return {"balance": await in_thread(account_balance)()}


@registry.action("block_card")
async def block_card(inputs: Values, *, key: str, conversation: str) -> Values:
    return {"blocked": True}


def is_known_payee(beneficiary: str, iban: str) -> bool:
    return DemoPayee.objects.filter(name__iexact=beneficiary.strip(), iban=iban).exists()


def is_valid_iban(iban: str) -> bool:
    """The ISO 13616 check: letters as numbers from 10, the first four characters at the end, remainder 1 by 97."""
    if not (iban.isascii() and iban.isalnum()):
        return False
    rearranged = iban[4:] + iban[:4]
    return int("".join(str(int(character, 36)) for character in rearranged) or "0") % 97 == 1
