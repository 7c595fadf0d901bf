"""Understanding: from a message to commands. `build_nlu` makes one for an assistant."""

from dialogue.nlu.pipeline.chain import MODES, Chain, NoSuchMode, build_nlu

__all__ = ["MODES", "Chain", "NoSuchMode", "build_nlu"]
