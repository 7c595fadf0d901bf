"""The money of the demo: one account, and each payment once for its key."""

from decimal import Decimal

from django.db.models import Sum

from dialogue.models import DemoPayment

START_BALANCE = Decimal("31568.40")
"""What was on the demo account before anybody sent money from it, in euros."""

TRANSFER, FINE = "transfer", "fine"


def record_payment(key: str, purpose: str, amount: Decimal, to: str) -> DemoPayment:
    details = {"purpose": purpose, "amount": amount, "to": to[:200]}
    payment, _ = DemoPayment.objects.get_or_create(key=key, defaults=details)
    return payment


def account_balance() -> Decimal:
    sent = DemoPayment.objects.filter(purpose=TRANSFER).aggregate(total=Sum("amount"))["total"]
    return (START_BALANCE - (sent or Decimal(0))).quantize(Decimal("0.01"))
