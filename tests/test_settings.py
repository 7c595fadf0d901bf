"""The environment's words, the key that a first start makes, and what the settings give to a browser."""

import stat
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest

from dialogue.conf.environment import Environment, SettingRefused
from soni_admin.secret_key import kept_key


def test_a_variable_that_is_not_set_or_blank_gives_the_default():
    env = Environment({"SONI_PORT": " "})

    assert env.whole("SONI_PORT", 8000) == 8000
    assert env.words("SONI_HOSTS", "a, b,") == ["a", "b"]
    assert env.flag("SONI_DEBUG") is False


@pytest.mark.parametrize(("word", "meaning"), [("1", True), ("Yes", True), ("off", False), ("FALSE", False)])
def test_a_switch_understands_yes_and_no(word, meaning):
    assert Environment({"SONI_DEBUG": word}).flag("SONI_DEBUG", default=not meaning) is meaning


@pytest.mark.parametrize("word", ["-1", "1.5", "²", "eight"])
def test_a_number_that_is_not_whole_is_refused(word):
    with pytest.raises(SettingRefused, match="SONI_PORT"):
        Environment({"SONI_PORT": word}).whole("SONI_PORT", 8000)


@pytest.mark.parametrize("word", ["10.0.0.0/33", "proxy", "10.0.0"])
def test_a_proxy_that_is_no_address_is_refused_and_one_that_is_becomes_a_network(word):
    with pytest.raises(SettingRefused, match="SONI_TRUSTED_PROXIES"):
        Environment({"SONI_TRUSTED_PROXIES": f"127.0.0.1, {word}"}).networks("SONI_TRUSTED_PROXIES")

    known = Environment({"SONI_TRUSTED_PROXIES": "127.0.0.1, 10.1.2.3/8"}).networks("SONI_TRUSTED_PROXIES")
    assert [str(network) for network in known] == ["127.0.0.1/32", "10.0.0.0/8"]


def test_the_first_start_makes_a_key_that_only_its_owner_reads_and_later_starts_keep_it(tmp_path):
    path = tmp_path / "data" / "secret_key"

    first, second = kept_key(path), kept_key(path)

    assert first == second
    assert len(first) >= 50
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "content", [b"", b" \n", b"\xff\xfe\x00key", b"a\x00b"], ids=["empty", "blank", "binary", "nul"]
)
def test_a_file_without_a_key_is_refused_in_a_sentence_that_says_what_to_do(tmp_path, content):
    path = tmp_path / "secret_key"
    path.write_bytes(content)

    with pytest.raises(SettingRefused) as refused:
        kept_key(path)

    assert str(path) in str(refused.value)
    assert "delete it, and the next start makes a new key" in str(refused.value)


def test_a_key_that_cannot_be_read_is_refused_in_a_sentence(tmp_path):
    path = tmp_path / "secret_key"
    path.mkdir()

    with pytest.raises(SettingRefused, match="cannot be read: Is a directory"):
        kept_key(path)


def test_processes_that_start_together_agree_on_one_key(tmp_path):
    with ThreadPoolExecutor(8) as starts:
        keys = set(starts.map(kept_key, [tmp_path / "secret_key"] * 8))

    assert len(keys) == 1
    assert [left.name for left in tmp_path.iterdir()] == ["secret_key"]


@pytest.mark.django_db
def test_pages_come_with_a_policy_that_allows_nothing_inline(client):
    policy = client.get("/admin/login/")["Content-Security-Policy"]

    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy


def test_an_amount_is_read_as_it_is_written():
    assert Environment({"NLU_PRICE_IN": "0.15"}).decimal("NLU_PRICE_IN") == Decimal("0.15")


@pytest.mark.parametrize("word", ["-1", "much", "nan", "Infinity", "1,5"])
def test_what_is_no_amount_is_refused(word):
    with pytest.raises(SettingRefused, match="NLU_PRICE_IN"):
        Environment({"NLU_PRICE_IN": word}).decimal("NLU_PRICE_IN")
