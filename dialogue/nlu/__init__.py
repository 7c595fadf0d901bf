"""Natural language understanding (NLU): from a message to commands. `build_nlu` builds a pipeline."""

from dialogue.nlu.pipeline.nlu_pipeline import MODES, NLUPipeline, NoSuchMode, build_nlu

__all__ = ["MODES", "NLUPipeline", "NoSuchMode", "build_nlu"]
