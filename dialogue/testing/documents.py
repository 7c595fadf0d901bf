"""Read and check a folder of flow documents."""

from collections.abc import Mapping
from pathlib import Path

from dialogue.engine.actions import registry
from dialogue.engine.language.compiler import Assistant, check_documents, load_assistant


def read_folder(folder: str | Path) -> Mapping[str, str]:
    """Return the documents of a folder by file name. Raises FileNotFoundError without an assistant.yaml."""
    path = Path(folder)
    if not (path / "assistant.yaml").is_file():
        raise FileNotFoundError(f"{path} holds no assistant.yaml. Name the folder of the flow documents.")
    return {file.name: file.read_text("utf-8") for file in sorted(path.glob("[!.]*.yaml"))}


def load_folder(folder: str | Path) -> Assistant:
    """Return the assistant of a folder. Raises FileNotFoundError, and FlowProblems with every finding."""
    return load_assistant(read_folder(folder))


def check_flows(folder: str | Path, *, warnings: bool = False) -> list[str]:
    """Return what is wrong in a folder, as lines `file:line:column: code: text`; [] if all is well.

    Actions are compared with the Python functions that are registered: import their modules first. With `warnings` the
    warnings are among the lines.
    """
    problems = check_documents(read_folder(folder), registry.names(), registry.mismatch)
    return [str(problem) for problem in problems if warnings or problem.severity == "error"]
