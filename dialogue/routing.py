"""The console's sockets, for a project to mount below the prefix of its pages:

`URLRouter([path("soni/", URLRouter(dialogue.routing.websocket_urlpatterns))])`
"""

from dialogue.web.sockets.urls import websocket_urlpatterns

__all__ = ["websocket_urlpatterns"]
