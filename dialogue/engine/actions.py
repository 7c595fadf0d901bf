"""Actions: the project's code that flows call, behind a port of one method."""

import asyncio
import concurrent.futures.thread
import inspect
import logging
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import dropwhile
from typing import Any, Protocol, TypeAlias

from pydantic import JsonValue

from dialogue.engine.language.compiler import ActionContract
from dialogue.engine.language.python_values import (
    ActionFile,
    FileGone,
    FileOpener,
    no_file,
    python_inputs,
    stored_results,
)
from dialogue.engine.slots.display import sensitive_parts
from dialogue.engine.slots.redaction import one_line, redact_values

__all__ = [
    "DEFAULT_TIMEOUT",
    "MAX_FRAMES_LOGGED",
    "ActionCall",
    "ActionContext",
    "ActionFailed",
    "ActionFile",
    "ActionFunction",
    "ActionMissing",
    "ActionRegistry",
    "Actions",
    "Failed",
    "FileGone",
    "Outcome",
    "RegisteredActions",
    "StubbedActions",
    "Succeeded",
    "Unknown",
    "error_of",
    "registry",
]

log = logging.getLogger(__name__)

DEFAULT_TIMEOUT = timedelta(seconds=10)
MAX_FRAMES_LOGGED = 5
_CALLING_FILES = frozenset({__file__, asyncio.threads.__file__, concurrent.futures.thread.__file__})
"""Files of the call stack above an action, which tell its author nothing."""


class ActionMissing(LookupError):
    """No Python action is registered under this name."""


class ActionFailed(Exception):
    """Raised by an action that did not happen; the message says why."""


@dataclass(frozen=True)
class ActionCall:
    """One call. `key` is the same whenever this call is repeated; `inputs` are stored JSON values.

    `sensitive` are the inputs and outputs whose values no log, record or page may show.
    """

    key: str
    name: str
    inputs: Mapping[str, Any]
    contract: ActionContract
    attempt: int = 1
    timeout: timedelta = DEFAULT_TIMEOUT
    sensitive: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Succeeded:
    """The action happened and returned these, in stored form; `misfit` names those that do not fit the contract.

    `simulated`: a test answered in the action's place.
    """

    outputs: Mapping[str, Any] = field(default_factory=dict)
    misfit: str = ""
    simulated: bool = False


@dataclass(frozen=True)
class Failed:
    """The action did not happen."""

    error: str


@dataclass(frozen=True)
class Unknown:
    """It is not known whether the action happened: it took too long, or the connection was lost."""

    reason: str


Outcome: TypeAlias = Succeeded | Failed | Unknown


class Actions(Protocol):
    """The port: runs one call and returns its outcome."""

    async def run(self, call: ActionCall) -> Outcome: ...


def error_of(outcome: Outcome) -> str:
    """Return why the action did not work, or ""."""
    match outcome:
        case Succeeded(misfit=misfit):
            return misfit
        case Failed(error):
            return error
        case Unknown(reason):
            return reason


@dataclass(frozen=True)
class ActionContext:
    """Who an action acts for, and where.

    `user` is the customer's reference, or else the number of the account that opened the conversation. `verified` says
    that it comes from an account or a signed token, and not from the customer's own words. `claims` are the claims of
    the token. `release` is the number of the assistant's release. `test`: the conversation is one of a test.
    """

    conversation: str
    user: str = ""
    verified: bool = False
    claims: Mapping[str, Any] = field(default_factory=dict)
    channel: str = ""
    release: int = 0
    test: bool = False
    language: str = ""


ActionFunction: TypeAlias = Callable[..., Any]
"""`(inputs, *, key, conversation)`, with `context` too where the function has a parameter of this name, sync or async;
returns its outputs by name (dict, Pydantic model, dataclass or None), in the Python types of `python_values`."""


class ActionRegistry:
    """The Python actions by name; `@registry.action("send_money")` registers one, sync or async.

    An action takes its inputs, and by keyword `key` and `conversation`; it returns its outputs, or raises. One with a
    parameter `context` gets an ActionContext by this keyword too.
    """

    def __init__(self) -> None:
        self._functions: dict[str, ActionFunction] = {}
        self._versions: dict[str, int] = {}
        self._duplicates: dict[str, str] = {}
        self._takes_context: dict[str, bool] = {}

    def action(self, name: str, version: int = 1) -> Callable[[ActionFunction], ActionFunction]:
        """Register the decorated function under this name. A new `version` says that old contracts fit no longer.

        Two functions under one name are told by `mismatch`; until then the later one is called.
        """

        def register(function: ActionFunction) -> ActionFunction:
            previous, current = _qualified_name(self._functions.get(name)), _qualified_name(function)
            if previous not in ("", current):
                self._duplicates[name] = f"{previous} and {current}"
            self._functions[name] = function
            self._takes_context[name] = _takes_context(function)
            self._versions[name] = version
            return function

        return register

    def __contains__(self, name: object) -> bool:
        return name in self._functions

    def names(self) -> frozenset[str]:
        """Return the names of all actions that are registered so far."""
        return frozenset(self._functions)

    def mismatch(self, name: str, contract: ActionContract) -> str:
        """Return why the registered function cannot be called by this contract, or ""."""
        function = self._functions.get(name)
        if function is None:
            return ""
        if name in self._duplicates:
            return f"two functions are registered as `{name}`: {self._duplicates[name]}"
        if not self.has_version(name, contract):
            registered = self._versions[name]
            return f"version {contract.version} of `{name}` is not registered; the registered version is {registered}"
        try:
            inspect.signature(function).bind({}, key="", conversation="", **self._context_argument(name, None))
        except TypeError as error:
            return f"{error}; an action is called as {name}(inputs, key=…, conversation=…)"
        return ""

    def has_version(self, name: str, contract: ActionContract) -> bool:
        """Whether the registered function has the version that the contract was written for."""
        return self._versions.get(name, 1) == contract.version

    def _context_argument(self, name: str, context: ActionContext | None) -> dict[str, Any]:
        return {"context": context or ActionContext("")} if self._takes_context.get(name) else {}

    async def call(
        self,
        name: str,
        inputs: Mapping[str, Any],
        *,
        key: str,
        conversation: str,
        context: ActionContext | None = None,
    ) -> Any:
        """Call the action and return its result. Raises ActionMissing, and any error of the action."""
        if name not in self._functions:
            raise ActionMissing(name)
        function = self._functions[name]
        arguments = {"key": key, "conversation": conversation}
        arguments |= self._context_argument(name, context or ActionContext(conversation))
        if inspect.iscoroutinefunction(function):
            return await function(dict(inputs), **arguments)
        # A plain function may wait for a network or a database; other conversations must not wait with it.
        return await asyncio.to_thread(function, dict(inputs), **arguments)


def _takes_context(function: ActionFunction) -> bool:
    try:
        return "context" in inspect.signature(function).parameters
    except (TypeError, ValueError):  # a callable without a signature that Python can read
        return False


def _qualified_name(function: ActionFunction | None) -> str:
    """Return module and name of a function, or "" for None."""
    unwrapped = inspect.unwrap(function) if function else None
    return (
        f"{getattr(unwrapped, '__module__', '')}.{getattr(unwrapped, '__qualname__', type(unwrapped).__name__)}"
        if unwrapped
        else ""
    )


registry = ActionRegistry()
"""The registry of the process, which the modules named in the settings fill."""


class RegisteredActions:
    """Runs the registered functions directly, without a ledger, with inputs and results in Python types.

    `now` and `timezone` complete results that have no date or time zone. `context` is for actions that take one.
    `open_file` opens the content of a file.
    """

    def __init__(
        self,
        registry: ActionRegistry,
        conversation: str = "",
        *,
        now: datetime | None = None,
        timezone: str = "UTC",
        context: ActionContext | None = None,
        open_file: FileOpener = no_file,
    ) -> None:
        self._registry = registry
        self._conversation = conversation
        self._context = context
        self._now = now
        self._timezone = timezone
        self._open_file = open_file

    async def run(self, call: ActionCall) -> Outcome:
        """Run the function and return its outcome. Raises ActionMissing.

        Only `ActionFailed` says for certain that nothing happened. After any other exception the outcome is unknown,
        so that a retry uses the same key.
        """
        if call.name in self._registry and not self._registry.has_version(call.name, call.contract):
            raise ActionMissing(f"{call.name}, version {call.contract.version}")
        inputs = python_inputs(call.contract, call.inputs, self._open_file)
        limit = asyncio.timeout(call.timeout.total_seconds())
        try:
            async with limit:
                returned = await self._registry.call(
                    call.name, inputs, key=call.key, conversation=self._conversation, context=self._context
                )
        except ActionMissing:
            raise
        except ActionFailed as error:
            return Failed(self._log_failure(call, str(error) or "ActionFailed", logging.WARNING))
        except Exception as error:
            if limit.expired():
                reason = f"timeout: no result within {call.timeout.total_seconds():g} seconds"
                return Unknown(self._log_failure(call, reason))
            return Unknown(self._log_failure(call, *_exception_report(error)))
        return self._success_of(call, returned)

    def _success_of(self, call: ActionCall, returned: object) -> Succeeded:
        # A message about a sensitive value that does not fit must not quote it.
        sensitive_slots = {
            name: slot.model_copy(update={"sensitive": True})
            for name, slot in call.contract.outputs.items()
            if name in call.sensitive
        }
        outputs = {**call.contract.outputs, **sensitive_slots}
        contract = call.contract.model_copy(update={"outputs": outputs}) if sensitive_slots else call.contract
        results = stored_results(contract, returned, now=self._now or datetime.now(UTC), timezone=self._timezone)
        if results.unknown_outputs:
            self._log_failure(call, results.unknown_outputs, logging.WARNING)
        return Succeeded(
            results.outputs, self._log_failure(call, results.type_mismatch) if results.type_mismatch else ""
        )

    def _log_failure(self, call: ActionCall, reason: str, level: int = logging.ERROR, frames: str = "") -> str:
        """Log the reason, and return it with sensitive values redacted."""
        redacted_reason = redact_values(reason, _sensitive_inputs(call))
        log.log(
            level,
            "action %s of conversation %s: %s%s",
            call.name,
            self._conversation,
            one_line(redacted_reason),
            frames,
        )
        return redacted_reason


def _sensitive_inputs(call: ActionCall) -> Iterator[JsonValue]:
    """Yield the sensitive inputs of a call, and the sensitive fields of the records among the others."""
    for name, value in call.inputs.items():
        slot = call.contract.inputs.get(name)
        if name in call.sensitive:
            yield value
        elif slot is not None:
            yield from (part for _, part in sensitive_parts(slot, value))


def _exception_report(error: Exception) -> tuple[str, int, str]:
    """Return the exception as text, its log level, and the action's stack frames without values of variables."""
    inner = dropwhile(lambda frame: frame.filename in _CALLING_FILES, traceback.extract_tb(error.__traceback__))
    frames = traceback.format_list(list(inner)[-MAX_FRAMES_LOGGED:])
    return f"{type(error).__name__}: {error}", logging.ERROR, "\n" + "".join(frames).rstrip()


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
        stub = next((entry for entry in self._stubs.get(call.name, []) if _stub_matches(entry, call)), {})
        if "raises" in stub:
            return Failed(str(stub["raises"]))
        if "unknown" in stub:
            return Unknown(str(stub["unknown"]))
        return Succeeded(stub.get("returns", dict.fromkeys(call.contract.outputs)))

    def inputs_of(self, name: str) -> list[dict[str, Any]]:
        """Return the inputs of each call of this action, in order."""
        return [dict(call.inputs) for call in self.calls if call.name == name]


def _stub_matches(stub: Mapping[str, Any], call: ActionCall) -> bool:
    return all(str(call.inputs.get(name)) == str(value) for name, value in stub.get("when", {}).items())
