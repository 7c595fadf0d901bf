"""A2A: an agent's task goes to TASK_STATE_INPUT_REQUIRED; the client answers it with a message of the same task."""

import asyncio
from typing import Any

from a2a.helpers import get_message_text, new_task_from_user_message, new_text_message
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.context import ServerCallContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, Role, SendMessageRequest
from desk_calls import ORDER, QUESTION, Run, ask_desk, refund, serve
from google.protobuf.json_format import MessageToDict, ParseDict


class RefundAgent(AgentExecutor):
    """Asks once whether to refund, and does what the answer says."""

    def __init__(self, run: Run) -> None:
        self._run = run

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Ask in a new task; act when the task gets its answer."""
        task = context.current_task
        if task is None:
            task = new_task_from_user_message(context.message)  # type: ignore[arg-type]
            await event_queue.enqueue_event(task)
            updater = TaskUpdater(event_queue, task.id, task.context_id)
            await updater.requires_input(updater.new_agent_message(new_text_message(QUESTION).parts))
            return
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        if get_message_text(context.message).strip() == "yes":  # type: ignore[arg-type]
            refund(self._run, **ORDER)
        await updater.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Nothing can be cancelled."""
        raise NotImplementedError


async def run_client(run: Run) -> str:
    """Send a message, ask the desk what the task asks, and send its answer."""
    card = AgentCard(name="refunds", capabilities=AgentCapabilities(streaming=False))
    handler = DefaultRequestHandler(RefundAgent(run), InMemoryTaskStore(), card)
    context = ServerCallContext()
    first = SendMessageRequest(message=new_text_message("Refund W4120331", role=Role.ROLE_USER))
    paused = MessageToDict(await handler.on_message_send(first, context))
    answer: Any = await asyncio.to_thread(ask_desk, run, "a2a", paused, "no_answer")
    if answer is None:
        return "no one answered"
    ended = await handler.on_message_send(ParseDict(answer, SendMessageRequest()), context)
    return str(MessageToDict(ended)["status"]["state"])


def program(run: Run) -> str:
    """Send one task."""
    return asyncio.run(run_client(run))


if __name__ == "__main__":
    serve(program)
