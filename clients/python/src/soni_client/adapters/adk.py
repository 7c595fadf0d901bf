"""Google ADK: run an agent, and let people confirm its calls of tools with `require_confirmation`, or give input.

    events = await run_with_people(runner, "Refund W-77", user_id="ann", session_id="s1", client=client,
                                   agent="refunds", timeout="30m", on_timeout="reject")

The app is resumable: `ResumabilityConfig(is_resumable=True)`. After a restart call it with None in place of the
message: a pause that is still open in the session finds its request.
"""

from typing import Any

from google.genai import types

from soni_client.adapters.pauses import NotDecided, decided, options_of_pause
from soni_client.async_client import AsyncClient

__all__ = ["NotDecided", "ask_people", "run_with_people"]

ASKING = ("adk_request_confirmation", "adk_request_input")


async def run_with_people(
    runner: Any, message: Any, *, user_id: str, session_id: str, run: dict[str, Any] | None = None, **people: Any
) -> list[Any]:
    """Run the agent until it ends, and return its events. `message` is a text, a Content or None.

    `run` has further arguments of `run_async`; `people` are those of `ask_people`. Raises Refusal, NotDecided,
    StillWaiting.
    """
    where = {"user_id": user_id, "session_id": session_id}
    if message is None:
        session = await runner.session_service.get_session(app_name=runner.app_name, **where)
        events = list(session.events)
    else:
        content = types.Content(role="user", parts=[types.Part(text=message)]) if isinstance(message, str) else message
        events = [event async for event in runner.run_async(new_message=content, **where, **(run or {}))]
    answered: set[str] = set()
    while paused := _paused(events, answered):
        parts = await ask_people(paused, thread=session_id, **people)
        more = {**where, **(run or {}), "invocation_id": paused.invocation_id}
        content = types.Content(role="user", parts=parts)
        answered |= {part.function_response.id for part in parts}
        events += [event async for event in runner.run_async(new_message=content, **more)]
    return events


async def ask_people(event: Any, *, client: AsyncClient, agent: str, thread: str, **options: Any) -> list[Any]:
    """Ask about the calls of an event that wait for people, and return the parts that answer them."""
    calls = [call for call in event.get_function_calls() if call.name in ASKING]
    ask = [call.model_dump(mode="json", by_alias=True, exclude_none=True) for call in calls]
    pause = [call.id for call in calls]
    answer = await client.ask(ask, **options_of_pause("adk", agent, thread, pause, options))
    responses = decided(answer)
    if len(responses) < len(calls):
        raise NotDecided(answer)
    return [types.Part(function_response=types.FunctionResponse(**response)) for response in responses]


def _paused(events: list[Any], answered: set[str]) -> Any:
    """Return the first event with calls that wait for people, and None if all of them have a response."""
    responses = answered | {response.id for event in events for response in event.get_function_responses()}
    for event in events:
        if any(call.name in ASKING and call.id not in responses for call in event.get_function_calls()):
            return event
    return None
