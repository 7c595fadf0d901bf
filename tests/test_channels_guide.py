"""The channel of docs/channels.md: a project adds it by a setting, and a conversation runs through it."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.checks import run_checks
from django.test import Client

from dialogue.channels.connections import add_connection
from dialogue.channels.credentials import secrets_of
from dialogue.channels.sending import deliver_lines
from dialogue.models import ChannelThread
from dialogue.turns.worker import drain
from tests.channels.conftest import ASSISTANT
from tests.support.releases import publish
from tests.support.transfers import person
from tests.support.webhooks import running_receiver

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.enable_socket]
GUIDE = Path("docs/channels.md").read_text()


def test_a_conversation_runs_through_the_channel_of_the_guide(
    tmp_path: Path, settings: Any, client: Client, monkeypatch: pytest.MonkeyPatch
):
    match = re.search(r"<!-- kiosk.py -->\n```python\n(.*?)```", GUIDE, re.DOTALL)
    assert match is not None
    (tmp_path / "kiosk_of_the_guide.py").write_text(match[1])
    monkeypatch.syspath_prepend(str(tmp_path))
    settings.SONI = {**getattr(settings, "SONI", {}), "CHANNELS": ["kiosk_of_the_guide.Kiosk"]}
    assert [found for found in run_checks() if found.id == "soni.E020"] == []
    with running_receiver(monkeypatch) as kiosk:
        values = {"address": "lobby", "url": kiosk.url}
        row = add_connection(publish(ASSISTANT).assistant, "kiosk", values, person("sofia", "Sofia Berg"))

        def say(number: int, text: str, secret: str = "") -> int:
            headers = {"authorization": f"Bearer {secret or secrets_of(row.salt)[0]}"}
            body = json.dumps({"id": f"k{number}", "visitor": "v1", "text": text})
            status: int = client.post(f"/channels/{row.uid}/", body, "application/json", headers=headers).status_code
            for thread in ChannelThread.objects.all():
                asyncio.run(drain(thread.conversation_id))
            deliver_lines()
            return status

        assert [say(1, "I want to order"), say(2, "a lamp"), say(2, "a lamp"), say(3, "yes")] == [200] * 4
        assert say(4, "hello", "wrong") == 401
        assert client.post(f"/channels/{row.uid}/", b"x", "text/plain").status_code == 401
        texts = [body["text"] for body in kiosk.bodies]
    assert texts == ["What shall it be?", "Order a lamp?\n\nSay one of: Yes / No", "a lamp is ordered."]
    assert ChannelThread.objects.get().conversation.channel == "kiosk"


@pytest.mark.parametrize("name", ["nowhere.Kiosk", "json.dumps", "dialogue.channels.port.Line"])
def test_a_name_that_is_no_channel_is_reported(settings: Any, name: str):
    settings.SONI = {**getattr(settings, "SONI", {}), "CHANNELS": [name]}

    (found,) = [found for found in run_checks() if found.id == "soni.E020"]
    assert name in found.msg
