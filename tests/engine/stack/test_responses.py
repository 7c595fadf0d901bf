import re

import pytest

from dialogue.engine.slots.builtin_responses import RESPONSES, placeholder_names
from dialogue.engine.stack.responses import Responses, Template, TemplateRefused, Translated
from tests.support.engine.small_flows import ASSISTANT, shop

MESSAGE_KEYS = [
    "ask", "rejected", "corrected", "cannot_skip", "cancelled", "nothing_to_cancel", "resumed", "offer_resume",
    "plan", "clarify", "answer", "explain", "help", "status", "chitchat", "cannot_handle", "empty_message",
    "message_too_long", "ask_change", "waiting", "expired", "handoff", "confirm_restart", "restarted",
    "not_allowed",
    "cleared", "already_done", "too_many_flows", "dropped", "session_ended", "no_answer", "action_failed",
    "loop_limit", "error",
]  # fmt: skip


def responses(written="", language="en"):
    assistant = ASSISTANT.replace("title: Shop", f"title: Shop\nlanguage: {language}")
    return Responses(shop(assistant=assistant + written))


def test_a_template_shows_each_slot_that_it_names():
    template = Template("Send {amount} to {beneficiary}, {iban}?")

    text = template.render({"amount": "€5.00", "beneficiary": "Ana", "iban": "DE89"}.get)

    assert text == "Send €5.00 to Ana, DE89?"
    assert template.names == {"amount", "beneficiary", "iban"}


def test_of_alternatives_the_first_that_is_filled_is_shown():
    template = Template("{pickup|email}")

    assert template.render({"pickup": None, "email": "mia@example.org"}.get) == "mia@example.org"
    assert template.render({"pickup": "Central", "email": "mia@example.org"}.get) == "Central"
    assert template.groups == (("pickup", "email"),)


def test_an_empty_slot_shows_nothing_and_never_its_placeholder():
    assert Template("Hello {name}!").render(lambda name: None) == "Hello !"


def test_a_value_that_looks_like_a_placeholder_is_not_read_again():
    assert Template("{a}").render({"a": "{b}", "b": "secret"}.get) == "{b}"


def test_parts_of_objects_are_named_with_a_point():
    assert Template("{address.town}").render({"address.town": "Rome"}.get) == "Rome"


@pytest.mark.parametrize(
    "text",
    ["{{name}}", "{ name }", "{name", "name}", "{}", "{name.a.b.c.d.e.f.g.h}", "{slot.__class__}", "{x:>9}", "{x!r}",
     "{x[0]}", "{Name}", "{a|}", "{a||b}", "{0}", "{x}}", "{" * 3_000],
)  # fmt: skip
def test_every_other_use_of_braces_is_refused(text):
    with pytest.raises(TemplateRefused):
        Template(text)


def test_a_message_has_at_most_four_thousand_characters():
    assert Template("a" * 4_000).names == frozenset()
    with pytest.raises(TemplateRefused, match="4,001"):
        Template("a" * 4_001)


def test_a_translated_text_is_shown_in_the_language_of_the_conversation():
    template = Template(Translated("Bye {name}", {"en": "Bye {name}", "es": "Adiós {nombre}"}))

    assert template.in_language("es-MX").render({"nombre": "Ana"}.get) == "Adiós Ana"
    assert template.in_language("fr").render({"name": "Ana"}.get) == "Bye Ana"
    assert template.names == {"name", "nombre"}


@pytest.mark.parametrize("key", MESSAGE_KEYS)
def test_every_key_of_the_engine_has_an_english_and_a_spanish_text(key):
    english, spanish = RESPONSES[key].english, RESPONSES[key].spanish

    assert english and spanish
    assert Template(english).names == Template(spanish).names
    assert Template(english).names <= placeholder_names(key)


@pytest.mark.parametrize("key", sorted(RESPONSES))
@pytest.mark.parametrize("language", ["en", "es", "fr", "es-MX"])
def test_no_text_holds_a_raw_placeholder_even_when_nothing_is_known(key, language):
    assert not re.search(r"[{}]", responses().say(key, language))


def test_values_are_filled_in():
    assert responses().say("cancelled", "en", flow="pay a bill") == "All right, I have stopped: pay a bill."
    assert responses().say("cancelled", "es", flow="pay a bill") == "De acuerdo, lo dejo: pay a bill."


def test_help_names_the_flows_that_can_be_started():
    assert responses().say("cannot_handle", "en").endswith("pay a bill.")


def test_an_assistant_overrides_a_text_and_gives_variations():
    own = responses('responses: {cancelled: ["Dropped {flow}.", "No {flow} then."]}\n')

    assert own.say("cancelled", "en", variation=0, flow="it") == "Dropped it."
    assert own.say("cancelled", "en", variation=1, flow="it") == "No it then."
    assert own.say("cancelled", "en", variation=2, flow="it") == "Dropped it."


def test_an_override_for_one_flow_goes_before_the_general_one():
    own = responses("responses: {cancelled: Dropped., 'cancelled:pay': Unpaid.}\n")

    assert own.say("cancelled:pay", "en") == "Unpaid."
    assert own.say("cancelled:other", "en") == "Dropped."


def test_an_english_override_leaves_the_spanish_text_alone():
    own = responses("responses: {handoff: Hold on., help: {es: Pida lo que quiera.}}\n")

    assert own.say("handoff", "es").startswith("Un compañero")
    assert own.say("help", "es-MX") == "Pida lo que quiera."
    assert own.say("help", "en").startswith("I can help")


def test_a_language_without_built_in_texts_hears_the_assistants_own():
    own = responses("responses: {handoff: Un momento per favore.}\n", language="it")

    assert own.say("handoff", "it") == "Un momento per favore."
    assert own.say("handoff", "de") == "Un momento per favore."
    assert own.say("no_answer", "it") == RESPONSES["no_answer"].english
