"""What a perfect language model could reach in the mode `auto`: it is right whenever it is asked.

What it is not asked about stays as the local components read it: the ceiling shows how many wrong readings look sure.
The model's answers are the labels, and are checked like any model's, so that a command that is not possible is dropped.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path

from bench.nlu.figures import share_line
from bench.nlu.lessons import dialogue_lessons
from bench.nlu.sgd_flows import assistant_of
from dialogue.nlu import NLUPipeline, build_nlu
from dialogue.nlu.llm.component import LLMComponent
from dialogue.nlu.pipeline.buttons import ButtonComponent
from dialogue.nlu.pipeline.nlu_pipeline import LOCAL_COMPONENTS, MODES
from dialogue.nlu.readers.proposal import Proposal
from dialogue.nlu.settings import NLUSettings
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.training.evaluation import EvaluationTally
from dialogue.nlu.training.labelled_examples import LabelledExample

MIN_CEILING_PERCENT, MAX_CALLS_PER_TURN = 95.0, 0.5


class PerfectModel(LLMComponent):
    """Answers with the labels of the example that is asked, and counts the calls."""

    def __init__(self) -> None:
        super().__init__(NLUSettings(model="labels"))
        self.example: LabelledExample | None = None
        self.calls = 0

    async def propose(self, utterance: Utterance) -> Proposal | None:
        self.calls += 1
        commands = self.example.first_commands if self.example else ()
        return Proposal(commands) if commands else None


def table(folder: Path) -> Iterator[str]:
    """Exact turns without a model and with a perfect one, in SGD's labelled turns; and its calls in all turns."""
    assistant = assistant_of(folder)
    examples = list(dialogue_lessons(folder, assistant))
    for name, use_embeddings in (("with", True), ("without", False)):
        settings = NLUSettings(use_embeddings=use_embeddings, model="labels")
        learned = build_nlu(assistant, "learned", settings)
        learned.prepare()
        model = PerfectModel()
        auto = NLUPipeline(learned.assistant_index, list(_components(model)), settings, "auto")
        own, best = EvaluationTally(), EvaluationTally()
        for example in examples:
            model.example = example
            if example.expected:
                asyncio.run(own.ask(learned, example))
                asyncio.run(best.ask(auto, example))
            else:
                asyncio.run(auto.understand(example.message, example.context))
        yield share_line(f"{name}: exact turns, no model", sum(own.report().right), own.report().turns)
        right = sum(best.report().right)
        yield share_line(f"{name}: … a perfect model, asked in `auto`", right, best.report().turns, MIN_CEILING_PERCENT)
        calls = model.calls / len(examples)
        yield f"{name}: calls a turn {calls:.2f} of {len(examples)} turns (at most {MAX_CALLS_PER_TURN:g})"


def _components(model: PerfectModel) -> Iterator[ButtonComponent | PerfectModel]:
    for name in MODES["auto"]:
        if name in LOCAL_COMPONENTS:
            yield LOCAL_COMPONENTS[name]()  # type: ignore[misc]
        elif name == model.name:
            yield model
