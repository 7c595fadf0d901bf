"""LangGraph's checkpointer over the ORM. It holds a turn's writes in memory until the turn's commit.

Checkpoints are ordered by a number of ours: LangGraph's ids follow the wall clock of the host that ran the turn, and a
host whose clock is behind would hide its own newest checkpoint.
"""

from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, Self

from django.db.models import Max, Q
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.base import Checkpoint as GraphCheckpoint

from dialogue.models import Checkpoint, CheckpointWrite, hot_path
from dialogue.turns.process.database import in_thread

INTERRUPT = "__interrupt__"
"""LangGraph's channel of a pause."""
_NEWEST = "ORDER BY number DESC LIMIT 1"
_WRITES_OF_NEWEST = (
    "AND checkpoint_id = (SELECT checkpoint_id FROM dialogue_checkpoint"
    f" WHERE thread_id = %s AND namespace = %s {_NEWEST})"
)
MAX_CHECKPOINTS = 5
"""How many checkpoints of a thread and namespace are kept, for investigations; a turn needs only the newest."""


class DjangoSaver(BaseCheckpointSaver[int]):
    """LangGraph's saver for one turn: reads stored and unwritten rows together, and writes only in `flush`.

    `flush` belongs in the turn's transaction. A saver that is dropped without it leaves the database unchanged.
    """

    def __init__(self) -> None:
        super().__init__()
        self._checkpoints: list[Checkpoint] = []
        self._writes: dict[tuple[str, str, str, str, int], CheckpointWrite] = {}
        self._newest: dict[tuple[str, str], tuple[Checkpoint | None, list[CheckpointWrite]]] = {}

    @staticmethod
    def newest_of(thread: str) -> tuple[hot_path.Query, hot_path.Query]:
        """Return the queries of the newest checkpoint of `thread` and of its writes, for `preload`."""
        address = {"thread_id": thread, "namespace": ""}
        return (
            hot_path.Query(Checkpoint, address, _NEWEST),
            hot_path.Query(CheckpointWrite, address, _WRITES_OF_NEWEST, [thread, ""]),
        )

    def preload(self, thread: str, checkpoints: Sequence[Checkpoint], writes: list[CheckpointWrite]) -> None:
        """Take what the queries of `newest_of` found with the turn's other rows, so that the graph needs no query."""
        self._newest[thread, ""] = (checkpoints[0] if checkpoints else None, writes)

    def flush(self) -> None:
        """Number and write the turn's rows, and delete old checkpoints. Call it in the turn's transaction."""
        for (thread, namespace), rows in self._by_thread().items():
            last = self._last_number(thread, namespace)
            for number, row in enumerate(rows, start=last + 1):
                row.number = number
            hot_path.insert(rows)
            # Not in every turn, because a deletion costs two statements.
            if (last + len(rows)) // MAX_CHECKPOINTS > last // MAX_CHECKPOINTS:
                _delete_older(thread, namespace, last + len(rows) - MAX_CHECKPOINTS)
        new_ids = {row.checkpoint_id for row in self._checkpoints}
        hot_path.insert([write for write in self._writes.values() if write.checkpoint_id in new_ids])
        _write_again([write for write in self._writes.values() if write.checkpoint_id not in new_ids])
        self._checkpoints, self._writes, self._newest = [], {}, {}

    # ---- LangGraph's side ----

    def with_allowlist(self, extra_allowlist: Collection[tuple[str, ...]]) -> Self:
        """Return this saver: LangGraph would copy it in each turn to allow classes, but ours stores plain JSON."""
        return self

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        thread, namespace, checkpoint_id = address_of(config)
        own_rows = (row for row in reversed(self._checkpoints) if (row.thread_id, row.namespace) == (thread, namespace))
        row = next((row for row in own_rows if checkpoint_id in (None, row.checkpoint_id)), None)
        if row is not None:
            return self._checkpoint_tuple(row, [])
        stored, writes = await self._row_with_writes(thread, namespace, checkpoint_id)
        return self._checkpoint_tuple(stored, writes) if stored else None

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: GraphCheckpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        thread, namespace, parent = address_of(config)
        kind, blob = self.serde.dumps_typed(checkpoint)
        row = Checkpoint(
            thread_id=thread,
            namespace=namespace,
            checkpoint_id=checkpoint["id"],
            parent_id=parent or "",
            kind=kind,
            blob=blob,
            metadata=get_checkpoint_metadata(config, metadata),
        )
        self._checkpoints.append(row)
        return config_for(thread, namespace, row.checkpoint_id)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        thread, namespace, checkpoint_id = address_of(config)
        for index, (channel, value) in enumerate(writes):
            kind, blob = self.serde.dumps_typed(value)
            row = CheckpointWrite(
                thread_id=thread,
                namespace=namespace,
                checkpoint_id=checkpoint_id or "",
                task_id=task_id,
                task_path=task_path,
                position=WRITES_IDX_MAP.get(channel, index),
                channel=channel,
                kind=kind,
                blob=blob,
            )
            key = (thread, namespace, row.checkpoint_id, task_id, row.position)
            # A repeated ordinary write keeps the first value; special ones (an interrupt, a resume) take the last.
            if row.position < 0 or key not in self._writes:
                self._writes[key] = row

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        for row in (await in_thread(self._matching_tuples)(config, filter or {}, before))[:limit]:
            yield self._checkpoint_tuple(row, await in_thread(_stored_writes)(row))

    async def adelete_thread(self, thread_id: str) -> None:
        self._checkpoints = [row for row in self._checkpoints if row.thread_id != thread_id]
        self._writes = {key: row for key, row in self._writes.items() if row.thread_id != thread_id}
        self._newest.clear()
        await in_thread(forget_thread)(thread_id)

    # ---- how rows and tuples meet ----

    def _by_thread(self) -> dict[tuple[str, str], list[Checkpoint]]:
        groups: dict[tuple[str, str], list[Checkpoint]] = {}
        for row in self._checkpoints:
            groups.setdefault((row.thread_id, row.namespace), []).append(row)
        return groups

    def _last_number(self, thread: str, namespace: str) -> int:
        if (thread, namespace) in self._newest:
            row, _ = self._newest[thread, namespace]
            return row.number if row else 0
        return _newest_row(thread, namespace).aggregate(last=Max("number"))["last"] or 0

    async def _row_with_writes(
        self, thread: str, namespace: str, checkpoint_id: str | None
    ) -> tuple[Checkpoint | None, list[CheckpointWrite]]:
        preloaded = self._newest.get((thread, namespace))
        if preloaded and (preloaded[0] is None or checkpoint_id in (None, preloaded[0].checkpoint_id)):
            return preloaded
        return await in_thread(_fetch_rows)(thread, namespace, checkpoint_id)

    def _matching_tuples(
        self, config: RunnableConfig | None, metadata_filter: dict[str, Any], before: RunnableConfig | None
    ) -> list[Checkpoint]:
        """Return rows, the newest first. `config` may name a thread, a namespace and a checkpoint; None matches all."""
        thread_filter = Q(thread_id=str(config["configurable"]["thread_id"])) if config else Q()
        rows = [*Checkpoint.objects.filter(thread_filter).order_by("number"), *self._checkpoints]
        rows = [row for row in rows if _matches_config(row, config, metadata_filter)]
        if before is not None:
            ids: list[str | None] = [row.checkpoint_id for row in rows]
            rows = rows[: ids.index(get_checkpoint_id(before))] if get_checkpoint_id(before) in ids else []
        return rows[::-1]

    def _checkpoint_tuple(self, row: Checkpoint, stored: list[CheckpointWrite]) -> CheckpointTuple:
        address = (row.thread_id, row.namespace)
        return CheckpointTuple(
            config=config_for(*address, row.checkpoint_id),
            checkpoint=self.serde.loads_typed((row.kind, bytes(row.blob))),
            metadata=row.metadata,
            parent_config=config_for(*address, row.parent_id) if row.parent_id else None,
            pending_writes=[
                (write.task_id, write.channel, self.serde.loads_typed((write.kind, bytes(write.blob))))
                for write in self._all_writes(row, stored)
            ],
        )

    def _all_writes(self, row: Checkpoint, stored: list[CheckpointWrite]) -> list[CheckpointWrite]:
        """Return stored and unwritten writes of one checkpoint; an unwritten special one replaces the stored one."""
        writes = {(write.task_id, write.position): write for write in stored}
        address = (row.thread_id, row.namespace, row.checkpoint_id)
        for (*place, task_id, position), write in self._writes.items():
            if tuple(place) == address and (position < 0 or (task_id, position) not in writes):
                writes[task_id, position] = write
        return sorted(writes.values(), key=lambda write: (write.task_path, write.task_id, write.position))


Renamer = Callable[[str, int], tuple[str, str]]
"""Called with a pause's node and visit; returns the node's new name and the id of its session."""


def stored_state(thread: str) -> dict[str, Any]:
    """Return the values of the newest checkpoint of `thread` by channel; {} for a thread without a checkpoint."""
    row, _writes = _fetch_rows(thread, "", None)
    if row is None:
        return {}
    return dict(DjangoSaver().serde.loads_typed((row.kind, bytes(row.blob)))["channel_values"])


def rewrite_state(thread: str, changes: dict[str, Any], renamed: Renamer) -> None:
    """Change values of the newest checkpoint of `thread`, by channel, and rename the node of its pause.

    For an administrator's command, under the conversation's lease and in a transaction. The thread must have a
    checkpoint.
    """
    row, writes = _fetch_rows(thread, "", None)
    assert row is not None
    serde = DjangoSaver().serde
    checkpoint = serde.loads_typed((row.kind, bytes(row.blob)))
    values = checkpoint["channel_values"]
    values.update(changes)
    awaited = values.get("awaited")
    if awaited:
        node, _session = renamed(awaited["node_id"], awaited["visit"])
        values["awaited"] = {**awaited, "node_id": node, "key": f"{node}/{awaited['visit']}"}
    row.kind, row.blob = serde.dumps_typed(checkpoint)
    row.save(update_fields=["kind", "blob"])
    for write in writes if awaited else []:
        if write.channel == INTERRUPT:
            _rename_interrupt(write, awaited["visit"], renamed, serde)


def _rename_interrupt(write: CheckpointWrite, visit: int, renamed: Renamer, serde: Any) -> None:
    pauses = serde.loads_typed((write.kind, bytes(write.blob)))
    named = []
    for pause in pauses:
        node, session = renamed(pause.value["node_id"], visit)
        named.append(replace(pause, value={**pause.value, "node_id": node, "session_id": session}))
    write.kind, write.blob = serde.dumps_typed(type(pauses)(named))
    write.save(update_fields=["kind", "blob"])


def forget_thread(thread: str) -> None:
    """Delete all checkpoints and writes of a thread."""
    CheckpointWrite.objects.filter(thread_id=thread).delete()
    Checkpoint.objects.filter(thread_id=thread).delete()


def address_of(config: RunnableConfig) -> tuple[str, str, str | None]:
    configurable = config["configurable"]
    return str(configurable["thread_id"]), configurable.get("checkpoint_ns", ""), get_checkpoint_id(config)


def config_for(thread: str, namespace: str, checkpoint_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": namespace, "checkpoint_id": checkpoint_id}}


def _newest_row(thread: str, namespace: str) -> Any:
    return Checkpoint.objects.filter(thread_id=thread, namespace=namespace)


def _stored_writes(row: Checkpoint) -> list[CheckpointWrite]:
    address = {"thread_id": row.thread_id, "namespace": row.namespace, "checkpoint_id": row.checkpoint_id}
    return hot_path.fetch(CheckpointWrite, address)


def _fetch_rows(
    thread: str, namespace: str, checkpoint_id: str | None
) -> tuple[Checkpoint | None, list[CheckpointWrite]]:
    rows = _newest_row(thread, namespace)
    row = (rows.filter(checkpoint_id=checkpoint_id) if checkpoint_id else rows.order_by("-number")).first()
    return row, _stored_writes(row) if row else []


def _write_again(writes: Sequence[CheckpointWrite]) -> None:
    if writes:  # their checkpoint was stored by an earlier turn, perhaps with some of these writes
        CheckpointWrite.objects.bulk_create(
            writes,
            update_conflicts=True,
            unique_fields=["thread_id", "namespace", "checkpoint_id", "task_id", "position"],
            update_fields=["channel", "kind", "blob", "task_path"],
        )


def _delete_older(thread: str, namespace: str, up_to: int) -> None:
    thread_rows = {"thread_id": thread, "namespace": namespace}
    old = "SELECT checkpoint_id FROM dialogue_checkpoint WHERE thread_id = %s AND namespace = %s AND number <= %s"
    hot_path.delete(CheckpointWrite, thread_rows, f"AND checkpoint_id IN ({old})", [thread, namespace, up_to])
    hot_path.delete(Checkpoint, thread_rows, "AND number <= %s", [up_to])


def _matches_config(row: Checkpoint, config: RunnableConfig | None, metadata_filter: dict[str, Any]) -> bool:
    configurable = config["configurable"] if config else {}
    fits = (
        row.thread_id == str(configurable.get("thread_id", row.thread_id)),
        row.namespace == configurable.get("checkpoint_ns", row.namespace),
        row.checkpoint_id == configurable.get("checkpoint_id", row.checkpoint_id),
    )
    return all(fits) and all(row.metadata.get(key) == value for key, value in metadata_filter.items())
