"""The shop's actions, each a request to the world outside, with the key that the engine gave."""

import json
import os
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

from dialogue.engine.actions import ActionFailed, registry

PATIENCE = 3.0


def _ask(name: str, key: str, *, repeatable: bool) -> str:
    body = json.dumps({"key": key, "repeatable": repeatable}).encode()
    request = urllib.request.Request(f"{os.environ['OUTSIDE_URL']}/{name}", body, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            reference: str = json.load(answer)["reference"]
            return reference
    except urllib.error.HTTPError as refused:  # it says that it has done nothing
        raise ActionFailed(f"{name} was refused with {refused.code}") from refused


@registry.action("reserve")
def reserve(inputs: Mapping[str, Any], *, key: str, conversation: str) -> dict[str, Any]:
    return {"place": _ask("reserve", key, repeatable=True)}


@registry.action("pack")
def pack(inputs: Mapping[str, Any], *, key: str, conversation: str) -> dict[str, Any]:
    _ask("pack", key, repeatable=True)
    return {}


@registry.action("charge")
def charge(inputs: Mapping[str, Any], *, key: str, conversation: str) -> dict[str, Any]:
    return {"reference": _ask("charge", key, repeatable=False)}
