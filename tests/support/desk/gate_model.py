"""A gate as a plain model: the state table of the specification, played on five fields in memory."""

from dataclasses import dataclass
from datetime import datetime, timedelta

LEASE = timedelta(minutes=10)
SUPERVISORS = {"sofia"}
FINAL = {
    "submitted": (409, "already_submitted"),
    "expired": (410, "gate_expired"),
    "cancelled": (410, "gate_cancelled"),
}
COLUMNS = ("open", "claimed by me", "claimed by another", "overdue", *FINAL)
ROWS = (
    "claim",
    "release",
    "take over",
    "save draft",
    "submit",
    "expire by hand",
    "extend",
    "cancel",
    "retry / abandon",
)
CELLS = tuple(f"{row} / {column}" for row in ROWS for column in COLUMNS)
SUPERVISED = {"take over", "extend", "cancel", "retry", "abandon"}
DECIDES = {"submit": "submitted", "expire by hand": "expired", "cancel": "cancelled"}
ANY_TIME = {"release", "expire by hand", "cancel"}

Told = tuple[int, str]


@dataclass
class Gate:
    """What is known of one gate. `held_until` counts only while somebody holds it; times are aware."""

    deadline: datetime
    state: str = "open"
    holder: str = ""
    held_until: datetime | None = None
    winner: str = ""
    sent: tuple[str, str, str] | None = None
    """Who decided with which key and which body."""
    delivery: str = "none"
    version: int = 1

    def column(self, who: str, now: datetime) -> str:
        """The state as the table's heading names it for this person."""
        if self.state in FINAL:
            return self.state
        if self.deadline <= now:
            return "overdue"
        if not self._held(now):
            return "open"
        return "claimed by me" if self.holder == who else "claimed by another"

    def told(self, operation: str, who: str, now: datetime, *, stale: bool, sent: tuple[str, str]) -> Told:
        """Status and code that the table gives; nothing changes."""
        if operation in SUPERVISED and who not in SUPERVISORS:
            return 403, "not_allowed"
        if operation in ("retry", "abandon"):
            return self._told_of_delivery(stale=stale)
        if operation == "submit" and self.sent and self.sent[:2] == (who, sent[0]):
            return (200, "") if self.sent[2] == sent[1] else (422, "idempotency_key_reused")
        if self.state in FINAL:
            return FINAL[self.state]
        if self.deadline <= now and operation not in ANY_TIME:
            return 410, "gate_expired"
        return self._told_of_holder(operation, who, now) or self._told_of_version(operation, stale=stale)

    def take(self, operation: str, who: str, now: datetime, sent: tuple[str, str]) -> None:
        """What the operation does when it was allowed."""
        self.version += operation != "save draft"
        if operation in DECIDES:
            self.state, self.winner, self.delivery = DECIDES[operation], who, "pending"
            self.sent = (who, *sent) if operation == "submit" else None
        elif operation in ("claim", "take over"):
            self.state, self.holder, self.held_until = "claimed", who, now + LEASE
        elif operation == "release":
            self.give_back()
        elif operation == "save draft" and self._mine(who, now):
            self.held_until = now + LEASE
        elif operation == "extend":
            self.deadline += timedelta(hours=1)
        elif operation in ("retry", "abandon"):
            self.delivery = "pending" if operation == "retry" else "abandoned"

    def give_back(self) -> None:
        self.state, self.holder, self.held_until = "open", "", None

    def sweep(self, now: datetime) -> None:
        """What the clock does: expire what is overdue, and return claims that ran out."""
        if self.state not in FINAL and self.deadline <= now:
            self.state, self.delivery, self.version = "expired", "pending", self.version + 1
        elif self.state == "claimed" and not self._held(now):
            self.give_back()
            self.version += 1

    def _held(self, now: datetime) -> bool:
        return self.state == "claimed" and self.held_until is not None and self.held_until > now

    def _mine(self, who: str, now: datetime) -> bool:
        """A claim that ran out has returned by itself, whether or not the sweep was there."""
        return self._held(now) and self.holder == who

    def _told_of_delivery(self, *, stale: bool) -> Told:
        if self.state not in FINAL:
            return 409, "not_decided"
        if self.delivery != "incident":
            return 409, "not_in_incident"
        return (409, "stale_version") if stale else (202, "")

    def _told_of_holder(self, operation: str, who: str, now: datetime) -> Told | None:
        by_other = self._held(now) and self.holder != who
        if operation == "release":
            return None if self._mine(who, now) else (403, "not_claim_holder") if by_other else (409, "not_claimed")
        if operation == "expire by hand":
            return (403, "not_allowed") if by_other and who not in SUPERVISORS else None
        return (409, "claimed_by_other") if by_other and operation not in SUPERVISED else None

    def _told_of_version(self, operation: str, *, stale: bool) -> Told:
        if stale and operation != "save draft":
            return 409, "stale_version"
        return (201 if operation == "submit" else 200), ""
