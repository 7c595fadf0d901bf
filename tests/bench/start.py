"""What a start costs: the processor's time of `manage.py check`, in milliseconds; the best of five."""

import json
import resource
import subprocess
import sys

ROUNDS = 5


def main() -> None:
    check()  # the first compiles
    print(json.dumps({"check": min(check() for _ in range(ROUNDS)) * 1000}))


def check() -> float:
    before = seconds_of_children()
    subprocess.run([sys.executable, "manage.py", "check"], capture_output=True, check=True)
    return seconds_of_children() - before


def seconds_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
