"""Read receipts: how far the customer has read, and how far the operators have."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.db import IntegrityError, transaction
from django.db.models import Max, Q

from dialogue.models import Conversation, ReadMark
from dialogue.turns import clock
from dialogue.turns.live import notify


@dataclass(frozen=True)
class ReadMarks:
    """The last line that each side has read; 0 for none."""

    customer: int = 0
    staff: int = 0


def mark_read(conversation: Conversation, reader: int | None, seq: int) -> bool:
    """Mark that `reader` (an operator's account, or None for the customer) has read up to `seq`; whether it moved.

    A number beyond the transcript's end counts as its end.
    """
    last_seq = Conversation.objects.filter(pk=conversation.pk).values_list("last_message", flat=True).first() or 0
    seq = min(seq, last_seq)
    at = clock.now()
    side = {"reader__isnull": True} if reader is None else {"reader_id": reader}
    own_mark = ReadMark.objects.filter(conversation=conversation, **side)
    moved = own_mark.filter(seq__lt=seq).update(seq=seq, at=at) == 1
    if not moved and seq > 0 and not own_mark.exists():
        moved = _first_mark(conversation, reader, seq, at)
    if moved:
        transaction.on_commit(partial(notify.notify_conversation, conversation.pk), robust=True)
    return moved


def read_marks_of(conversation: Conversation) -> ReadMarks:
    """Return how far each side has read."""
    of_customer = Q(reader__isnull=True)
    marks = ReadMark.objects.filter(conversation=conversation).aggregate(
        customer=Max("seq", filter=of_customer), staff=Max("seq", filter=~of_customer)
    )
    return ReadMarks(marks["customer"] or 0, marks["staff"] or 0)


def _first_mark(conversation: Conversation, reader: int | None, seq: int, at: datetime) -> bool:
    try:
        with transaction.atomic():
            ReadMark.objects.create(conversation=conversation, reader_id=reader, seq=seq, at=at)
    except IntegrityError:  # another window of the same person was first; its mark is as good
        return False
    return True
