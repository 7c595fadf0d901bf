"""What the demo assistants do in the world: small rows instead of a bank and a library.

Each writes at most once for a key, so that a repeated call does no harm.
"""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Sum

from dialogue.engine.actions import registry
from dialogue.models import DemoBook, DemoHold, DemoLoan, DemoPayee, DemoPayment
from dialogue.turns.database import in_thread

START_BALANCE = Decimal("31568.40")
"""What was on the demo account before anybody sent money from it, in euros."""

EXTENSION = timedelta(weeks=3)
TRANSFER, FINE = "transfer", "fine"

Values = dict[str, Any]


class LoanNotFound(Exception):
    """The library has no loan of that number."""


@registry.action("check_payee")
async def check_payee(inputs: Values, *, key: str, conversation: str) -> Values:
    iban = inputs["iban"].replace(" ", "").upper()
    return {"known": await in_thread(is_known)(inputs["beneficiary"], iban), "valid": checksum_fits(iban)}


@registry.action("send_money")
async def send_money(inputs: Values, *, key: str, conversation: str) -> Values:
    payment = await in_thread(pay)(key, TRANSFER, inputs["amount"], inputs["beneficiary"])
    return {"reference": f"TR-{payment.pk}"}


@registry.action("read_balance")
async def read_balance(inputs: Values, *, key: str, conversation: str) -> Values:
    return {"balance": str(await in_thread(balance)())}


@registry.action("block_card")
async def block_card(inputs: Values, *, key: str, conversation: str) -> Values:
    return {"blocked": True}


@registry.action("place_hold")
async def place_hold(inputs: Values, *, key: str, conversation: str) -> Values:
    hold = await in_thread(hold_book)(key, inputs)
    return {"hold_id": f"H-{1000 + hold.pk}"}


@registry.action("renew")
async def renew(inputs: Values, *, key: str, conversation: str) -> Values:
    due = await in_thread(extend_loan)(key, inputs["loan_id"])
    return {"outcome": "ok", "due": due.isoformat()} if due else {"outcome": "blocked"}


@registry.action("charge")
async def charge(inputs: Values, *, key: str, conversation: str) -> Values:
    payment = await in_thread(pay)(key, FINE, inputs["amount"], "Town library")
    return {"receipt": f"R-{payment.pk}"}


def is_known(beneficiary: str, iban: str) -> bool:
    return DemoPayee.objects.filter(name__iexact=beneficiary.strip(), iban=iban).exists()


def checksum_fits(iban: str) -> bool:
    """The ISO 13616 check: letters as numbers from 10, the first four characters at the end, remainder 1 by 97."""
    if not (iban.isascii() and iban.isalnum()):
        return False
    turned = iban[4:] + iban[:4]
    return int("".join(str(int(each, 36)) for each in turned) or "0") % 97 == 1


def pay(key: str, purpose: str, amount: str, to: str) -> DemoPayment:
    details = {"purpose": purpose, "amount": Decimal(amount), "to": to[:200]}
    payment, _ = DemoPayment.objects.get_or_create(key=key, defaults=details)
    return payment


def balance() -> Decimal:
    sent = DemoPayment.objects.filter(purpose=TRANSFER).aggregate(total=Sum("amount"))["total"]
    return (START_BALANCE - (sent or Decimal(0))).quantize(Decimal("0.01"))


def hold_book(key: str, inputs: Values) -> DemoHold:
    listed = DemoBook.objects.filter(title__iexact=inputs["title"].strip()).first()
    details = {
        "title": listed.title if listed else inputs["title"][:200],
        "edition": inputs["edition"],
        "pickup": inputs.get("pickup") or "",
        "email": inputs.get("email") or "",
    }
    hold, _ = DemoHold.objects.get_or_create(key=key, defaults=details)
    return hold


@transaction.atomic
def extend_loan(key: str, number: str) -> date | None:
    """The new date, or None for a book that somebody else waits for. Raises LoanNotFound."""
    loan = DemoLoan.objects.select_for_update().filter(number=number).first()
    if loan is None:
        raise LoanNotFound(number)
    if loan.reserved:
        return None
    if key not in loan.renewals:
        loan.due += EXTENSION
        loan.renewals = [*loan.renewals, key]
        loan.save(update_fields=["due", "renewals"])
    return loan.due
