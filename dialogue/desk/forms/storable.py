"""Text from outside, made fit for a database: no NUL and no lone surrogate can be stored."""

from typing import Any


def storable(value: Any) -> Any:
    """The value with every NUL and lone surrogate in its texts replaced by the replacement character."""
    match value:
        case str():
            return value.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case dict():
            return {storable(str(key)): storable(item) for key, item in value.items()}
        case list() | tuple():
            return [storable(item) for item in value]
        case _:
            return value
