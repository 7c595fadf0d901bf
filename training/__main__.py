"""`make train-reader DATA=FOLDER`: train the readers of messages on public data; prints what they get right.

FOLDER holds `sgd/`, `snips/`, `multidogo/` and `clinc/`. The same data, seed and versions give the same files.
"""

import argparse
from importlib import import_module
from pathlib import Path

NLU = Path(__file__).parents[1] / "dialogue" / "nlu"
HEADS, EMBEDDINGS = NLU / "heads", NLU / "text" / "embeddings"
# A part is a module with `train(data, folder, seed)`, which yields lines to print, and where its file belongs; it is
# imported when it is run.
PARTS = {
    "spans": ("training.spans", HEADS),
    "acts": ("training.acts", HEADS),
    "encoder": ("training.encoder", EMBEDDINGS),
    "request_words": ("training.requests.words", HEADS),
    "requests": ("training.requests", HEADS),
    "doubt": ("training.doubt", HEADS),
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, required=True, help="folder of sgd/, snips/, multidogo/ and clinc/")
    options.add_argument("--out", type=Path, help="another folder for the trained files")
    options.add_argument("--only", choices=PARTS, action="append", help="this part; may be given several times")
    options.add_argument("--seed", type=int, default=0)
    arguments = options.parse_args()
    for name in arguments.only or PARTS:
        module, folder = PARTS[name]
        for line in import_module(module).train(arguments.data, arguments.out or folder, arguments.seed):
            print(line, flush=True)


if __name__ == "__main__":
    main()
