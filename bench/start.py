"""What a start costs: the processor's time of `manage.py check` in milliseconds, beside that of a bare Django project.

Both take turns, and each is the best of five: what else the machine does is not the check's cost.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 5
HERE = Path(__file__).resolve().parents[1]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        bare = Path(name)
        subprocess.run([sys.executable, "-m", "django", "startproject", "bare", name], check=True)
        check(HERE), check(bare)  # the first compiles
        times = [(check(HERE), check(bare)) for _ in range(ROUNDS)]
    ours, theirs = (min(found) * 1000 for found in zip(*times, strict=True))
    print(json.dumps({"check": ours, "bare_check": theirs}))


def check(project: Path) -> float:
    """The seconds of processor that `manage.py check` takes in this folder."""
    before = seconds_of_children()
    environment = dict(os.environ) if project == HERE else {}  # the bare project without the settings of this run
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # the first check compiles for those that count
    subprocess.run(
        [sys.executable, "manage.py", "check"], cwd=project, env=environment, capture_output=True, check=True
    )
    return seconds_of_children() - before


def seconds_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
