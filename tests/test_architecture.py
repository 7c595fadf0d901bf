"""docs/architecture.md is true: every path in it exists, and every folder of the product is on the map."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
APP = ROOT / "dialogue"
PAGE = (ROOT / "docs" / "architecture.md").read_text()
PACKAGES = ("engine", "nlu", "models", "turns", "desk", "library", "web")
PATH = re.compile(
    r"`((?:dialogue|engine|nlu|models|turns|desk|library|web|tests|templates|static|docs|locale)/[\w/.]*)`"
)


def test_every_path_on_the_map_exists():
    named = {path for path in PATH.findall(PAGE) if "<" not in path}

    assert named
    assert sorted(path for path in named if not (APP / path).exists() and not (ROOT / path).exists()) == []


def test_every_folder_of_a_package_is_on_the_map():
    folders = {path for package in PACKAGES for path in (APP / package).iterdir() if (path / "__init__.py").exists()}

    assert sorted(str(path.relative_to(APP)) for path in folders if f"`{path.name}/`" not in PAGE) == []


def test_the_layers_of_the_map_are_those_of_the_contracts():
    tables = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    contracts = {table["containers"][0]: table["layers"] for table in tables if "containers" in table}
    for package in ("engine", "nlu", "turns", "desk", "library"):
        line = next(line for line in PAGE.splitlines() if line.startswith(f"| `{package}` |"))
        drawn = [re.findall(r"`(\w+)/?`", layer) for layer in line.split("|", 2)[2].split("→")]
        declared = [re.findall(r"\w+", layer) for layer in contracts[f"dialogue.{package}"]]
        assert drawn == declared


def test_no_folder_holds_more_than_twenty_one_files():
    # Django finds commands in this one folder only, as it does migrations.
    commands = APP / "management" / "commands"
    folders = [path for path in APP.rglob("*") if path.is_dir() and path.name not in ("migrations", "__pycache__")]
    folders.remove(commands)
    counts = {str(path): len([file for file in path.glob("*.py") if file.name != "__init__.py"]) for path in folders}

    assert {name: count for name, count in counts.items() if count > 21} == {}
