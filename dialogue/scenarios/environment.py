"""The environment of scenarios: the stored and published assistant, and the accounts of the staff."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import Group, Permission

from dialogue.desk.access.people import DECIDE, SUPERVISE, Caller
from dialogue.engine.language.compiler import Assistant as Definition
from dialogue.engine.language.compiler import load_assistant
from dialogue.engine.language.documents import digest_of
from dialogue.engine.source.parser import read_source
from dialogue.library.documents.folders import OWN_FILE
from dialogue.library.documents.versions import store_documents
from dialogue.library.releases.releases import has_computed_groups, named_groups, publish
from dialogue.models import Assistant, Release
from dialogue.models.account import Account, account_named, new_account, username_for

SCENARIO_CHANNEL = "scenario"
DECIDING_ROLES = ("operators", "supervisors")
"""The groups of people in scenarios where a gate's group is an expression, and no text names it."""


@dataclass
class ScenarioEnvironment:
    """One assistant of the scenarios. `documents` are those of the file, whatever a scenario publishes meanwhile."""

    documents: Mapping[str, str]
    release: Release
    definition: Definition
    people: dict[str, Account] = field(default_factory=dict)

    @property
    def assistant(self) -> Assistant:
        return self.release.assistant

    def apply_settings(self, settings: Mapping[str, Any]) -> None:
        """Make the file's documents, with these settings over the assistant's, the active release."""
        self.publish_documents({**self.documents, **_with_settings(self.documents[OWN_FILE], settings)})

    def publish_documents(self, documents: Mapping[str, str]) -> None:
        """Store and publish these documents, unless they are what is active."""
        if digest_of(documents) == self.release.sha256:
            return
        self.definition = load_assistant(documents)
        self.release = publish(store_documents(documents), actions=self.definition.actions)
        self._add_to_groups(list(self.people.values()))

    def publish_document(self, document: Mapping[str, Any]) -> None:
        """Publish with one more or one changed document, which is given as data; JSON is YAML."""
        name = document.get("flow")
        file = f"{name}.yaml" if name else OWN_FILE
        self.publish_documents({**self.release.documents(), file: _as_text(document)})

    def caller_named(self, name: str) -> Caller:
        """The person of this name, with operator rights and in every group that the assistant names."""
        if name not in self.people:
            self.people[name] = _operator_account(name)
            self._add_to_groups([self.people[name]])
        return Caller(self.people[name].pk, SCENARIO_CHANNEL)

    def _add_to_groups(self, people: list[Account]) -> None:
        groups = [Group.objects.get_or_create(name=name)[0] for name in set(named_groups(self.definition))]
        if has_computed_groups(self.definition):
            groups += Group.objects.filter(name__in=DECIDING_ROLES)
        for person in people:
            person.groups.add(*groups)


def build_environment(documents: Mapping[str, str]) -> ScenarioEnvironment:
    """Store and publish an assistant for scenarios: stubs answer for its actions, so none needs to be registered.

    Raises FlowProblems.
    """
    definition = load_assistant(documents)
    release = publish(store_documents(documents), actions=definition.actions)
    return ScenarioEnvironment(documents, release, definition)


def _operator_account(name: str) -> Account:
    username = username_for(f"scenario {name}")
    user = account_named(username)
    if user is None:
        user = new_account(username, real_name=name)
        user.save()
    rights = Permission.objects.filter(content_type__app_label="dialogue", codename__in=(DECIDE, SUPERVISE))
    user.user_permissions.set(rights)
    return user


def _with_settings(text: str, settings: Mapping[str, Any]) -> dict[str, str]:
    if not settings:
        return {}
    tree = read_source(text).tree
    changed = {**tree, "settings": {**(tree.get("settings") or {}), **settings}}
    return {OWN_FILE: _as_text(changed)}


def _as_text(document: Mapping[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=1, default=float)
