"""An understanding that takes its time, as a slow language model does: it waits as long as a file tells it to.

It comes with the actions of the bank, since a process imports the modules that `SONI_ACTIONS` names.
"""

import asyncio
import os
from pathlib import Path
from typing import Any

from dialogue.nlu.pipeline.nlu_pipeline import NLUPipeline
from tests.support.journeys import slow_bank  # noqa: F401  (importing registers the actions)

_folder = Path(os.environ["HELD_NLU"])
_understand = NLUPipeline.understand


async def _understand_late(self: NLUPipeline, *args: Any) -> Any:
    (_folder / "asked").touch()
    while (_folder / "hold").exists():
        await asyncio.sleep(0.01)
    return await _understand(self, *args)


NLUPipeline.understand = _understand_late  # type: ignore[assignment,method-assign]
