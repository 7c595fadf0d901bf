"""The console's sockets, for a project to mount below the prefix of its pages:

`URLRouter([path("soni/", URLRouter(dialogue.routing.websocket_urlpatterns))])`
"""

import sys

from dialogue.web.sockets.urls import websocket_urlpatterns

__all__ = ["websocket_urlpatterns"]

if "daphne.ws_protocol" in sys.modules:  # another server closes sockets with any code by itself
    from dialogue.web.sockets.close_codes import allow_protocol_close_codes

    allow_protocol_close_codes()

if "daphne.http_protocol" in sys.modules:
    from dialogue.web.server.form_bodies import leave_forms_to_django

    leave_forms_to_django()
