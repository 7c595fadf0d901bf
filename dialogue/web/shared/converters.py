"""How addresses name things."""


class GateNumber:
    """The number of a gate in an address, small enough for every database's integers."""

    regex = "[0-9]{1,18}"

    def to_python(self, value: str) -> int:
        return int(value)

    def to_url(self, value: int) -> str:
        return str(value)
