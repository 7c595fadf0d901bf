"""The app that one would write first, on PostgreSQL: Django's async ORM beside LangGraph's own saver, one a call.

Every write commits by itself, and nothing is guarded. Run by `bench.postgres`; prints one JSON object.
"""

import argparse
import asyncio
import json
import operator
import os
import statistics
import time
import uuid
from typing import Annotated, Any, ClassVar, TypedDict

import django
from django.conf import settings

from soni_admin.databases import database_from

URL = os.environ["DATABASE_URL"]
settings.configure(
    INSTALLED_APPS=[],
    USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    DATABASES={"default": database_from(URL)},
)
django.setup()

from django.db import connection, models  # noqa: E402
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver  # noqa: E402
from langgraph.graph import START, StateGraph  # noqa: E402
from langgraph.types import Command, interrupt  # noqa: E402
from psycopg.rows import dict_row  # noqa: E402
from psycopg_pool import AsyncConnectionPool  # noqa: E402

WARM, HISTORY = 3, 20


class Line(models.Model):
    """A line of the transcript."""

    thread = models.CharField(max_length=64, db_index=True)
    role = models.CharField(max_length=16)
    text = models.TextField()
    at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[models.Manager[Any]] = models.Manager()

    class Meta:
        app_label = "naive"


class Pending(models.Model):
    """What a thread waits for."""

    thread = models.CharField(max_length=64, unique=True)
    prompt = models.TextField()

    objects: ClassVar[models.Manager[Any]] = models.Manager()

    class Meta:
        app_label = "naive"


class Act(models.Model):
    """The audit."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    thread = models.CharField(max_length=64, db_index=True)
    detail = models.JSONField()

    objects: ClassVar[models.Manager[Any]] = models.Manager()

    class Meta:
        app_label = "naive"


class State(TypedDict, total=False):
    messages: Annotated[list[Any], operator.add]
    slots: dict[str, Any]
    number: int


async def gate(state: State) -> State:
    return {"number": interrupt({"prompt": "And the next number?"})}


async def understand(state: State) -> State:
    return {"slots": {"answer": state["number"]}}


async def orchestrate(state: State) -> State:
    return {"messages": [{"role": "assistant", "text": f"reply {state['number']}"}]}


def builder() -> Any:
    graph = StateGraph(State)
    graph.add_node("gate", gate)
    graph.add_node("understand", understand)
    graph.add_node("orchestrate", orchestrate)
    graph.add_edge(START, "gate")
    graph.add_edge("gate", "understand")
    graph.add_edge("understand", "orchestrate")
    graph.add_edge("orchestrate", "gate")
    return graph


async def turn(graph: Any, pool: Any, thread: str, number: int) -> float:
    began = time.perf_counter()
    await Line.objects.acreate(thread=thread, role="user", text=str(number))
    called = graph.copy({"checkpointer": AsyncPostgresSaver(pool)})
    await called.ainvoke(Command(resume=number), {"configurable": {"thread_id": thread}}, durability="sync")
    await Line.objects.acreate(thread=thread, role="assistant", text=f"reply {number}")
    await Pending.objects.aupdate_or_create(thread=thread, defaults={"prompt": f"next {number}"})
    await Act.objects.acreate(thread=thread, detail={"number": number})
    return (time.perf_counter() - began) * 1000


async def talk(graph: Any, pool: Any, thread: str, turns: range) -> list[float]:
    return [await turn(graph, pool, thread, number) for number in turns]


async def run(in_flight: int, turns: int) -> dict[str, float]:
    options = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    async with AsyncConnectionPool(URL, min_size=10, max_size=10, open=False, kwargs=options) as pool:
        saver = AsyncPostgresSaver(pool)  # type: ignore[arg-type]
        await saver.setup()
        graph = builder().compile(checkpointer=saver)
        threads = [f"t{each}" for each in range(in_flight)]
        said = [{"role": "user", "text": "lorem ipsum dolor sit amet " * 5} for _ in range(HISTORY)]
        for thread in threads:
            await graph.ainvoke({"messages": said, "number": 0}, {"configurable": {"thread_id": thread}})
        await asyncio.gather(*(talk(graph, pool, thread, range(WARM)) for thread in threads))
        began, spent = time.perf_counter(), time.process_time()
        took = await asyncio.gather(*(talk(graph, pool, thread, range(WARM, WARM + turns)) for thread in threads))
        wall, spent = time.perf_counter() - began, time.process_time() - spent
    all_of_them = [each for part in took for each in part]
    count = len(all_of_them)
    return {"rate": count / wall, "p50": statistics.median(all_of_them), "cpu": spent / count * 1000}


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--in-flight", type=int, default=32)
    options.add_argument("--turns", type=int, default=12)
    chosen = options.parse_args()
    with connection.schema_editor() as editor:
        for model in (Line, Pending, Act):
            editor.create_model(model)
    print(json.dumps(asyncio.run(run(chosen.in_flight, chosen.turns))))
