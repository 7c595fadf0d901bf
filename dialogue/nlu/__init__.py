"""Understanding: from a message to commands. `build_nlu` makes one for an assistant."""

from dialogue.nlu.pipeline.nlu_pipeline import MODES, NLUPipeline, NoSuchMode, build_nlu

__all__ = ["MODES", "NLUPipeline", "NoSuchMode", "build_nlu"]
