"""LangChain: run an agent with HumanInTheLoopMiddleware, and let people decide its calls of tools.

    agent = create_agent(model, tools, middleware=[HumanInTheLoopMiddleware(interrupt_on={"refund": True})],
                         checkpointer=checkpointer)
    result = run_with_people(agent, {"messages": [...]}, config, client=client, agent="refunds",
                             timeout="30m", on_timeout="reject")

An agent is a graph, so the work is that of `soni_client.adapters.langgraph`: batched pauses (`action_requests`) and
pauses of a single call (`tool_approval`) get their decisions in the middleware's own shape.
"""

from soni_client.adapters.langgraph import NotDecided, arun_with_people, run_with_people

__all__ = ["NotDecided", "arun_with_people", "run_with_people"]
