"""A published assistant for tests: documents straight into rows, without the library's checks."""

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from django.db.models import Count

from dialogue.models import Assistant, Flow, FlowVersion, Release

DEMO = Path(__file__).parents[2] / "dialogue" / "library" / "demo" / "assistants"

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
    """Store `documents` as the next release of their assistant and make it the active one.

    Few questions for all of it, since hundreds of tests begin with this.
    """
    name = next(line.split()[1] for line in documents["assistant.yaml"].splitlines() if line.startswith("assistant:"))
    known = Assistant.objects.filter(name=name).first()
    assistant = known or Assistant.objects.create(name=name, title=name)
    flows = _stored_flows(assistant) if known else {}
    versions = _store(assistant, flows, {file.removesuffix(".yaml"): text for file, text in documents.items()})
    whole = "".join(f"{file}\n{text}" for file, text in sorted(documents.items()))
    number = assistant.releases.count() + 1 if known else 1
    release = Release.objects.create(assistant=assistant, number=number, sha256=_sha256(whole), engine_version="test")
    link = Release.versions.through
    link.objects.bulk_create(link(release=release, flowversion=version) for version in versions)
    assistant.active_release = release
    assistant.save(update_fields=["active_release"])
    return release


def demo(name: str) -> dict[str, str]:
    """The documents of a demo assistant, by file name."""
    return dict(_read(name))


@cache
def _read(name: str) -> Mapping[str, str]:
    return {path.name: path.read_text() for path in sorted((DEMO / name).glob("*.yaml"))}


def _stored_flows(assistant: Assistant) -> dict[str, Flow]:
    """Each flow by its name, with how many versions of it there are."""
    return {flow.name: flow for flow in assistant.flows.annotate(stored=Count("versions"))}


def _store(assistant: Assistant, flows: dict[str, Flow], texts: Mapping[str, str]) -> list[FlowVersion]:
    """The next version of each flow."""
    new = [Flow(assistant=assistant, name=name) for name in texts if name not in flows]
    flows |= {flow.name: flow for flow in Flow.objects.bulk_create(new)}
    return FlowVersion.objects.bulk_create(
        FlowVersion(flow=flows[name], number=getattr(flows[name], "stored", 0) + 1, text=text, sha256=_sha256(text))
        for name, text in texts.items()
    )


@cache
def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
