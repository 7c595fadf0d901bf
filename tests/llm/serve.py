"""`python -m tests.llm.serve MODEL.gguf`: llama.cpp behind an OpenAI-compatible address, which is printed first.

Runs in a process of its own, where the packages of requirements/llm-test.txt can be imported.
"""

import os
import sys
import threading
from pathlib import Path
from typing import Any

CONTEXT = 30_720
# So many beginnings of prompts are kept: a question with its program, without, and without demonstrations.
SLOTS = 3
# All of them begin with the same instructions; less alike than this takes the beginning that was asked for longest ago.
ALIKE = 0.6
THREADS = int(os.environ.get("SONI_TEST_LLM_THREADS", "2"))


def main() -> None:
    import xllamacpp

    wanted: Any = xllamacpp.CommonParams()
    wanted.model.path = str(Path(sys.argv[1]).resolve())
    wanted.n_ctx, wanted.n_parallel, wanted.port = CONTEXT, SLOTS, 0
    wanted.slot_prompt_similarity = ALIKE
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = THREADS
    wanted.verbosity, wanted.warmup, wanted.ui = 0, False, False
    server = xllamacpp.Server(wanted)
    print(server.listening_address, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
