"""A published assistant for tests: documents straight into rows, without the library's checks."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from dialogue.models import Assistant, Flow, FlowVersion, Release

DEMO = Path(__file__).parent.parent / "dialogue" / "library" / "demo" / "assistants"

GREETER = {
    "assistant.yaml": "version: 1\nassistant: greeter\ntitle: Greeter\nactions:\n  greet:\n    inputs: {name: text}\n"
    "    outputs: {greeting: text}\n    idempotent: false\n",
    "greet.yaml": "flow: greet\ntitle: greet\ndescription: Greets somebody.\nexamples: [say hello]\nslots:\n"
    "  name: {type: text, prompt: Who are you?}\n  greeting: {type: text, required: false}\nsteps:\n"
    "  - {step: ask, type: collect, slot: name}\n"
    "  - {step: greet, type: action, call: greet, outputs: {greeting: greeting}}\n"
    '  - {step: done, type: say, message: "{greeting}"}\n',
}
"""The smallest assistant that asks, acts and answers."""


def publish(documents: Mapping[str, str]) -> Release:
    """Store `documents` as the next release of their assistant and make it the active one."""
    name = next(line.split()[1] for line in documents["assistant.yaml"].splitlines() if line.startswith("assistant:"))
    assistant, _ = Assistant.objects.get_or_create(name=name, defaults={"title": name})
    versions = [_version(assistant, file, text) for file, text in documents.items()]
    digest = hashlib.sha256("".join(f"{file}\n{text}" for file, text in sorted(documents.items())).encode())
    release = Release.objects.create(
        assistant=assistant, number=assistant.releases.count() + 1, sha256=digest.hexdigest(), engine_version="test"
    )
    release.versions.set(versions)
    assistant.active_release = release
    assistant.save()
    return release


def demo(name: str) -> dict[str, str]:
    """The documents of a demo assistant, by file name."""
    return {path.name: path.read_text() for path in sorted((DEMO / name).glob("*.yaml"))}


def _version(assistant: Assistant, file: str, text: str) -> FlowVersion:
    flow, _ = Flow.objects.get_or_create(assistant=assistant, name=file.removesuffix(".yaml"))
    digest = hashlib.sha256(text.encode()).hexdigest()
    return FlowVersion.objects.create(flow=flow, number=flow.versions.count() + 1, text=text, sha256=digest)
