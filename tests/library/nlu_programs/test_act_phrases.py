"""A phrase for an act is added to assistant.yaml with the smallest change; what contradicts another act is refused."""

import pytest

from dialogue.engine.language.documents import SteeringPhrases
from dialogue.library.documents.flow_text import EditRefused, apply_changes
from dialogue.library.nlu_programs.examples import ExampleKnown, act_phrase_change
from dialogue.library.nlu_programs.suggested_examples import MEANT_ACTS
from dialogue.web.shared.words.understanding import ACTS_IN_WORDS

HEAD = "version: 1\nassistant: bank  # ours\n"


def changed(text: str, act: str, phrase: str) -> str:
    return apply_changes(text, [act_phrase_change(text, act, phrase)])


def test_the_first_phrase_stands_at_the_end() -> None:
    assert changed(HEAD, "cancel", "pull the  plug") == f"{HEAD}phrases:\n  cancel:\n    - pull the plug\n"


def test_a_further_act_and_a_further_phrase_keep_what_stands_there() -> None:
    text = changed(changed(HEAD, "cancel", "pull the plug"), "yes", "dale caña")
    text = changed(text, "cancel", "drop it like it's hot")
    assert text == (
        f"{HEAD}phrases:\n  cancel:\n    - pull the plug\n    - drop it like it's hot\n  yes:\n    - dale caña\n"
    )


def test_what_stands_there_already_is_not_added_twice() -> None:
    text = changed(HEAD, "cancel", "pull the plug")
    with pytest.raises(ExampleKnown):
        act_phrase_change(text, "cancel", "Pull the plug")


def test_a_phrase_of_another_act_is_refused() -> None:
    text = changed(HEAD, "cancel", "pull the plug")
    with pytest.raises(EditRefused, match="cancel"):
        act_phrase_change(text, "yes", "pull the plug")


@pytest.mark.parametrize(("act", "phrase"), [("no", "yes"), ("yes", "cancel"), ("cancel", "sí"), ("yes", "  ")])
def test_what_always_means_another_act_is_refused(act: str, phrase: str) -> None:
    with pytest.raises(EditRefused):
        act_phrase_change(HEAD, act, phrase)


@pytest.mark.parametrize(
    "text", ["{version: 1}", "version: 1\nphrases: [a]\n", "version: 1\nphrases:\n  yes: sure\n", ":\n  -x: ["]
)
def test_a_document_of_another_form_is_left_as_it_is(text: str) -> None:
    with pytest.raises(EditRefused):
        act_phrase_change(text, "yes", "dale caña")


def test_every_act_of_the_language_can_be_meant() -> None:
    assert set(MEANT_ACTS) == set(SteeringPhrases.model_fields) == set(ACTS_IN_WORDS)
