"""What all adapters share: a pause's request has an id of its own, and a request may end without an answer."""

import hashlib
import json
from typing import Any

from soni_client.errors import SoniError
from soni_client.shapes import AgentAnswer


class NotDecided(SoniError):
    """The request ended without an answer for the framework, which stays paused; `answer` says how."""

    def __init__(self, answer: AgentAnswer) -> None:
        super().__init__(f"request {answer.id} ended without an answer: {answer.state}")
        self.answer = answer


def options_of_pause(dialect: str, agent: str, thread: str, pause: list[Any], options: dict[str, Any]) -> Any:
    """Return the options of `ask`. The id comes of the thread and the pause, so a restart finds the same request."""
    digest = hashlib.sha256(json.dumps([thread, *pause], sort_keys=True, default=str).encode()).hexdigest()
    source = {"name": agent, "thread": thread}
    return {"source": source, **options, "dialect": dialect, "id": f"{dialect}-{digest[:40]}"}


def decided(answer: AgentAnswer) -> Any:
    """Return the answer in the framework's shape. Raises NotDecided."""
    if not answer.answer:
        raise NotDecided(answer)
    return answer.answer
