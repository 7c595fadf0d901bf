"""Processes that end by `kill -9` between taking a message and acknowledging it, and around the sending of a line."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from dialogue.turns.process.crash_points import CHANNEL_POINTS
from tests.support.telegram import running_telegram

ROOT = Path(__file__).resolve().parents[2]
KILLS_PER_POINT = 5
PROGRAM = """
import json, os, signal, sys
import django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from django.db import connection
from django.test import Client
from django.contrib.auth import get_user_model
from dialogue.channels.arrivals import receive
from dialogue.channels.connections import add_connection
from dialogue.channels.credentials import secrets_of
from dialogue.channels.port import Request
from dialogue.channels.sending import deliver_lines
from dialogue.channels.threads import add_line
from dialogue.models import ChannelThread, Event, ChannelArrival, Conversation
from dialogue.turns import clock
from dialogue.turns.process.crash_points import set_trap
from tests.channels.conftest import ASSISTANT
from tests.support.releases import publish
from tests.support.telegram import TOKEN, message

by = get_user_model().objects.create_user("sofia")
bot = add_connection(publish(ASSISTANT).assistant, "telegram", {"token": TOKEN}, by)

def deliver(update, text):
    headers = {"x-telegram-bot-api-secret-token": secrets_of(bot.salt)[0]}
    receive(bot, Request(headers, json.dumps(message(update, text)).encode()))

def killed_at(point, work):
    connection.close()
    child = os.fork()
    if child == 0:
        set_trap(lambda passed: os.kill(os.getpid(), signal.SIGKILL) if passed == point else None)
        work()
        os._exit(0)
    return os.waitpid(child, 0)[1] == signal.SIGKILL

kills = []
for number in range(1, int(sys.argv[1]) + 1):
    kills.append(killed_at("N1", lambda: deliver(number, f"N1 {number}")))
    deliver(number, f"N1 {number}")
talk = Conversation.objects.get().pk
for number in range(int(sys.argv[1])):
    for point in ("N2", "N3"):
        add_line(talk, "reminder", f"{point} {number}")
        kills.append(killed_at(point, deliver_lines))
        ChannelThread.objects.update(due_at=clock.now())  # two minutes later
        deliver_lines()
thread = ChannelThread.objects.get()
texts = [event.payload["text"] for event in Event.objects.order_by("number")]
print(json.dumps({
    "kills": sum(kills), "texts": texts, "arrivals": ChannelArrival.objects.count(),
    "waits": thread.latest - thread.sent,
    "deliveries": list(thread.deliveries.values_list("state", flat=True)),
}))
"""


@pytest.mark.enable_socket
@pytest.mark.journey
def test_nothing_is_lost_and_at_most_one_message_is_sent_again(tmp_path: Path):
    with running_telegram() as telegram:
        environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "soni_admin.settings", "SONI_DATA": str(tmp_path)}
        environment |= {
            "SONI_TELEGRAM_URL": telegram.url,
            "DATABASE_URL": "",
            "NLU_EMBEDDED": "off",
            "SONI_DEBUG": "true",
        }
        words = [sys.executable, "-c", PROGRAM, str(KILLS_PER_POINT)]
        done = subprocess.run(
            words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=240
        )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)

    assert found["kills"] == len(CHANNEL_POINTS) * KILLS_PER_POINT
    assert found["texts"] == [f"N1 {number}" for number in range(1, KILLS_PER_POINT + 1)]
    assert found["arrivals"] == KILLS_PER_POINT
    assert found["waits"] == 0
    assert set(found["deliveries"]) == {"sent"}
    times = Counter(telegram.sent)
    assert {text: count for text, count in times.items() if text.startswith("N2")} == {
        f"N2 {number}": 1 for number in range(KILLS_PER_POINT)
    }
    assert {text: count for text, count in times.items() if text.startswith("N3")} == {
        f"N3 {number}": 2 for number in range(KILLS_PER_POINT)
    }
    assert list(dict.fromkeys(telegram.sent)) == [
        f"{point} {number}" for number in range(KILLS_PER_POINT) for point in ("N2", "N3")
    ]
