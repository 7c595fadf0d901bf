"""Actions: what flows may do in the world, behind a port of one method."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Protocol, TypeAlias

from dialogue.engine.language import ActionContract


class ActionMissing(LookupError):
    """No Python action is registered under this name."""


class ActionFailed(Exception):
    """An action raises this to say that it did not happen, and why."""


@dataclass(frozen=True)
class ActionCall:
    """One call. `key` is the same whenever this very call is repeated; `inputs` are stored JSON values."""

    key: str
    name: str
    inputs: Mapping[str, Any]
    contract: ActionContract
    attempt: int = 1
    timeout: timedelta = timedelta(seconds=30)


@dataclass(frozen=True)
class Succeeded:
    """It happened, and gave these."""

    outputs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Failed:
    """It did not happen."""

    error: str


@dataclass(frozen=True)
class Unknown:
    """Whether it happened is not known: it took too long, or the connection was lost."""

    reason: str


Outcome: TypeAlias = Succeeded | Failed | Unknown


class Actions(Protocol):
    """The port: runs one call and says how it went."""

    async def run(self, call: ActionCall) -> Outcome: ...


ActionFunction: TypeAlias = Callable[..., Mapping[str, Any] | Awaitable[Mapping[str, Any]]]


class ActionRegistry:
    """The Python actions by name; `@registry.action("send_money")` registers one, sync or async.

    An action takes its inputs, and by keyword `key` and `conversation`; it returns its outputs, or raises.
    """

    def __init__(self) -> None:
        self._functions: dict[str, ActionFunction] = {}
        self._versions: dict[str, int] = {}

    def action(self, name: str, version: int = 1) -> Callable[[ActionFunction], ActionFunction]:
        """Register the decorated function under this name. A new `version` says that old contracts fit no longer."""

        def register(function: ActionFunction) -> ActionFunction:
            self._functions[name] = function
            self._versions[name] = version
            return function

        return register

    def __contains__(self, name: object) -> bool:
        return name in self._functions

    def names(self) -> frozenset[str]:
        """Of all actions that are registered by now."""
        return frozenset(self._functions)

    def misfit(self, name: str, contract: ActionContract) -> str:
        """Why the registered function cannot be called by this contract, or ""."""
        function = self._functions.get(name)
        if function is None:
            return ""
        if not self.fits(name, contract):
            return f"version {contract.version} of `{name}` is not there; registered is {self._versions[name]}"
        try:
            inspect.signature(function).bind({}, key="", conversation="")
        except TypeError as why:
            return f"{why}; an action is called as {name}(inputs, key=…, conversation=…)"
        return ""

    def fits(self, name: str, contract: ActionContract) -> bool:
        """Whether what is registered under the name has the version that the contract was written for."""
        return self._versions.get(name, 1) == contract.version

    async def call(self, name: str, inputs: Mapping[str, Any], *, key: str, conversation: str) -> Mapping[str, Any]:
        """What the action returns; raises ActionMissing, and whatever the action raises."""
        if name not in self._functions:
            raise ActionMissing(name)
        function: Any = self._functions[name]
        given: Mapping[str, Any]
        if inspect.iscoroutinefunction(function):
            given = await function(dict(inputs), key=key, conversation=conversation)
            return given
        # A plain function may wait for a network or a database; other conversations must not wait with it.
        given = await asyncio.to_thread(function, dict(inputs), key=key, conversation=conversation)
        return given


registry = ActionRegistry()
"""The process's own; the modules that the settings name register here."""


class RegisteredActions:
    """Runs the registered functions at once, without a record."""

    def __init__(self, registry: ActionRegistry, conversation: str = "") -> None:
        self._registry = registry
        self._conversation = conversation

    async def run(self, call: ActionCall) -> Outcome:
        """Run the function and judge how it ended; raises ActionMissing.

        Only `ActionFailed` says for certain that nothing happened: after any other exception the outcome is unknown,
        so that another try comes under the same key.
        """
        if call.name in self._registry and not self._registry.fits(call.name, call.contract):
            raise ActionMissing(f"{call.name}, version {call.contract.version}")
        try:
            async with asyncio.timeout(call.timeout.total_seconds()):
                given = await self._registry.call(call.name, call.inputs, key=call.key, conversation=self._conversation)
        except ActionMissing:
            raise
        except ActionFailed as why:
            return Failed(str(why))
        except TimeoutError:
            return Unknown("timeout")
        except Exception as why:
            return Unknown(f"{type(why).__name__}: {why}")
        return Succeeded(given)


class StubbedActions:
    """A double: answers from stubs, the first that fits wins, and keeps every call in `calls`.

    `stubs` is name → [{"when": {input: value}, "returns": {…}} | {"raises": text} | {"unknown": text}]; an action
    without a stub gives its contract's outputs, empty.
    """

    def __init__(self, stubs: Mapping[str, list[dict[str, Any]]] | None = None) -> None:
        self._stubs = stubs or {}
        self.calls: list[ActionCall] = []

    async def run(self, call: ActionCall) -> Outcome:
        self.calls.append(call)
        stub = next((each for each in self._stubs.get(call.name, []) if _fits(each, call)), {})
        if "raises" in stub:
            return Failed(str(stub["raises"]))
        if "unknown" in stub:
            return Unknown(str(stub["unknown"]))
        return Succeeded(stub.get("returns", dict.fromkeys(call.contract.outputs)))

    def inputs_of(self, name: str) -> list[dict[str, Any]]:
        """What this action was called with, in order."""
        return [dict(each.inputs) for each in self.calls if each.name == name]


def _fits(stub: Mapping[str, Any], call: ActionCall) -> bool:
    return all(str(call.inputs.get(name)) == str(value) for name, value in stub.get("when", {}).items())
