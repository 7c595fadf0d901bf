"""What Daphne serves: HTTP by Django, WebSockets by the web room's consumers, from the project's own pages only."""

import os
from importlib import import_module
from typing import Any

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application

from soni_admin.checks import refuse_unsafe_start
from soni_admin.origins import OriginGate
from soni_admin.rooms import is_built

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "soni_admin.settings")


def socket_addresses() -> list[Any]:
    if not is_built("dialogue.web.routing"):
        return []
    addresses: list[Any] = import_module("dialogue.web.routing").websocket_urlpatterns
    return addresses


# Django first: consumers import models, and those need the apps to be loaded.
http = get_asgi_application()
refuse_unsafe_start()
application = ProtocolTypeRouter(
    {"http": http, "websocket": OriginGate(AuthMiddlewareStack(URLRouter(socket_addresses())))}
)
