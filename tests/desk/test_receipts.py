"""Receipts: a verifier without our code finds every alteration, and rotated keys stay readable."""

import json
import random
import re
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connections, transaction

from dialogue.desk.agent_requests.answers import request_view
from dialogue.desk.sessions import service
from dialogue.desk.sessions.receipts import ensure_key, public_keys, receipt_of
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.models import AgentRequest, HITLSession, ReceiptKey
from tests.support.agents import agent_gate
from tests.support.transfers import person

pytestmark = pytest.mark.django_db
VERIFIER = Path(__file__).parents[2] / "docs" / "verify_receipt.py"
ALTERATIONS = 10_000


def verifier() -> Any:
    spec = spec_from_file_location("verify_receipt", VERIFIER)
    assert spec and spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def olga() -> Caller:
    return Caller(person("olga", "Olga Petrov", "operators").pk, "page")


@pytest.fixture
def gate(olga: Caller) -> HITLSession:
    gate = agent_gate()
    service.submit(gate.pk, olga, Answer("edit", {"amount": 400.0}))
    gate.refresh_from_db()
    return gate


def test_a_decision_has_a_receipt_that_says_who_what_when_and_where_in_the_chain(gate: HITLSession):
    receipt = receipt_of(gate)

    assert receipt is not None
    payload = verifier().verify(receipt, {"keys": public_keys()})
    assert (payload["action"], payload["decided_by"], payload["through"]) == ("edit", "Olga Petrov", "page")
    assert (payload["permission"], payload["step"]) == ("decide_hitlsession", "issue_refund")
    assert payload["chain"]["name"] == str(gate.conversation_id)
    assert not re.search(r"(?<![0-9a-f])420(?![0-9a-f])", json.dumps(payload)), "values stand in it as digests"


def test_no_decision_has_no_receipt():
    assert receipt_of(agent_gate()) is None


def test_where_several_people_agree_the_receipt_names_them_all(olga: Caller):
    gate, sofia = agent_gate(people=2), Caller(person("sofia", "Sofia Berg", "supervisors").pk, "page")
    service.submit(gate.pk, olga, Answer("approve"))
    service.submit(gate.pk, sofia, Answer("approve"))
    gate.refresh_from_db()
    receipt = receipt_of(gate)

    assert receipt is not None
    payload = verifier().verify(receipt, {"keys": public_keys()})
    assert payload["decided_by"] == "Sofia Berg"
    assert [(agreed["by"], agreed["account"]) for agreed in payload["agreed"]] == [("Olga Petrov", olga.user)]
    assert 0 < payload["agreed"][0]["number"] < payload["chain"]["number"]


def test_an_agent_gets_the_receipt_with_its_answer(gate: HITLSession):
    view = request_view(AgentRequest.objects.get())

    assert verifier().verify(view["sessions"][0]["receipt"], {"keys": public_keys()})["session"] == gate.name
    assert request_view(AgentRequest.objects.get()) == view


def test_every_alteration_is_found(gate: HITLSession):
    check, keys, randomness = verifier(), {"keys": public_keys()}, random.Random(19)
    text = json.dumps(receipt_of(gate))
    original = json.loads(text)
    tried = found = 0
    while tried < ALTERATIONS:
        place = randomness.randrange(len(text))
        letter = chr(randomness.randrange(32, 127))
        altered = randomness.choice((text[:place] + letter + text[place + 1 :], text[:place] + text[place + 1 :]))
        try:
            receipt = json.loads(altered, object_pairs_hook=check.read_once)
        except (ValueError, check.Forged):
            tried, found = tried + 1, found + 1  # it cannot even be read
            continue
        if receipt == original and json.dumps(receipt) == text:
            continue  # blanks between the parts say nothing
        tried += 1
        try:
            check.verify(receipt, keys)
        except check.Forged:
            found += 1

    assert (found, tried) == (ALTERATIONS, ALTERATIONS)


def test_a_receipt_stays_valid_when_its_key_is_retired(gate: HITLSession, capsys: pytest.CaptureFixture[str]):
    before = receipt_of(gate)
    call_command("rotate_receipt_key")
    after = receipt_of(gate)

    assert before and after
    assert before["payload"]["key"] != after["payload"]["key"]
    keys = {"keys": public_keys()}
    assert verifier().verify(before, keys) and verifier().verify(after, keys)
    assert "from now on" in capsys.readouterr().out


def test_another_secret_of_the_installation_gives_another_key(gate: HITLSession, settings: Any):
    before = receipt_of(gate)
    settings.SECRET_KEY = "another secret of the installation, long enough"
    after = receipt_of(gate)

    assert before and after
    assert ReceiptKey.objects.count() == 2
    assert verifier().verify(before, {"keys": public_keys()})


def test_a_server_has_the_key_before_the_first_decision_and_makes_it_once():
    ensure_key()
    ensure_key()

    gate = agent_gate()
    service.submit(gate.pk, Caller(person("olga", "Olga Petrov", "operators").pk, "page"), Answer("approve"))
    gate.refresh_from_db()
    receipt, key = receipt_of(gate), ReceiptKey.objects.get()

    assert receipt and gate.decided_at
    assert receipt["payload"]["key"] == key.name
    assert key.created_at <= gate.decided_at


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_servers_that_start_at_the_same_moment_make_one_key():
    def start_other() -> None:
        ensure_key()
        connections.close_all()

    other = Thread(target=start_other)
    with transaction.atomic():
        ensure_key()
        other.start()
        other.join(0.5)  # it sees no key yet, and waits for this transaction
    other.join()

    assert ReceiptKey.objects.get().retired_at is None


def test_the_verifier_without_its_files_says_what_it_needs(tmp_path: Path):
    def run(*arguments: str) -> Any:
        command = [sys.executable, "-I", str(VERIFIER), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)

    bare, missing = run(), run("receipt.json", "keys.json")

    assert (bare.returncode, bare.stderr) == (1, "usage: python verify_receipt.py RECEIPT.json KEYS.json\n")
    assert missing.returncode == 2
    assert missing.stdout.startswith("CANNOT BE READ: ") and "receipt.json" in missing.stdout


def test_the_verifier_runs_by_itself_and_is_short(gate: HITLSession, tmp_path: Path):
    receipt = receipt_of(gate)
    assert receipt
    (tmp_path / "keys.json").write_text(json.dumps({"keys": public_keys()}))
    outputs = []
    for name, payload in (("genuine", receipt["payload"]), ("forged", {**receipt["payload"], "action": "approve"})):
        (tmp_path / f"{name}.json").write_text(json.dumps({**receipt, "payload": payload}))
        command = [sys.executable, "-I", str(VERIFIER), str(tmp_path / f"{name}.json"), str(tmp_path / "keys.json")]
        outputs.append(subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path))

    assert [done.returncode for done in outputs] == [0, 1]
    assert outputs[0].stdout.startswith("GENUINE: ")
    assert outputs[1].stdout.startswith("FORGED: ")
    assert len(VERIFIER.read_text().splitlines()) <= 100
    assert "dialogue" not in VERIFIER.read_text()
