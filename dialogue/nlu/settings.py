"""What the host decides about understanding. The environment is the host's to read."""

from dataclasses import dataclass


@dataclass(frozen=True)
class NLUSettings:
    """`embedded`: compare by meaning, which needs the extra of that name."""

    embedded: bool = False
