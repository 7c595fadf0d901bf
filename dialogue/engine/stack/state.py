"""What a conversation remembers between turns, as plain JSON. The keys are stored, so they must stay."""

from datetime import datetime
from typing import Any, Literal, NotRequired, TypedDict

FrameStatus = Literal["active", "paused", "parked", "calling", "planned"]
ValueSource = Literal["user", "operator", "action", "default", "flow", "event", "start", "claim"]
ConversationState = Literal["idle", "waiting", "done", "cancelled"]
MAX_RECENT_MESSAGES = 10


class StoredSlot(TypedDict):
    """One slot's value and its provenance. A `value` of None: the user skipped the slot for good.

    `labels` are the labels of the options from data that were chosen, by key; `masked` says that they show something
    sensitive.
    """

    value: Any
    turn: int
    source: ValueSource
    words: NotRequired[str]
    by: NotRequired[str]
    labels: NotRequired[dict[str, str]]
    masked: NotRequired[bool]


class PathStep(TypedDict):
    """One executed step: the hashes of what it read, its target, the slots that it wrote, and in `left` the hashes of
    their new values where it read them as well. `overwrote` are the values that these slots had before, where a step
    of the flow, not a person, replaced one."""

    step: str
    to: str
    reads: NotRequired[dict[str, str]]
    wrote: NotRequired[list[str]]
    left: NotRequired[dict[str, str]]
    overwrote: NotRequired[dict[str, StoredSlot]]


class Wait(TypedDict):
    """What a frame awaits, at which visit, and the hashes of the values that were shown with it. `error` is the reason
    why staff are asked whether an action happened. `timers` are the moments of its timers by name, as ISO 8601 in UTC,
    without those that are over; `event` is the name of the awaited event.

    For a choice from data: `page` of the options that is shown, `matches` the keys to which the question is narrowed,
    `picked` the keys of a list that are certain already, `single` whether the only option waits for a yes, and
    `declined` whether the user said no to it.
    """

    kind: Literal["collect", "confirm", "inform", "change", "human", "handoff", "wait"]
    step: str
    visit: int
    reads: NotRequired[dict[str, str]]
    error: NotRequired[str]
    timers: NotRequired[dict[str, str]]
    event: NotRequired[str]
    page: NotRequired[int]
    matches: NotRequired[list[str]]
    picked: NotRequired[list[str]]
    single: NotRequired[bool]
    declined: NotRequired[bool]


class LoadedOptions(TypedDict):
    """What the action behind a choice has returned: how often it was called for this slot, and, unless it failed, the
    entries and the hashes of its inputs."""

    calls: int
    entries: NotRequired[list[Any]]
    reads: NotRequired[dict[str, str]]


class Mention(TypedDict):
    """What was said about a choice before its options were known, or the keys of the options that fit it, and `picked`
    those of a list that are certain already."""

    words: NotRequired[str]
    keys: NotRequired[list[str]]
    picked: NotRequired[list[str]]


class Caller(TypedDict):
    """The frame and step that called a frame, and the hashes of what the inputs read.

    `need` is the slot that the called flow shall fill before the caller runs its step.
    """

    frame: str
    step: str
    reads: dict[str, str]
    need: NotRequired[str]


class LoopState(TypedDict):
    """The rounds of a `for_each`, by the index of their entries.

    `entries` are the list's entries at the start, each as JSON text. `pending` are the rounds that are still to be run
    or repeated, in order; `at` is the one that is open, or was last (-1: none yet), `open` whether it is being run.
    `rounds` are those that ended or were put aside, each a `StoredRound` as JSON text ("" for one that never began).
    `gathered` are the values of each round by list slot, None where there is none. `reads` and `wrote` are the names
    outside the loop that any round read or wrote. `ahead` are values for later rounds by index and slot; `skip` says
    that the open round ends without gathering.

    Entries and rounds are texts, because the memory is copied in every turn: a text costs nothing to copy, however long
    the loop is.
    """

    entries: list[str]
    pending: list[int]
    at: int
    open: bool
    rounds: list[str]
    gathered: dict[str, list[Any]]
    reads: list[str]
    wrote: list[str]
    ahead: NotRequired[dict[str, dict[str, StoredSlot]]]
    skip: NotRequired[bool]


class StoredRound(TypedDict):
    """What a round did and collected: its part of the frame, with that of the loops inside it. A `skipped` round ended
    without gathering, at the step `skipped_at`."""

    path: NotRequired[list[PathStep]]
    slots: NotRequired[dict[str, StoredSlot]]
    results: NotRequired[dict[str, dict[str, Any]]]
    result_labels: NotRequired[dict[str, dict[str, str]]]
    bound: NotRequired[dict[str, dict[str, str]]]
    loops: NotRequired[dict[str, int]]
    rounds: NotRequired[dict[str, LoopState]]
    drafts: NotRequired[dict[str, dict[str, Any]]]
    mentions: NotRequired[dict[str, Mention]]
    skipped: NotRequired[bool]
    skipped_at: NotRequired[str]


class ItemValue(TypedDict):
    """A value for one entry of a list that no loop has begun to go through; `item` are the words for the entry."""

    slot: str
    item: Any
    stored: StoredSlot


class Frame(TypedDict):
    """One run of a flow. `step` is where it stands ("" when it is over), `path` what it has done, each step once;
    `again` are the steps that a correction put in doubt: they are passed over unless what they read has changed.
    `error_turn` is the turn in which a failure led to the flow's own `on_error` last. `needs_met`: the slots that the
    flow needs were filled when it began. `timed_out` is the step whose time limit passed while a person had the chat.
    `drafts` are records of which required fields are still missing, by slot.
    `options` are loaded options, `mentions` words about them, and `refreshes` counts how often the chosen entry was
    replaced by the source's newer one, each by slot; `result_labels` are the labels of options that a decision chose,
    by `<step>.<field>` and value.

    `loops` counts the rounds of each `while`, `rounds` has those of each `for_each`; the path holds only the steps of
    its open round. `ahead` are values for entries of lists that no loop has reached."""

    id: str
    flow: str
    step: str
    status: FrameStatus
    since: str
    visits: dict[str, int]
    slots: dict[str, StoredSlot]
    path: list[PathStep]
    again: NotRequired[dict[str, PathStep]]
    loops: NotRequired[dict[str, int]]
    rounds: NotRequired[dict[str, LoopState]]
    ahead: NotRequired[list[ItemValue]]
    results: NotRequired[dict[str, dict[str, Any]]]
    bound: NotRequired[dict[str, dict[str, str]]]
    wait: NotRequired[Wait]
    caller: NotRequired[Caller]
    failed: NotRequired[bool]
    error_turn: NotRequired[int]
    needs_met: NotRequired[bool]
    drafts: NotRequired[dict[str, dict[str, Any]]]
    options: NotRequired[dict[str, LoadedOptions]]
    mentions: NotRequired[dict[str, Mention]]
    refreshes: NotRequired[dict[str, int]]
    result_labels: NotRequired[dict[str, dict[str, str]]]
    timed_out: NotRequired[str]


class Offer(TypedDict):
    """What is offered beside the stack: which flow is meant, which to resume, a restart, or a changed value.

    A changed value is `value` for the `slot` of the flow that `frame` runs.
    """

    kind: Literal["clarify", "resume", "restart", "correction"]
    flows: list[str]
    visit: int
    slot: NotRequired[str]
    value: NotRequired[Any]
    frame: NotRequired[str]


class HandoffState(TypedDict):
    """A person has the chat, or was asked for. `visit` counts the handoffs and offers of the conversation."""

    visit: int
    flow: str
    reason: str
    since: str


class Misses(TypedDict):
    """How many messages in a row did not answer this task."""

    task: str
    count: int


class Memory(TypedDict):
    """What lasts. `made` counts frames, `asked` offers and takings-over, so that their names never return; `restarted`
    says that the turn before was a restart, and another release may serve now. `need_sources` are, by needed slot of
    the conversation, the other slots of the conversation that its flow asked for.
    `drafts` are as in a frame."""

    turn: int
    made: int
    asked: int
    status: ConversationState
    frames: list[Frame]
    slots: dict[str, StoredSlot]
    messages: list[list[str]]
    said: list[dict[str, Any]]
    offer: NotRequired[Offer]
    handoff: NotRequired[HandoffState]
    misses: NotRequired[Misses]
    restarted: NotRequired[bool]
    need_sources: NotRequired[dict[str, list[str]]]
    drafts: NotRequired[dict[str, dict[str, Any]]]


def new_memory() -> Memory:
    """Return the memory of a conversation that has not begun."""
    return {"turn": 0, "made": 0, "asked": 0, "status": "idle", "frames": [], "slots": {}, "messages": [], "said": []}


def new_frame(memory: Memory, flow: str, step: str, now: datetime) -> Frame:
    """Return a frame at the flow's first step. Its id is unique in the conversation."""
    memory["made"] += 1
    return {
        "id": f"{flow}-{memory['made']}",
        "flow": flow,
        "step": step,
        "status": "active",
        "since": now.isoformat(),
        "visits": {},
        "slots": {},
        "path": [],
    }


def wait_key(frame: Frame, wait: Wait) -> str:
    """Return the identity of a frame's pause: frame, step and visit, joined by slashes."""
    return f"{frame['id']}/{wait['step']}/{wait['visit']}"


def variables_at(memory: Memory, node_id: str) -> dict[str, Any]:
    """Return the stored values that can be read at `frame/step`, by name.

    They are the conversation's, the frame's, and as `<step>.<field>` the decisions at its human steps. Empty slots are
    left out.
    """
    frame_id = node_id.partition("/")[0]
    frame = next((frame for frame in memory["frames"] if frame["id"] == frame_id), None)
    slots = {**memory["slots"], **(frame["slots"] if frame else {})}
    decided = frame.get("results", {}) if frame else {}
    filled = {name: stored["value"] for name, stored in slots.items() if stored["value"] is not None}
    return filled | {f"{step}.{field}": value for step, values in decided.items() for field, value in values.items()}


def copy_json(value: Any) -> Any:
    """Return a deep copy of plain JSON. It is several times faster than copy.deepcopy."""
    if type(value) is dict:
        return {key: copy_json(element) for key, element in value.items()}
    if type(value) is list:
        return [copy_json(element) for element in value]
    return value
