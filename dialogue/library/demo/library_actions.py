"""What the demo library does in the world. A repeated call with the same key does no harm."""

from datetime import date, timedelta
from typing import Any

from django.db import transaction

from dialogue.engine.actions import registry
from dialogue.library.demo.payments import FINE, record_payment
from dialogue.models import DemoBook, DemoHold, DemoLoan
from dialogue.turns.process.database import in_thread

EXTENSION = timedelta(weeks=3)

Values = dict[str, Any]


class LoanNotFound(Exception):
    """The library has no loan of that number."""


@registry.action("place_hold")
async def place_hold(inputs: Values, *, key: str, conversation: str) -> Values:
    hold = await in_thread(hold_book)(key, inputs)
    return {"hold_id": f"H-{1000 + hold.pk}"}


@registry.action("renew")
async def renew(inputs: Values, *, key: str, conversation: str) -> Values:
    due = await in_thread(extend_loan)(key, inputs["loan_id"])
    return {"outcome": "ok", "due": due} if due else {"outcome": "blocked"}


@registry.action("charge")
async def charge(inputs: Values, *, key: str, conversation: str) -> Values:
    payment = await in_thread(record_payment)(key, FINE, inputs["amount"], "Town library")
    return {"receipt": f"R-{payment.pk}"}


def hold_book(key: str, inputs: Values) -> DemoHold:
    book = DemoBook.objects.filter(title__iexact=inputs["title"].strip()).first()
    details = {
        "title": book.title if book else inputs["title"][:200],
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
