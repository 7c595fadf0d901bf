"""Every address of the pages; the sockets' are in `routing`."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import include, path, re_path, register_converter
from django.views.i18n import set_language

from dialogue.web.answer_links import views as answer
from dialogue.web.chat import views as chat
from dialogue.web.conversations import transcript_views as talks
from dialogue.web.conversations import unmasking
from dialogue.web.conversations import views as conversations
from dialogue.web.flows import versions
from dialogue.web.flows import views as flows
from dialogue.web.gates import bulk_views as together
from dialogue.web.gates import saved_views
from dialogue.web.gates import views as gates
from dialogue.web.inbox import saved_replies as replies
from dialogue.web.inbox import views as inbox
from dialogue.web.knowledge import views as documents
from dialogue.web.operations import command_bar as command
from dialogue.web.operations import do_not_disturb as quiet
from dialogue.web.operations import figures, health, home, metrics, reference, status
from dialogue.web.operations.signing_in import LimitedTries, answering_limits
from dialogue.web.shared.converters import GateNumber
from dialogue.web.understanding import views as understanding

register_converter(GateNumber, "gate")

SIGN_IN = answering_limits(
    LoginView.as_view(
        template_name="dialogue/sign_in.html",
        authentication_form=LimitedTries,
        redirect_authenticated_user=True,
        next_page="dialogue:home",
    )
)


app_name = "dialogue"

urlpatterns = [
    path("", home.home, name="home"),
    path("health/live", health.live, name="live"),
    path("health/ready", health.ready, name="ready"),
    path("metrics", metrics.metrics, name="metrics"),
    path("status/", status.status, name="status"),
    path("sign-in/", SIGN_IN, name="login"),
    path("sign-out/", LogoutView.as_view(next_page="dialogue:home"), name="logout"),
    path("language/", set_language, name="set_language"),
    path("inbox/", inbox.inbox, name="inbox"),
    path("inbox/counts/", inbox.counts, name="inbox_counts"),
    path("inbox/replies/", replies.replies, name="replies"),
    path("inbox/replies/<int:number>/", replies.reply, name="reply"),
    path("inbox/replies/<int:number>/delete/", replies.drop, name="reply_drop"),
    path("inbox/g<gate:number>/", inbox.chat, name="inbox_chat"),
    path("inbox/g<gate:number>/aside/", inbox.aside, name="inbox_aside"),
    path("inbox/g<gate:number>/say/", inbox.say, name="inbox_say"),
    path("inbox/g<gate:number>/draft/", inbox.draft, name="inbox_draft"),
    path("inbox/g<gate:number>/slot/", inbox.set_slot, name="inbox_slot"),
    path("inbox/g<gate:number>/back/", inbox.hand_back, name="inbox_back"),
    path("inbox/g<gate:number>/<slug:name>/", inbox.move, name="inbox_move"),
    path("gates/", gates.queue, name="gates"),
    path("gates/next/", gates.upcoming, name="next_gate"),
    path("gates/together/", together.together, name="together"),
    path("gates/views/", saved_views.save, name="view_save"),
    path("gates/views/<int:number>/delete/", saved_views.delete, name="view_delete"),
    path("gates/g<gate:number>/", gates.gate, name="gate"),
    path("gates/g<gate:number>/card/", gates.card, name="gate_card"),
    path("gates/g<gate:number>/submit/", gates.submit, name="gate_submit"),
    path("gates/g<gate:number>/draft/", gates.draft, name="gate_draft"),
    path("gates/g<gate:number>/links/<int:link>/<slug:act>/", gates.change_link, name="gate_link"),
    path("gates/g<gate:number>/<slug:name>/", gates.move, name="gate_move"),
    path("command/", command.command, name="command"),
    path("command/complete/", command.completions, name="command_complete"),
    path("command/preview/", command.preview, name="command_preview"),
    path("quiet/", quiet.quiet, name="quiet"),
    path("conversations/", conversations.conversations, name="conversations"),
    path("conversations/<uuid:conversation>/", conversations.conversation, name="conversation"),
    path("conversations/<uuid:conversation>/lines/", talks.lines, name="older_lines"),
    path("conversations/<uuid:conversation>/unmask/", unmasking.unmask, name="unmask"),
    path("conversations/<uuid:conversation>/mask/", unmasking.mask, name="mask"),
    re_path(
        "^conversations/(?P<conversation>[0-9a-f-]{36})/incidents/(?P<number>[0-9]{1,9})/(?P<act>retry|abandon)/$",
        conversations.mend,
        name="mend_turn",
    ),
    path("answer/<str:token>/", answer.answer, name="answer"),
    path("figures/", figures.figures, name="figures"),
    path("figures/csv/", figures.export, name="figures_csv"),
    path("reference/", reference.reference, name="reference"),
    path("flows/", flows.flows, name="flows"),
    path("flows/import.zip", versions.take_in, name="flows_import"),
    path("flows/<slug:assistant>/", flows.assistant_flows, name="flow_new"),
    path("flows/<slug:assistant>/export.zip", versions.export, name="flows_export"),
    path("flows/<slug:assistant>/<slug:name>/", flows.flow, name="flow"),
    path("flows/<slug:assistant>/<slug:name>/history/", versions.history, name="flow_history"),
    path("flows/<slug:assistant>/<slug:name>/compare/", versions.compare, name="flow_compare"),
    path("flows/<slug:assistant>/<slug:name>/merge/", versions.reconcile, name="flow_merge"),
    path("flows/<slug:assistant>/<slug:name>/drop/", versions.drop, name="flow_drop"),
    path("flows/<slug:assistant>/<slug:name>/restore/<int:number>/", versions.restore_version, name="flow_restore"),
    path("documents/<slug:assistant>/", documents.documents, name="documents"),
    path("documents/<slug:assistant>/upload/", documents.upload, name="documents_upload"),
    path("documents/<slug:assistant>/<int:number>/", documents.document, name="document"),
    path("documents/<slug:assistant>/<int:number>/remove/", documents.remove, name="document_remove"),
    path("understanding/", understanding.overview, name="understanding"),
    path("understanding/<slug:assistant>/", understanding.understanding, name="understanding_of"),
    path("understanding/<slug:assistant>/progress/", understanding.progress, name="understanding_progress"),
    path("understanding/<slug:assistant>/start/", understanding.start, name="understanding_start"),
    path("understanding/<slug:assistant>/choose/", understanding.choose, name="understanding_choose"),
    path("", include("dialogue.web.testing.urls")),
    path("chat/<slug:assistant>/", chat.chat, name="chat"),
    path("chat/<slug:assistant>/open/", chat.open_chat, name="chat_open"),
    path("chat/<slug:assistant>/leave/", chat.leave, name="chat_leave"),
    path("api/", include("dialogue.web.api.urls")),
]
