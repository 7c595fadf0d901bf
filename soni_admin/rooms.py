"""Which rooms of the app are there to be wired."""

from importlib.util import find_spec


def is_built(module: str) -> bool:
    """Whether the module can be imported; asking imports its packages, never itself."""
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False
