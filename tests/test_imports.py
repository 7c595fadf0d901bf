"""What importing needs: the engine does without Django, a check without LangGraph and DSPy."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.journey

ROOT = Path(__file__).resolve().parent.parent

WITHOUT_DJANGO = """
import importlib, pkgutil, sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"django", "channels", "daphne", "asgiref"}:
            raise ModuleNotFoundError(f"no {name} here", name=name)

sys.meta_path.insert(0, Absent())
room = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(room.__path__, room.__name__ + "."):
    importlib.import_module(module.name)
    print(module.name)
"""

CHECK = """
import sys
from django.core.management import execute_from_command_line

execute_from_command_line(["manage.py", "check"])
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


@pytest.mark.parametrize("room", ["dialogue.engine", "dialogue.nlu"])
def test_every_module_of_the_room_imports_where_there_is_no_django(room, tmp_path):
    told = run_python(WITHOUT_DJANGO, room, data=tmp_path)

    assert told.returncode == 0, told.stderr
    assert told.stdout.splitlines()


def test_a_check_loads_neither_langgraph_nor_dspy(tmp_path):
    told = run_python(CHECK, data=tmp_path)

    assert told.returncode == 0, told.stderr
    assert not {"langgraph", "langchain_core", "dspy", "litellm"} & set(told.stdout.split())


def run_python(program: str, *words: str, data: Path) -> subprocess.CompletedProcess[str]:
    return run("-c", program, *words, data=data)


def run(*words: str, data: Path) -> subprocess.CompletedProcess[str]:
    environment = {"DJANGO_SETTINGS_MODULE": "soni_admin.settings", "SONI_DATA": str(data)}
    return subprocess.run(
        [sys.executable, *words], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
