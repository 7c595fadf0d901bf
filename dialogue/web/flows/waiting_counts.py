"""Who waits where: how many conversations stand at each flow and at each of its steps. Tests wait for nobody."""

from django.db.models import Count, QuerySet

from dialogue.models import Assistant, HITLSession


def waiting_by_flow() -> dict[str, int]:
    """How many conversations wait in each flow, by "assistant/flow"."""
    rows = _undecided().values_list("conversation__assistant__name", "flow")
    counted = rows.annotate(number=Count("conversation", distinct=True)).order_by()
    return {f"{assistant}/{flow}": number for assistant, flow, number in counted}


def waiting_at(assistant: Assistant, flow: str) -> dict[str, int]:
    """How many conversations wait at each step of a flow."""
    rows = _undecided().filter(conversation__assistant=assistant, flow=flow).values_list("step")
    return dict(rows.annotate(number=Count("conversation", distinct=True)).order_by())


def _undecided() -> QuerySet[HITLSession]:
    return HITLSession.objects.filter(state__in=HITLSession.UNDECIDED, conversation__test=False)
