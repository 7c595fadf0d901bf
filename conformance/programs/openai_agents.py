"""OpenAI Agents: a tool with `needs_approval`; the run's state is approved or rejected, and runs again."""

import json
from typing import Any

from agents import Agent, Runner, RunState, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call
from desk_calls import ORDER, Run, ask_desk, refund, serve


def program(run: Run) -> str:
    """Run the agent until it pauses, ask with the state's JSON, and continue from it."""

    @function_tool(needs_approval=True)
    def issue_refund(order_id: str, amount: int) -> str:
        """Refund an order."""
        return refund(run, order_id=order_id, amount=amount)

    call = function_call("issue_refund", json.dumps(ORDER), call_id="call_1")
    model = ScriptedModel([[call], [assistant_message("done")]])
    agent: Any = Agent(name="refunds", model=model, tools=[issue_refund])
    paused = Runner.run_sync(agent, "Refund W4120331")
    state: RunState[Any, Any] = paused.to_state()
    answer = ask_desk(run, "openai-agents", state.to_json())
    decisions = {decision["call_id"]: decision for decision in answer["decisions"]}
    for item in paused.interruptions:
        decision = decisions[item.raw_item.call_id]
        if decision["type"] == "approve":
            state.approve(item)
        else:
            state.reject(item, rejection_message=decision["rejection_message"])
    return str(Runner.run_sync(agent, state).final_output)


if __name__ == "__main__":
    serve(program)
