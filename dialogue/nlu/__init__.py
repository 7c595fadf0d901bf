"""Understanding: from a message to commands. `build_nlu` makes one for an assistant."""

from dialogue.nlu.chain import Chain, Mode, build_nlu

__all__ = ["Chain", "Mode", "build_nlu"]
