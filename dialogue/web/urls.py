"""Every address of the pages; the sockets' are in `routing`."""

from importlib.util import find_spec

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import URLPattern, URLResolver, include, path, register_converter
from django.views.i18n import set_language

from dialogue.web.converters import GateNumber
from dialogue.web.views import answer, chat, command, conversations, flows, gates, home, inbox, quiet

register_converter(GateNumber, "gate")


def api_addresses() -> list[URLPattern | URLResolver]:
    there = find_spec("dialogue.web.api") is not None and find_spec("dialogue.web.api.urls") is not None
    return [path("api/", include("dialogue.web.api.urls"))] if there else []


urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="home"),
    path("health/live", home.live, name="live"),
    path("health/ready", home.ready, name="ready"),
    path("sign-in/", LoginView.as_view(template_name="sign_in.html", redirect_authenticated_user=True), name="login"),
    path("sign-out/", LogoutView.as_view(), name="logout"),
    path("language/", set_language, name="set_language"),
    path("inbox/", inbox.inbox, name="inbox"),
    path("gates/", gates.queue, name="gates"),
    path("gates/next/", gates.upcoming, name="next_gate"),
    path("gates/g<gate:number>/", gates.gate, name="gate"),
    path("gates/g<gate:number>/card/", gates.card, name="gate_card"),
    path("gates/g<gate:number>/submit/", gates.submit, name="gate_submit"),
    path("gates/g<gate:number>/draft/", gates.draft, name="gate_draft"),
    path("gates/g<gate:number>/<slug:name>/", gates.move, name="gate_move"),
    path("command/", command.command, name="command"),
    path("command/preview/", command.preview, name="command_preview"),
    path("quiet/", quiet.quiet, name="quiet"),
    path("conversations/", conversations.conversations, name="conversations"),
    path("conversations/<uuid:conversation>/", conversations.conversation, name="conversation"),
    path("answer/<str:token>/", answer.answer, name="answer"),
    path("flows/", flows.flows, name="flows"),
    path("flows/<slug:assistant>/<slug:name>/", flows.flow, name="flow"),
    path("chat/<slug:assistant>/", chat.chat, name="chat"),
    path("chat/<slug:assistant>/open/", chat.open_chat, name="chat_open"),
    *api_addresses(),
]
