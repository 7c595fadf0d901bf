"""Every address of the project from the resolver, a world to ask them in, and the table of what each role gets.

A row of the table: method, route, and one word for each of the ROLES:

    yes      the role is let in (whatever then becomes of an empty request)
    sign in  led to the sign-in, or told to sign in (401)
    no       403: the role may not
    hidden   404: for this role it does not exist
    broken   500: never in the table
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from asgiref.sync import async_to_sync
from django.apps import apps
from django.contrib.auth.models import Permission, User
from django.core.files.base import ContentFile
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from dialogue.desk.access.signing_secrets import create_secret
from dialogue.desk.maintenance import outbox
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Caller
from dialogue.library.knowledge.documents import store_document
from dialogue.models import (
    AnswerLink,
    ApiToken,
    Assistant,
    AssistantImage,
    AuditEntry,
    ChannelConnection,
    ChannelThread,
    Conversation,
    HITLSession,
    SavedReply,
    Trial,
    UploadedFile,
    WebhookDelivery,
    WebhookEndpoint,
)
from dialogue.scenarios.format.stored import replace_document
from dialogue.turns import clock
from dialogue.turns.accept import open_conversation
from dialogue.turns.answer_links import invite_people
from tests.support.answer_links import DANIEL, newest_token
from tests.support.releases import demo
from tests.support.transfers import person
from tests.support.turns import TRANSFER, bank, begun, say

ROLES = ("visitor", "end user", "operator", "supervisor", "flow author", "auditor", "superuser", "agent")
GROUPS = {
    "operator": ("operators", "payments"),
    "supervisor": ("supervisors",),
    "flow author": ("flow authors",),
    "auditor": ("auditors",),
}
TABLE = Path(__file__).parents[2] / "web" / "permission_matrix.txt"
PAGES, API = ("GET", "POST"), ("GET", "POST", "PUT", "PATCH", "DELETE")
"""The methods that are tried; many of Django's own pages take every method that they do not know for GET."""

BODIES: dict[str, dict[str, Any]] = {
    "requests": {
        "id": "r1",
        "dialect": "plain",
        "ask": {"question": "Go on?"},
        "source": {"name": "agent", "thread": "t1"},
        "timeout": "1h",
        "on_timeout": "no_answer",
    },
    "extend": {"duration": "5m"},
    "snooze": {"duration": "5m"},
    "note": {"text": "looked at it"},
    "priority": {"priority": 1},
    "tags": {"tags": ["vip"]},
    "fork": {"turn": 0},
    "together": {"sessions": [{"session": "g1"}], "action": "approve"},
    "say": {"text": "Hello, this is Olga."},
    "slots": {"amount": "7000"},
    "<place>": {"value": 9000},
    "check": {"flow": "check_balance", "text": ""},
    "edit": {"text": "", "act": "delete", "words": ["x"]},
    "values": {"text": "", "edits": [{"path": ["title"]}]},
    "format": {"flow": "check_balance", "text": ""},
    "<flow>": {"text": "", "base_version": 1},
    "<dialect>": {"decisions": [{"type": "approve"}]},
    "start": {"id": "s1", "flow": "check_balance"},
    "contact": {"allowed": True},
    "events": {"id": "e1", "event": "parcel_received"},
}
"""What is sent where an empty body would be refused before anybody asks who sent it; by the route's last part."""
NUMBERED = {
    "users": "account",
    "tokens": "api_token",
    "documents": "document",
    "inbox": "handoff",
    "integrate": "signing_secret",
    "webhooks": "webhook",
    "deliveries": "delivery",
    "channels": "channel",
}
"""Which fact is the number in the addresses of a folder."""
HANDED_OVER = ("say", "slots", "hand_back")
SCENARIO = "assistant: ../assistants/bank\nscenarios: [{name: says hello, turns: [{user: hello}]}]\n"
LEAVING = ("sign-out/", "admin/logout/")

PARTS = re.compile(r"<(?:\w+:)?(\w+)>|\(\?P<(\w+)>(?:\([^)]*\)|[^()])*\)")


@dataclass(frozen=True)
class Address:
    """One pattern of the resolver; `route` is how the table calls it."""

    route: str

    @property
    def methods(self) -> tuple[str, ...]:
        return API if self.route.startswith("api/") else PAGES

    @property
    def last(self) -> str:
        return self.route.rpartition("/")[2]

    def path(self, facts: dict[str, str]) -> str:
        """The pattern with this world's rows in the places of its parts."""
        filled = PARTS.sub(lambda found: facts[found.group(1) or found.group(2)], self.route)
        return "/" + filled.replace("^", "").replace("$", "").replace(".*", "nowhere")


@dataclass
class World:
    """A transfer of Ursula's that waits for the payments' operators, an outside approver, and a row of every kind."""

    conversation: Conversation
    session: HITLSession
    handoff: HITLSession
    trial: HITLSession
    people: dict[str, User] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    clients: dict[str, Client] = field(default_factory=dict)

    def client(self, role: str) -> Client:
        """The browser of this role, signed in once."""
        if role not in self.clients:
            self.clients[role] = self.fresh_client(role)
        return self.clients[role]

    def fresh_client(self, role: str) -> Client:
        client = Client(raise_request_exception=False)
        if role in self.people:
            client.force_login(self.people[role])
        return client

    def facts_for(self, address: Address) -> dict[str, str]:
        """What `name`, `number` and `object_id` mean depends on where they stand."""
        route = address.route
        if route.startswith("api/v1/sessions"):
            return {**self.facts, "name": (self.handoff if address.last in HANDED_OVER else self.session).name}
        counted = route.startswith(("api/v1/conversations", "api/v1/assistants", "releases/"))
        if counted or route.endswith("/example/"):
            return {**self.facts, "number": "1"}
        if "/incidents/" in route or "/examples/" in route:
            return {**self.facts, "number": "1", "act": "retry" if "/incidents/" in route else "refuse"}
        if folder := NUMBERED.get(route.partition("/")[0]):
            return {**self.facts, "number": self.facts["reply" if "replies" in route else folder]}
        if route.startswith(("chat/", "flows/")):
            return {**self.facts, "name": self.facts["image"] if route.startswith("chat/") else "transfer_money"}
        if route.startswith("test/"):
            return {**self.facts, "conversation": str(self.trial.conversation_id), "number": str(self.trial.pk)}
        if route.startswith("admin/"):
            return {**self.facts, "object_id": _a_row_of(route)}
        return self.facts


def addresses() -> list[Address]:
    """Every pattern of the project, each route once."""
    return [Address(route) for route in dict.fromkeys(_routes(get_resolver().url_patterns, ""))]


def table() -> dict[tuple[str, str], tuple[str, ...]]:
    """The table: (method, route) → a word for each role."""
    lines = (line for line in TABLE.read_text().splitlines() if line.strip() and not line.startswith("#"))
    rows = ([cell.strip() for cell in line.split(" | ")] for line in lines)
    return {(method, route): tuple(words) for method, route, *words in rows}


def line_of(method: str, route: str, words: tuple[str, ...]) -> str:
    """A row as it stands in the file."""
    return " | ".join([f"{method:<6}", f"{route:<62}", *(f"{word:<7}" for word in words)]).rstrip()


def build_world() -> World:
    """Everybody, and a row of every kind; committed, because sockets and turns look from other threads."""
    ursula = person("ursula", "Ursula Vale")
    conversation = async_to_sync(begun)(demo("bank"))
    Conversation.objects.filter(pk=conversation.pk).update(user=ursula)
    async_to_sync(say)(conversation, TRANSFER, bank())
    async_to_sync(say)(conversation, "yes", bank())
    session = HITLSession.objects.get(audience="staff")
    world = World(conversation, session, _handed_over(session), _tried(session), {"end user": ursula})
    for role, groups in GROUPS.items():
        world.people[role] = person(role.replace(" ", "-"), role.title(), *groups, is_staff=True)
    world.people["superuser"] = person("root", "Rut Berg", is_staff=True, is_superuser=True)
    world.people["agent"] = person("agent", "Agent")
    world.people["agent"].user_permissions.add(Permission.objects.get(codename="ask_agentrequest"))
    replace_document(conversation.assistant, "claim", SCENARIO)
    ApiToken.objects.create(user=ursula, name="tests", sha256="0" * 64)
    service.add_note(session.pk, Caller(world.people["operator"].pk, "page"), "looked at it")
    world.facts = _facts(world)
    return world


def _handed_over(session: HITLSession) -> HITLSession:
    """A second session of the same queue, as if a person had been asked for."""
    values = {each.attname: getattr(session, each.attname) for each in HITLSession._meta.concrete_fields}
    changes = {"number": None, "uid": uuid4(), "visit": session.visit + 1, "kind": "handoff"}
    return HITLSession.objects.create(**{**values, **changes})


def _tried(session: HITLSession) -> HITLSession:
    """The same gate in a test conversation of the test console."""
    tried, _token = open_conversation("bank", test=True)
    Trial.objects.create(conversation=tried)
    values = {each.attname: getattr(session, each.attname) for each in HITLSession._meta.concrete_fields}
    return HITLSession.objects.create(**{**values, "number": None, "uid": uuid4(), "conversation_id": tried.pk})


def _facts(world: World) -> dict[str, str]:
    session = world.session
    session.channels = [{"email": DANIEL}]
    invite_people(session, clock.now())
    outbox.deliver_due()
    return {
        "conversation": str(world.conversation.pk),
        "conversation_id": str(world.conversation.pk),
        "number": str(session.pk),
        "name": "claim",
        "assistant": "bank",
        "token": newest_token(),
        "link": str(AnswerLink.objects.get().pk),
        "handoff": str(world.handoff.pk),
        "document": str(store_document(Assistant.objects.get(name="bank"), "fees.md", b"# Fees\n\nNone.").pk),
        "entry": str(AuditEntry.objects.filter(actor_id=world.people["operator"].pk).latest("pk").pk),
        "api_token": str(ApiToken.objects.get().pk),
        "signing_secret": str(create_secret(Assistant.objects.get(name="bank"), world.people["superuser"])[0].pk),
        "webhook": str(_a_delivery(world).endpoint_id),
        "channel": str(_a_thread(world).connection_id),
        "thread": str(ChannelThread.objects.get().pk),
        "uid": str(UUID(int=0)),
        "delivery": str(WebhookDelivery.objects.get().pk),
        "change": "pause",
        "account": str(person("nina", "Nina Holm").pk),  # the superuser deactivates it
        "uidb64": "MQ",
        "reply": str(_a_reply(world.people["operator"]).pk),
        "image": _an_image(),
        "file_id": _a_file(world.conversation),
        "act": "resend",
        "flow": "check_balance",
        "ending": "csv",
        "ref": "r1",
        "place": "0",
        "dialect": "langchain",
        "chart": "days",
        "id": str(world.people["end user"].pk),
        "app_label": "dialogue",
        "content_type_id": "1",
        "url": "nowhere",
    }


def _a_thread(world: World) -> ChannelThread:
    """A thread of a mailbox whose line could not be sent."""
    now = clock.now()
    assistant = Assistant.objects.get(name="bank")
    facts = {"channel": "email", "address": "help@bank.example", "salt": "x", "made_at": now}
    connection = ChannelConnection.objects.create(assistant=assistant, **facts)
    conversation = open_conversation("bank", channel="email")[0]
    return ChannelThread.objects.create(
        connection=connection, conversation=conversation, key="1", state="failed", opened_at=now, due_at=now
    )


def _a_delivery(world: World) -> WebhookDelivery:
    """A delivery of an endpoint that waits; its address is looked at by no test of permissions."""
    now = clock.now()
    endpoint = WebhookEndpoint.objects.create(url="https://hooks.example/", incidents=True, made_at=now)
    return WebhookDelivery.objects.create(endpoint=endpoint, type="webhook.test", body="{}", made_at=now, due_at=now)


def _a_file(conversation: Conversation) -> str:
    """The id of a file that Ursula sent."""
    row = UploadedFile(
        conversation=conversation, field="x", name="a.pdf", kind="pdf", size=5, digest="", at=clock.now()
    )
    row.content.save("", ContentFile(b"%PDF-"), save=False)
    row.save(force_insert=True)
    return str(row.pk)


def _an_image() -> str:
    """The name of an image of the bank's folder."""
    bank_row = Assistant.objects.get(name="bank")
    return AssistantImage.objects.create(
        assistant=bank_row, name="logo.png", kind="png", content=b"", digest="", at=clock.now()
    ).name


def _a_reply(who: User) -> SavedReply:
    """A reply that only its writer has."""
    return SavedReply.objects.create(owner=who, title="Hello", text="Good morning.", changed_at=clock.now())


def word_for(world: World, role: str, method: str, address: Address) -> str:
    """What this role gets for an empty request."""
    answer = _ask(world, role, method, address)
    if answer.streaming and not answer.is_async:
        for _part in answer.streaming_content:  # a file is closed when all of it was read
            pass
    if answer.status_code == 405:
        return "no way"
    if answer.status_code == 500:
        return "broken"
    if answer.status_code == 401 or "sign-in/?next" in answer.get("Location", "") or _to_admin_login(answer):
        return "sign in"
    return {403: "no", 404: "hidden"}.get(answer.status_code, "yes")


def _ask(world: World, role: str, method: str, address: Address) -> Any:
    client = world.fresh_client(role) if address.route in LEAVING else world.client(role)
    path = address.path(world.facts_for(address))
    if address.route.startswith("api/"):
        return client.generic(method, path, json.dumps(_body(role, address)), "application/json")
    return client.generic(method, path, "", "application/x-www-form-urlencoded")


def _body(role: str, address: Address) -> dict[str, Any]:
    if address.last == "messages":
        return {"id": f"of the {role}", "text": "hello"}
    last = "<flow>" if address.route.endswith("<flow>/draft") else address.last
    return BODIES.get(last, {})


def _to_admin_login(answer: Any) -> bool:
    return "/admin/login/" in answer.get("Location", "")


def _routes(patterns: list[URLPattern | URLResolver], prefix: str) -> Iterator[str]:
    for pattern in patterns:
        here = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern.url_patterns, here)
        else:
            yield here


def _a_row_of(route: str) -> str:
    """The key of some row of the model that an address of the admin is about."""
    label, model = (*route.split("/"), "", "")[1:3]
    if model not in apps.all_models.get(label, {}):
        return "1"
    row = apps.get_model(label, model)._default_manager.order_by("pk").first()
    return str(row.pk) if row else "1"
