"""The addresses of the sockets. Who may open one from which page is checked before they are looked at."""

from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer
from django.urls import path, re_path

from dialogue.web.sockets.close_codes import UnknownRoute
from dialogue.web.sockets.conversation import ConversationConsumer
from dialogue.web.sockets.inbox import InboxConsumer


def socket(consumer: type[AsyncWebsocketConsumer]) -> Any:
    """A consumer as what an address leads to; Django's types know of views only."""
    return consumer.as_asgi()


websocket_urlpatterns: list[Any] = [
    path("ws/conversations/<uuid:conversation>/", socket(ConversationConsumer)),
    path("ws/inbox/", socket(InboxConsumer)),
    re_path("", socket(UnknownRoute)),
]
