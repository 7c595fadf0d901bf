"""Every address of the pages; the sockets' are in `routing`."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import include, path, register_converter

from dialogue.web.operations.account import save_language
from dialogue.web.operations.sign_in import LimitedSignInForm, limited_sign_in
from dialogue.web.shared.languages import in_chosen_language


class GateNumber:
    """The number of a gate in an address; 18 digits fit into every database's integers."""

    regex = "[0-9]{1,18}"

    def to_python(self, value: str) -> int:
        return int(value)

    def to_url(self, value: int) -> str:
        return str(value)


register_converter(GateNumber, "gate")

SIGN_IN = in_chosen_language(
    limited_sign_in(
        LoginView.as_view(
            template_name="dialogue/sign_in.html",
            authentication_form=LimitedSignInForm,
            redirect_authenticated_user=True,
            next_page="dialogue:home",
        )
    )
)


app_name = "dialogue"

urlpatterns = [
    path("sign-in/", SIGN_IN, name="login"),
    path("sign-out/", LogoutView.as_view(next_page="dialogue:home"), name="logout"),
    path("language/", save_language, name="set_language"),
    path("", include("dialogue.web.operations.urls")),
    path("", include("dialogue.web.figures.urls")),
    path("", include("dialogue.web.inbox.urls")),
    path("", include("dialogue.web.gates.urls")),
    path("", include("dialogue.web.conversations.urls")),
    path("", include("dialogue.web.answer_links.urls")),
    path("", include("dialogue.web.flows.urls")),
    path("", include("dialogue.web.knowledge.urls")),
    path("", include("dialogue.web.understanding.urls")),
    path("", include("dialogue.web.testing.urls")),
    path("", include("dialogue.web.releases.urls")),
    path("", include("dialogue.web.scenarios.urls")),
    path("", include("dialogue.web.chat.urls")),
    path("", include("dialogue.web.embed.urls")),
    path("", include("dialogue.web.integrate.urls")),
    path("", include("dialogue.web.channels.urls")),
    path("", include("dialogue.web.audit.urls")),
    path("", include("dialogue.web.accounts.urls")),
    path("api/", include("dialogue.web.api.urls")),
]
