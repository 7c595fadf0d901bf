"""Try a language model on one message before it serves: its answer, its time and its cost. The key is not stored."""

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from asgiref.sync import async_to_sync
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from dialogue.conf import soni
from dialogue.models import Assistant
from dialogue.turns import clock
from dialogue.turns.compiled_releases import assistant_of
from dialogue.web.shared.people import needs
from dialogue.web.shared.permissions import may_teach
from dialogue.web.shared.words.commands import command_words

if TYPE_CHECKING:
    from dialogue.engine.language.compiler import Assistant as Definition
    from dialogue.nlu.llm.trial import ModelTrial

MAX_NAME_CHARACTERS, MAX_KEY_CHARACTERS, MAX_MESSAGE_CHARACTERS = 200, 1_000, 1_000


@needs(may_teach)
@require_POST
def try_language_model(request: HttpRequest, assistant: str) -> HttpResponse:
    """Ask the model of the form what a first message to the active release means, and show the answer."""
    home = get_object_or_404(Assistant.objects.select_related("active_release"), name=assistant)
    form = {name: request.POST.get(name, "").strip() for name in ("model", "key", "message")}
    refusal = _refusal_of(form, home)
    definition = assistant_of(home.active_release) if home.active_release and not refusal else None
    trial = _trial_of(form, definition, clock.now()) if definition else None
    meant = [command_words(command, definition) for command in trial.commands] if trial else []
    facts = {"assistant": home, "trial": trial, "meant": meant, "refusal": refusal, "has_prices": any(soni.NLU_PRICES)}
    facts |= form
    template = "model_trial_result.html" if request.headers.get("HX-Request") else "model_trial.html"
    return render(request, f"dialogue/understanding/{template}", {**facts, "key": ""})


def _refusal_of(form: dict[str, str], home: Assistant) -> str:
    from dialogue.nlu.llm.trial import is_dspy_installed

    limits = {"model": MAX_NAME_CHARACTERS, "key": MAX_KEY_CHARACTERS, "message": MAX_MESSAGE_CHARACTERS}
    too_long = next((name for name, limit in limits.items() if len(form[name]) > limit), "")
    if not is_dspy_installed():
        return _(
            "DSPy is not installed, so no language model can be asked. Start with `make up NLU_MODEL=NAME`, which "
            "installs it, or install requirements/llm.txt."
        )
    if home.active_release is None:
        return _("Publish a release first: the model is asked about its flows.")
    if not form["model"] or not form["message"]:
        return _("Write the name of a model, such as openai/gpt-4o-mini, and a message.")
    if too_long:
        return _("That is too long: at most %(limit)s characters.") % {"limit": limits[too_long]}
    return ""


def _trial_of(form: dict[str, str], definition: "Definition", now: datetime) -> "ModelTrial":
    from dialogue.nlu.llm.trial import try_model
    from dialogue.nlu.training.labelled_examples import first_message_context
    from dialogue.turns.nlu.understanding import chosen

    # The address is the configured one: a form that accepts addresses could reach into the server's own network.
    settings = replace(chosen(), model=form["model"], api_key=form["key"] or soni.NLU_API_KEY)
    return async_to_sync(try_model)(settings, form["message"], first_message_context(definition, now))
