"""Switches that libraries read from the environment when they are imported: set before anything imports them."""

import os

TRACING_NAMES = ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2")
"""The names under which LangSmith's tracing can be switched on, as langsmith 0.x reads them; any one is enough."""


def set_safe_defaults() -> None:
    """Let checkpoints run no code and conversations leave for no outside service, unless the environment says so."""
    os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")
    for name in TRACING_NAMES:
        os.environ.setdefault(name, "false")
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
