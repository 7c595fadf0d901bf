"""Microsoft Agent Framework: a tool with `approval_mode="always_require"`; its request is answered by a content."""

import asyncio
from typing import Any

from agent_framework import Agent, AgentResponse, BaseChatClient, ChatResponse, Content, Message, tool
from agent_framework import FunctionInvocationLayer as WithTools
from desk_calls import ORDER, Run, ask_desk, refund, serve


class ScriptedClient(WithTools, BaseChatClient):  # type: ignore[misc]
    """A chat client that calls the tool first, and ends when it has answered."""

    def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **more: Any) -> Any:
        async def respond() -> ChatResponse:
            answered = any(content.type == "function_result" for message in messages for content in message.contents)
            call = Content.from_function_call("call_1", "issue_refund", arguments=ORDER)
            contents = [Content.from_text("done")] if answered else [call]
            return ChatResponse(messages=[Message("assistant", contents)])

        return respond()


async def run_agent(run: Run) -> str:
    """Run the agent until it asks for approval, ask, and continue its session."""

    @tool(approval_mode="always_require")
    def issue_refund(order_id: str, amount: int) -> str:
        """Refund an order."""
        return refund(run, order_id=order_id, amount=amount)

    agent: Any = Agent(ScriptedClient(), tools=[issue_refund])
    session = agent.create_session()
    paused: AgentResponse = await agent.run("Refund W4120331", session=session)
    ask = [request.to_dict() for request in paused.user_input_requests]
    answer = await asyncio.to_thread(ask_desk, run, "agent-framework", ask)
    responses = [Content.from_dict(response) for response in answer]
    return str((await agent.run(Message("user", responses), session=session)).text)


def program(run: Run) -> str:
    """Run the agent once."""
    return asyncio.run(run_agent(run))


if __name__ == "__main__":
    serve(program)
