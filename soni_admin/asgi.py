"""What Daphne serves: HTTP by Django, WebSockets by the web room's consumers, from the project's own pages only."""

import asyncio
import gc
import os
from typing import Any

import django
from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from django.conf import settings

from soni_admin.checks import refuse_unsafe_start, refuse_wrong_clock
from soni_admin.origins import OriginGate
from soni_admin.proxies import ClientAddress
from soni_admin.static_files import StaticFiles

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "soni_admin.settings")

# Django first: consumers import models, and those need the apps to be loaded.
django.setup(set_prefix=False)
refuse_unsafe_start()
refuse_wrong_clock()

from dialogue.routing import websocket_urlpatterns  # noqa: E402
from dialogue.turns.live import notify  # noqa: E402
from dialogue.web.server.http_handler import ConsoleHandler  # noqa: E402
from dialogue.web.server.shutdown import RequestTracker, install_graceful_shutdown  # noqa: E402
from dialogue.web.server.timers import use_monotonic_timers  # noqa: E402

rooms = ProtocolTypeRouter(
    {
        "http": StaticFiles(ConsoleHandler(settings.MAX_IN_FLIGHT_REQUESTS)),
        "websocket": OriginGate(AuthMiddlewareStack(URLRouter(websocket_urlpatterns))),
    }
)
requests = RequestTracker(ClientAddress(rooms, settings.TRUSTED_PROXIES))
install_graceful_shutdown(requests)
use_monotonic_timers()


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Every request and socket. The loop that serves them is where this process's bells are rung."""
    notify.attach(asyncio.get_running_loop())
    await requests(scope, receive, send)


# A start leaves hundreds of thousands of dead objects, which a visitor's request would have to find. What lives stays,
# and is not looked through again.
gc.collect()
gc.freeze()

# Short looks often, not long ones seldom: a thousand open sockets are looked through in a quarter of a second, and
# everybody's answer would wait for that.
gc.set_threshold(2_000, 10, 50)
