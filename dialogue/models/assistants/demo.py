"""Small tables that the demo bank's and the demo library's actions work on."""

from django.db import models


class DemoPayee(models.Model):
    """A beneficiary that the bank knows."""

    name = models.CharField(max_length=200)
    iban = models.CharField(max_length=34)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name", "iban"], name="demo_payee_once")]

    def __str__(self) -> str:
        return self.name


class DemoPayment(models.Model):
    """Money that left the demo account; the action's key makes a repeated call harmless."""

    key = models.CharField(max_length=250, unique=True)
    purpose = models.CharField(max_length=40)
    amount = models.DecimalField(max_digits=12, decimal_places=2)
    to = models.CharField(max_length=200)
    sent_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.amount} to {self.to}"


class DemoBook(models.Model):
    """A title of the demo library."""

    title = models.CharField(max_length=200, unique=True)

    def __str__(self) -> str:
        return self.title


class DemoHold(models.Model):
    """A hold on a book."""

    key = models.CharField(max_length=250, unique=True)
    title = models.CharField(max_length=200)
    edition = models.CharField(max_length=20)
    pickup = models.CharField(max_length=40, blank=True)
    email = models.EmailField(blank=True)

    def __str__(self) -> str:
        return f"hold on {self.title}"


class DemoLoan(models.Model):
    """A book that a reader has at home."""

    number = models.CharField(max_length=5, unique=True)
    title = models.CharField(max_length=200)
    due = models.DateField()
    reserved = models.BooleanField(default=False)
    renewals = models.JSONField(default=list)

    def __str__(self) -> str:
        return self.number
