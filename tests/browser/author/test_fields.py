"""An assistant is written in fields: by mouse and by keyboard, without a line of YAML typed."""

from collections.abc import Mapping
from typing import Any

import pytest

from dialogue.engine.language.compiler import load_assistant
from dialogue.engine.language.documents import Assistant
from dialogue.engine.source.parser import read_source
from tests.support.browser.fields import KeyboardHand, MouseHand, begin_assistant, write_assistant, write_flow
from tests.support.browser.house import House, token_of
from tests.support.browser.windows import Windows
from tests.support.releases import demo

pytestmark = pytest.mark.browser


def meaning(assistant: Assistant) -> dict[str, Any]:
    """What an assistant says and does, without its name."""
    own = assistant.model_dump(mode="json", exclude={"assistant", "title"})
    return {**own, "flows": {name: flow.model_dump(mode="json") for name, flow in assistant.flows.items()}}


def written(house: House, name: str, flows: Mapping[str, str]) -> Assistant:
    """The saved documents of an assistant, but for the flow that it began with."""
    path = f"/api/v1/assistants/{name}/flows"
    saved = {file: house.server.get(f"{path}/{file.removesuffix('.yaml')}", token_of("arthur")).body for file in flows}
    return load_assistant({file: flow["text"] for file, flow in saved.items()})


@pytest.mark.parametrize("hand_type", [MouseHand, KeyboardHand], ids=["mouse", "keyboard"])
def test_the_demo_bank_is_written_without_yaml(window: Windows, house: House, hand_type: type[MouseHand]):
    name = f"harbour_{hand_type.__name__.lower()}"
    documents = demo("bank")
    hand = hand_type(window("arthur", "/flows/"))

    begin_assistant(hand, house.url, name)
    address = f"{house.url}/flows/{name}/"
    write_assistant(hand, address, read_source(documents["assistant.yaml"]).tree)
    for file in ("check_balance.yaml", "block_card.yaml", "transfer_money.yaml"):
        write_flow(hand, address, read_source(documents[file]).tree)

    assert meaning(written(house, name, documents)) == meaning(load_assistant(documents))
