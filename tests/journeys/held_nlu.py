"""An understanding that takes its time, as a slow language model does: it waits as long as a file tells it to.

It comes with the actions of the bank, since a process imports the modules that `SONI_ACTIONS` names.
"""

import asyncio
import os
from pathlib import Path
from typing import Any

from dialogue.nlu.pipeline.chain import Chain
from tests.journeys import slow_bank  # noqa: F401  (importing registers the actions)

_folder = Path(os.environ["HELD_NLU"])
_understand = Chain.understand


async def _understand_late(self: Chain, *args: Any) -> Any:
    (_folder / "asked").touch()
    while (_folder / "hold").exists():
        await asyncio.sleep(0.01)
    return await _understand(self, *args)


Chain.understand = _understand_late  # type: ignore[assignment,method-assign]
