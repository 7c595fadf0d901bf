"""`make train-reader DATA=FOLDER`: train the readers of messages on public data; prints what they get right.

FOLDER holds `sgd/`, `snips/`, `multidogo/` and `clinc/`. The same data, seed and versions give the same files.
"""

import argparse
from importlib import import_module
from pathlib import Path

HEADS = Path(__file__).parents[1] / "dialogue" / "nlu" / "heads"
# A part is a module with `train(data, folder, seed)`, which yields lines to print; it is imported when it is run.
PARTS = {
    "spans": "training.spans",
    "acts": "training.acts",
    "requests": "training.requests",
    "doubt": "training.doubt",
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, required=True, help="folder of sgd/, snips/, multidogo/ and clinc/")
    options.add_argument("--out", type=Path, default=HEADS, help="folder for the trained files")
    options.add_argument("--only", choices=PARTS, action="append", help="this part; may be given several times")
    options.add_argument("--seed", type=int, default=0)
    arguments = options.parse_args()
    for name in arguments.only or PARTS:
        for line in import_module(PARTS[name]).train(arguments.data, arguments.out, arguments.seed):
            print(line, flush=True)


if __name__ == "__main__":
    main()
