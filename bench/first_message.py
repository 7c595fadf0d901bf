"""The first message of the embedded mode after a start on data that are there already, and the next; in milliseconds.

`manage.py up` runs in a process of its own, with whatever extras are installed. Prints one JSON object.
"""

import json
import os
import tempfile
import time
from pathlib import Path

from tests.support.processes.server import Server

TEXTS = ("I want to send money", "send money to somebody")


def main() -> None:
    server = Server(Path(os.environ.get("SONI_DATA") or tempfile.mkdtemp()))
    try:
        server.start()  # the database is made, the demo published
        server.kill()
        server.start()
        first, second = (answered(server, text) for text in TEXTS)
    finally:
        server.kill()
    print(json.dumps({"first": first, "second": second}))


def answered(server: Server, text: str) -> float:
    """Opens a conversation, then the milliseconds from a message to its answer."""
    opened = server.post("/api/v1/conversations", {"assistant": "bank"}).body
    began = time.perf_counter()
    answer = server.post(f"/api/v1/conversations/{opened['id']}/messages", {"id": "m1", "text": text}, opened["token"])
    took = (time.perf_counter() - began) * 1_000
    if answer.status != 200 or not answer.body["messages"]:
        raise SystemExit(f"no answer: {answer}")
    return took


if __name__ == "__main__":
    main()
