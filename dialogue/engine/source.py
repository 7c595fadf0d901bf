"""YAML text to a tree with positions."""

from decimal import Decimal
from typing import Any

from ruamel.yaml import YAML


def read_tree(text: str) -> Any:
    return _plain(YAML(typ="safe", pure=True).load(text))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return tuple(_plain(each) for each in value)
    return Decimal(str(value)) if isinstance(value, float) else value
