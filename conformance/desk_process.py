"""The desk of the kit: servers forked from a warm process, each of which may have a trap at a named crash point.

    python -m conformance.desk_process

takes the commands of `campaigns.support.forked_servers`: `serve`, `prepare` and `account`. Callbacks may lead to this
machine here, and are repeated after a second instead of two minutes.
"""

from datetime import timedelta
from typing import Any

from campaigns.support import forked_servers

MAX_DECIDERS = 32


def main() -> None:
    """Do what is asked until the input ends."""
    forked_servers.main({"prepare": _prepare, "account": _account}, _accept_callbacks_to_this_machine)


def _accept_callbacks_to_this_machine() -> None:
    from dialogue.desk.agent_requests import deliveries
    from dialogue.desk.webhooks import signed_posts

    signed_posts.SCHEMES = ("http", "https")  # type: ignore[assignment]
    signed_posts.is_public = lambda address: True
    deliveries.SEND_LEASE = timedelta(seconds=1)


def _prepare(asked: dict[str, Any]) -> str:
    """Make the accounts; return the session cookie of the first operator."""
    import hashlib

    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.auth.models import Group, Permission, User
    from django.contrib.sessions.backends.db import SessionStore

    from dialogue.models import ApiToken, Preference

    def account(name: str) -> User:
        user = User.objects.create_user(name, first_name=name.capitalize())
        ApiToken.objects.create(user=user, name="kit", sha256=hashlib.sha256(name.encode()).hexdigest())
        return user

    account("agent").user_permissions.add(Permission.objects.get(codename="ask_agentrequest"))
    operators = Group.objects.get_or_create(name="operators")[0]
    for place in range(MAX_DECIDERS):
        account(f"operator-{place}").groups.add(operators)
    first = User.objects.get(username="operator-0")
    Preference.objects.update_or_create(user=first, defaults={"skips_gate_tour": True})
    session = SessionStore()
    session[SESSION_KEY] = str(first.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = first.get_session_auth_hash()
    session.save()
    return str(session.session_key)


def _account(asked: dict[str, Any]) -> dict[str, Any]:
    """What the kit compares with what its programs reported: requests by id with their decisions, broken invariants."""
    from dialogue.audit.invariants import count_violations
    from dialogue.models import AgentRequest, HITLSession

    requests = {row.ref: row for row in AgentRequest.objects.filter(ref__in=asked["runs"])}
    sessions = HITLSession.objects.filter(agent_pause__request__ref__in=asked["runs"])
    accepted = sessions.filter(submissions__accepted=True).values_list("agent_pause__request__ref", flat=True)
    return {
        "requests": {
            ref: {"state": row.state, "answer": (row.answer or {}).get("answer")} for ref, row in requests.items()
        },
        "accepted": {ref: list(accepted).count(ref) for ref in requests},
        "undelivered": [row.name for row in sessions.exclude(delivery="applied")],
        "broken": [f"{count} x {invariant.sentence}" for invariant, count in count_violations() if count],
    }


if __name__ == "__main__":
    main()
