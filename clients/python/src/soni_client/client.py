"""The client for programs without asyncio."""

import time
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self, Unpack

import httpx

from soni_client import steps
from soni_client.connection import pause_after_refusal, reply_of, request_of, settings_of, stream_request
from soni_client.retries import REOPEN_SECONDS, RETRY_SECONDS, Retries
from soni_client.server_events import EventReader, ServerEvent
from soni_client.shapes import (
    AgentAnswer,
    AgentRequest,
    AskOptions,
    ConversationOptions,
    JsonObject,
    Message,
    RequestOptions,
    SessionFilters,
    TurnReply,
)
from soni_client.steps import Call, Reply, Result, Steps


class Client:
    """Calls an installation with the API token of one account. Threads may share a client.

    `url` is the installation's address, such as `https://soni.example`. A call that may be repeated is repeated for
    `retry_seconds` while the server does not answer. `http` replaces the HTTP client, for proxies and tests.
    """

    def __init__(
        self, url: str, token: str = "", *, retry_seconds: float = RETRY_SECONDS, http: httpx.Client | None = None
    ) -> None:
        self._settings = settings_of(url, token)
        self._http = http or httpx.Client()
        self._retry_seconds = retry_seconds
        self.requests = Requests(self)
        self.conversations = Conversations(self)
        self.sessions = Sessions(self)

    def ask(self, ask: Any, **options: Unpack[AskOptions]) -> AgentAnswer:
        """Ask people, and wait for what they decide.

        `ask` is what the framework paused with, in the words of `dialect` ("plain" unless given). `id` is your own id
        of the request: a call with the same id finds the same request, also after a restart of your program.
        `on_timeout` is the answer after `timeout`: a refusal, or "no_answer". With `patience` the call waits at most
        so many seconds.
        Raises Refusal (InvalidValues, NotAllowed, …), StillWaiting and Unreachable.
        """
        return self.run(steps.ask(ask, **options))

    def receipt_keys(self) -> JsonObject:
        """Return the public keys of the installation's receipts, for `verify_receipt`."""
        return self.run(steps.get_receipt_keys())

    def run(self, generator: Steps[Result]) -> Result:
        """Run a generator of `soni_client.steps`. Raises Refusal and Unreachable."""
        try:
            call = next(generator)
            while True:
                call = generator.send(self._send(call))
        except StopIteration as end:
            result: Result = end.value
            return result

    def stream(self, call: Call, last_id: str = "") -> Iterator[ServerEvent]:
        """Yield the events of a stream, which continues after a break. Raises Refusal and Unreachable."""
        last_event_id, retries = last_id, Retries(call, self._retry_seconds)
        while True:
            reader = EventReader(last_event_id)
            try:
                with self._http.stream(**stream_request(self._settings, call, reader)) as response:
                    if response.status_code == 200:
                        yield from reader.events(response.iter_lines())
                        retries, pause = Retries(call, self._retry_seconds), REOPEN_SECONDS
                    else:
                        response.read()
                        pause = pause_after_refusal(response, retries)
            except httpx.TransportError as error:
                if reader.lines:
                    retries = Retries(call, self._retry_seconds)
                pause = retries.pause_after_failure(error)
            last_event_id = reader.last_id
            time.sleep(pause)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _send(self, call: Call) -> Reply:
        retries = Retries(call, self._retry_seconds)
        while True:
            try:
                response = self._http.request(**request_of(self._settings, call))
            except httpx.TransportError as error:
                time.sleep(retries.pause_after_failure(error))
                continue
            pause = retries.pause_after_status(response.status_code, response.headers)
            if pause is None:
                return reply_of(response)
            time.sleep(pause)


class Requests:
    """Requests of an agent, each a question to people."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def create(self, ask: Any, **options: Unpack[RequestOptions]) -> AgentRequest:
        """Open a request without waiting; the same id and body find the same request. Raises Refusal."""
        return self._client.run(steps.create_request(ask, **options))

    def get(self, request_id: str, wait: int = 0) -> AgentRequest:
        """Return a request; with `wait`, once it is decided or after so many seconds (at most 60). Raises Refusal."""
        return self._client.run(steps.get_request(request_id, wait))

    def wait(self, request_id: str, patience: float | None = None) -> AgentAnswer:
        """Return what people decide. Raises Refusal, and StillWaiting after `patience` seconds."""
        return self._client.run(steps.wait_for_answer(request_id, patience))

    def events(self, request_id: str) -> Iterator[ServerEvent]:
        """Yield `request` events at each change, and the `answer` as the last one. Raises Refusal."""
        for event in self._client.stream(steps.follow_request(request_id)):
            yield event
            if event.kind == "answer":
                return

    def withdraw(self, request_id: str) -> AgentRequest:
        """Close a request that is not needed any more. Raises Refusal: Conflict if it is decided."""
        return self._client.run(steps.withdraw_request(request_id))


class Conversations:
    """Conversations with an assistant."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def begin(self, assistant: str, **options: Unpack[ConversationOptions]) -> "Conversation":
        """Open a conversation. Raises Refusal."""
        opened = self._client.run(steps.begin_conversation(assistant, **options))
        return Conversation(self._client, opened["id"], opened["token"])

    def resume(self, conversation_id: str, token: str = "") -> "Conversation":
        """Return a conversation that was opened before; without its token, the client's token is used."""
        return Conversation(self._client, conversation_id, token)


class Conversation:
    """One conversation, used with its own token."""

    def __init__(self, client: Client, conversation_id: str, token: str) -> None:
        self._client = client
        self.id = conversation_id
        self.token = token

    def send(self, text: str | None = None, *, choice: str | None = None, message_id: str = "") -> TurnReply:
        """Send a line, or the value of a button, and return the reply. Raises Refusal.

        With a `message_id` of your own you may call it again after a restart: the same id gets the same reply.
        """
        return self._client.run(
            steps.send_message(self.id, self.token, text=text, choice=choice, message_id=message_id)
        )

    def state(self) -> JsonObject:
        """Return `{id, state, pending}`, and more for staff. Raises Refusal."""
        return self._client.run(steps.get_conversation(self.id, self.token))

    def history(self, after: int = 0) -> list[Message]:
        """Return the lines with a number greater than `after`. Raises Refusal."""
        return self._client.run(steps.list_messages(self.id, self.token, after))

    def events(self, after: int = 0) -> Iterator[ServerEvent]:
        """Yield `message` and `turn.finished` events until the caller stops, also over breaks. Raises Refusal."""
        return self._client.stream(steps.follow_conversation(self.id, self.token), str(after) if after else "")


class Sessions:
    """Sessions in which people decide."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def list(self, **filters: Unpack[SessionFilters]) -> Iterator[JsonObject]:
        """Yield the sessions of all pages, most urgent first. Raises Refusal."""
        cursor: str | None = ""
        while cursor is not None:
            page = self._client.run(steps.list_sessions(cursor, **filters))
            yield from page["sessions"]
            cursor = page["next"] or None

    def read(self, session: str) -> JsonObject:
        """Return one session (`g12`) with its form, values, actions, version and history. Raises Refusal."""
        return self._client.run(steps.get_session(session))

    def claim(self, session: str, *, version: int | None = None) -> JsonObject:
        """Keep the session for this account. Raises Refusal: Conflict if another person has it."""
        return self._client.run(steps.change_claim(session, "claim", version))

    def release(self, session: str, *, version: int | None = None) -> JsonObject:
        """Give a claimed session back. Raises Refusal."""
        return self._client.run(steps.change_claim(session, "release", version))

    def decide(
        self,
        session: str,
        action: str,
        *,
        values: JsonObject | None = None,
        reason: str | None = None,
        version: int | None = None,
        idempotency_key: str | None = None,
    ) -> JsonObject:
        """Decide a session. Raises Refusal: Conflict and Gone if it was decided or ended first, InvalidValues."""
        return self._client.run(
            steps.decide_session(
                session, action, values=values, reason=reason, version=version, idempotency_key=idempotency_key
            )
        )

    def receipt(self, session: str) -> JsonObject:
        """Return the receipt of a decision, for `verify_receipt`. Raises Refusal: Conflict while there is none."""
        return self._client.run(steps.get_receipt(session))
