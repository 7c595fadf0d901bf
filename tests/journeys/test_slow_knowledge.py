"""A knowledge base that thinks for long holds up its own conversation, and nothing else of the process."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.processes.guide_project import Project, guide_project
from tests.support.processes.server import Server

pytestmark = pytest.mark.journey

SLOW = """
import time
from pathlib import Path

from dialogue.engine.knowledge import Passage

HERE = Path(__file__).parent


class Slow:
    def __init__(self, assistant):
        pass

    def answer(self, question):
        (HERE / "asked").write_text(question.text)
        until = time.monotonic() + 100
        while not (HERE / "go").exists() and time.monotonic() < until:
            time.sleep(0.05)
        return [Passage("At last.", source="The archive")]
"""


@pytest.fixture
def shop(tmp_path: Path) -> Project:
    project = guide_project(tmp_path, SONI_KNOWLEDGE="shop.slow.Slow", SONI_LOOKUP_SECONDS="120", SONI_HELP="")
    project.write("shop/slow.py", SLOW)
    return project


def test_while_an_answer_is_looked_up_the_process_lives_and_others_are_answered(shop: Project) -> None:
    server = Server(shop.folder / "data", **shop.environment)
    server.start("--no-demo")
    try:
        shop.manage("load_flows", str(shop.folder / "shop" / "flows"), "--publish")
        ursula, victor = (server.post("/api/v1/conversations", {"assistant": "shop"}).body for _each in range(2))
        with ThreadPoolExecutor() as pool:
            body = {"id": "m1", "text": "what is your policy?"}
            path = f"/api/v1/conversations/{ursula['id']}/messages"
            looked_up = pool.submit(server.post, path, body, ursula["token"])
            wait_for(shop.folder / "shop" / "asked")

            alive = [server.get("/health/live").status for _each in range(5)]
            said = server.post(
                f"/api/v1/conversations/{victor['id']}/messages", {"id": "m1", "text": "help"}, victor["token"]
            )
            waited = not looked_up.done()
            (shop.folder / "shop" / "go").write_text("")
            answer = looked_up.result()
    finally:
        server.kill()

    assert alive == [200] * 5
    assert said.body["messages"][0]["key"] == "help"
    assert waited
    assert answer.body["messages"][-1]["text"] == "At last.\n\nFrom: The archive"


def wait_for(file: Path) -> None:
    until = time.monotonic() + 60
    while not file.exists():
        assert time.monotonic() < until, f"{file} did not appear"
        time.sleep(0.05)
