"""“Should have been…”: who only talks with customers proposes an example, and an author makes it one or refuses it."""

from django.db import transaction
from django.db.models import QuerySet

from dialogue.audit import chain
from dialogue.library.documents.flow_text import EditRefused
from dialogue.library.nlu_programs.examples import (
    MAX_EXAMPLE_CHARACTERS,
    ExampleKnown,
    add_act_phrase,
    add_example,
    refuse_other_act,
)
from dialogue.models import Assistant, Correction, Flow, Turn
from dialogue.models.account import Account
from dialogue.models.assistants.flow import OWN_DOCUMENT
from dialogue.turns import clock

MAX_SUGGESTIONS = 200
"""Open suggestions of one assistant; more raise TooManySuggestions."""


ACT_MARK = "act:"
"""How a correction begins that names an act instead of a flow: "act:cancel"."""
MEANT_ACTS = ("yes", "no", "cancel", "skip", "repeat", "help", "person", "restart", "why", "status", "small_talk")
"""The acts that can have been meant: the keys of `phrases` in assistant.yaml."""


class TooManySuggestions(Exception):
    """The assistant has too many suggestions. An author has to decide about some first."""


class SuggestionGone(Exception):
    """Another person decided about it first, replaced it, or erased its conversation."""


def meant_flows(assistant: Assistant) -> QuerySet[Flow]:
    """What a customer can have meant."""
    return Flow.objects.filter(assistant=assistant, archived=False).exclude(name=OWN_DOCUMENT).order_by("name")


def meant_act(meant: str) -> str:
    """Return "cancel" of "act:cancel", and "" for a flow. Raises Flow.DoesNotExist for an unknown act."""
    if not meant.startswith(ACT_MARK):
        return ""
    act = meant.removeprefix(ACT_MARK)
    if act not in MEANT_ACTS:
        raise Flow.DoesNotExist(meant)
    return act


def document_of(meant: str) -> str:
    """Return the document that a correction changes: that of the flow, or the assistant's own."""
    return OWN_DOCUMENT if meant.startswith(ACT_MARK) else meant


def learn_text(assistant: Assistant, meant: str, text: str, author: Account) -> int:
    """Put a text among the examples of a flow or the phrases of an act, in this author's draft; gives its line there.

    Raises EditRefused, ExampleKnown and Flow.DoesNotExist.
    """
    act = meant_act(meant)
    return add_act_phrase(assistant, act, text, author) if act else add_example(assistant, meant, text, author)


def suggestions_of(assistant: Assistant) -> QuerySet[Correction]:
    """What waits for an author, the oldest first."""
    return Correction.objects.filter(assistant=assistant).select_related("by").order_by("pk")


@transaction.atomic
def suggest_example(turn: Turn, flow: str, text: str, by: Account) -> Correction:
    """Keep what should have been understood, in place of what was proposed for this turn before.

    Raises Flow.DoesNotExist, EditRefused for no words, TooManySuggestions, and Turn.DoesNotExist where it was erased.
    """
    home, utterance = turn.conversation.assistant, " ".join(text.split())[:MAX_EXAMPLE_CHARACTERS]
    act = meant_act(flow)
    if not utterance:
        raise EditRefused("An example needs words.")
    if act:
        refuse_other_act(act, utterance)
    else:
        meant_flows(home).get(name=flow)
    of_turn = Correction.objects.filter(conversation=turn.conversation, turn=turn.number)
    if not of_turn.exists() and suggestions_of(home).count() >= MAX_SUGGESTIONS:
        raise TooManySuggestions(home.name)
    row = Correction(
        assistant=home,
        conversation=turn.conversation,
        turn=turn.number,
        flow=flow,
        text=utterance,
        by=by,
        at=clock.now(),
    )
    _record_act("conversation.example_proposed", row, by)  # locks the conversation: of two at once the later one stays
    Turn.objects.only("pk").get(pk=turn.pk)  # what was erased meanwhile does not come back
    Turn.objects.filter(pk=turn.pk).update(reading=Turn.Reading.CORRECTED)
    of_turn.delete()
    row.save()
    return row


@transaction.atomic
def accept_suggestion(row: Correction, author: Account) -> int | None:
    """Make it an example in this author's draft; its line there, None when the flow had it already.

    Raises Flow.DoesNotExist, EditRefused where the draft cannot be read, and SuggestionGone.
    """
    try:
        line = learn_text(row.assistant, row.flow, row.text, author)
    except ExampleKnown:
        line = None
    _record_act("conversation.example", row, author)
    _delete_suggestion(row)
    return line


@transaction.atomic
def refuse_suggestion(row: Correction, author: Account) -> None:
    """Delete the suggestion. Raises SuggestionGone."""
    _record_act("conversation.example_refused", row, author)
    _delete_suggestion(row)


def _delete_suggestion(row: Correction) -> None:
    """Who deletes the row has decided; what another one did meanwhile is undone with the transaction."""
    deleted, _tables = Correction.objects.filter(pk=row.pk).delete()
    if not deleted:
        raise SuggestionGone(row.pk)


def _record_act(act: str, row: Correction, by: Account) -> None:
    facts = {"turn": row.turn, "flow": row.flow}
    chain.record(row.conversation_id, [chain.Act(act, by.get_username(), by.pk, facts=facts)], clock.now())
