"""The addresses of the sockets. Who may open one from which page is checked before they are looked at."""

from typing import Any

from django.urls import path, re_path

from dialogue.web.consumers.conversation import ConversationConsumer
from dialogue.web.consumers.inbox import InboxConsumer
from dialogue.web.consumers.nowhere import Nowhere

websocket_urlpatterns: list[Any] = [
    path("ws/conversations/<uuid:conversation>/", ConversationConsumer.as_asgi()),
    path("ws/inbox/", InboxConsumer.as_asgi()),
    re_path("", Nowhere.as_asgi()),
]
