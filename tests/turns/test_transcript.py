"""What is said before an action is read while it runs, once, under a number that stays."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from dialogue.audit.invariants import count_violations
from dialogue.desk.access.people import read_person
from dialogue.desk.maintenance.erasure import erase_conversation
from dialogue.desk.maintenance.retention import CLOCK
from dialogue.desk.sessions.incidents import retry_turn
from dialogue.engine.actions import ActionCall, Outcome, StubbedActions, Succeeded
from dialogue.engine.ports.commands import SetSlot, StartFlow
from dialogue.engine.understanding import Understanding
from dialogue.models import ActionRun, Conversation, Event, HITLSession, Message, Turn
from dialogue.turns import lease, worker
from dialogue.turns.accept import Incoming, accept
from dialogue.turns.lease import LeaseLost
from dialogue.turns.live import notify
from dialogue.turns.live.redaction import redactor_of
from dialogue.turns.live.serializers import conversation_view, explicit_states, message_view
from dialogue.turns.process.database import in_thread
from dialogue.turns.worker import Ports, drain
from tests.support.releases import publish
from tests.support.transfers import person
from tests.support.turns import begun

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

ERRAND = {
    "assistant.yaml": "version: 1\nassistant: errand\ntitle: Errands\nactions:\n"
    "  look: {inputs: {}, outputs: {}, idempotent: true}\n  fetch: {inputs: {}, outputs: {}, idempotent: true}\n",
    "run.yaml": "flow: run\ntitle: an errand\ndescription: Runs an errand.\nexamples: [run an errand]\nsteps:\n"
    "  - {step: begin, type: say, message: One moment.}\n"
    "  - {step: look, type: action, call: look}\n"
    "  - {step: found, type: say, message: Found it.}\n"
    "  - {step: fetch, type: action, call: fetch}\n"
    "  - {step: done, type: say, message: Here it is.}\n",
}

LINES = ["One moment.", "Found it.", "Here it is."]


class Hands:
    """The actions' hands: what is done at a call is told them by the action's name."""

    def __init__(self, **at: Callable[[], Any]) -> None:
        self._at = at
        self.calls: list[str] = []

    async def run(self, call: ActionCall) -> Outcome:
        self.calls.append(call.name)
        if call.name in self._at:
            await self._at[call.name]()
        return Succeeded({})


class ProcessDied(BaseException):
    """The process ends here; nothing of the product runs after it."""


async def dies() -> None:
    raise ProcessDied


async def fails() -> None:
    raise OSError("the network is down")


@pytest.fixture
async def errand() -> Conversation:
    conversation = await begun(ERRAND)
    await write(conversation, "run an errand")
    return conversation


async def write(conversation: Conversation, text: str) -> None:
    client_id = f"m{await Event.objects.acount()}"
    await in_thread(accept)(conversation.pk, Incoming("message", client_id, {"text": text}, text=text))


async def transcript(conversation: Conversation) -> list[tuple[int, str]]:
    """Every line by its number."""
    return [(row.seq, row.text) async for row in Message.objects.filter(conversation=conversation).order_by("seq")]


async def run_and_die(conversation: Conversation, hands: Hands) -> None:
    """A turn whose process ends; the next one finds the lease run out."""
    with pytest.raises(ProcessDied):
        await drain(conversation.pk, ports=Ports(actions=hands))
    await in_thread(lease.end_all)()


async def broken() -> list[str]:
    return [invariant.sentence for invariant, count in await in_thread(count_violations)() if count]


async def test_a_line_is_in_the_transcript_while_the_action_after_it_runs(errand: Conversation) -> None:
    seen: list[list[tuple[int, str]]] = []

    async def look() -> None:
        seen.append(await transcript(errand))

    await drain(errand.pk, ports=Ports(actions=Hands(look=look, fetch=look)))

    own = (1, "run an errand")
    assert seen == [[own, (2, "One moment.")], [own, (2, "One moment."), (3, "Found it.")]]
    assert await transcript(errand) == [own, *enumerate(LINES, start=2)]
    turn = await Turn.objects.aget()
    assert [row.text async for row in turn.messages.order_by("ordinal")] == LINES
    assert [row.ordinal async for row in turn.messages.order_by("seq")] == [0, 1, 2]
    assert await broken() == []


async def test_sockets_are_rung_when_the_line_is_stored_and_not_before(
    errand: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    rung: list[list[str]] = []

    def ring(conversation: object, turn: int = 0) -> None:
        if not turn:
            rung.append(list(Message.objects.order_by("seq").values_list("text", flat=True)))

    monkeypatch.setattr(notify, "notify_conversation", ring)

    async def check() -> None:
        assert len(rung) == 1

    await drain(errand.pk, ports=Ports(actions=Hands(look=check)))

    assert rung == [["run an errand", *LINES[:1]], ["run an errand", *LINES[:2]]]


@pytest.mark.parametrize(
    ("point", "calls"), [("look", ["look", "look", "fetch"]), ("fetch", ["look", "fetch", "fetch"])]
)
async def test_the_turn_that_runs_again_says_the_same_lines_under_the_same_numbers(
    errand: Conversation, point: str, calls: list[str]
) -> None:
    await run_and_die(errand, dying := Hands(**{point: dies}))
    before = await transcript(errand)

    await drain(errand.pk, ports=Ports(actions=(living := Hands())))

    assert len(before) > 1 and (await transcript(errand))[: len(before)] == before
    assert dying.calls + living.calls == calls
    assert [line for _seq, line in await transcript(errand)][1:3] == LINES[:2]
    assert await broken() == []


async def test_a_line_that_was_not_stored_when_the_process_died_is_said_by_the_next_run(errand: Conversation) -> None:
    async def dies_at_second() -> None:
        await ActionRun.objects.filter(action="look").aupdate(state=ActionRun.State.SUCCEEDED, outputs={})
        raise ProcessDied

    await run_and_die(errand, Hands(look=dies_at_second))

    await drain(errand.pk, ports=Ports(actions=Hands()))

    assert [line for _seq, line in await transcript(errand)][1:] == LINES


async def test_what_the_user_writes_meanwhile_comes_between_the_lines_and_is_answered_after_them(
    errand: Conversation,
) -> None:
    async def look() -> None:
        await write(errand, "run an errand")

    lines = ["run an errand", "One moment.", "run an errand", "Found it.", "Here it is."]

    held = await in_thread(lease.claim)(errand.pk)
    assert held is not None
    work = await in_thread(worker.next_work)(held)
    assert work is not None
    await worker._run_and_commit(work, Ports(actions=Hands(look=look)))

    assert await transcript(errand) == list(enumerate(lines, start=1))
    assert await broken() == []


async def test_a_turn_that_fails_for_good_leaves_what_was_read_and_apologises_after_it(errand: Conversation) -> None:
    await drain(errand.pk, ports=Ports(actions=Hands(fetch=fails)))

    keys = [row.key async for row in Message.objects.order_by("seq")]
    assert keys == ["", "say:begin", "say:found", "error"]
    await errand.arefresh_from_db()
    assert (errand.state, errand.stack, errand.last_message) == ("failed", [], 4)
    assert await broken() == []


async def test_a_turn_that_is_tried_again_by_a_person_goes_on_after_the_apology(errand: Conversation) -> None:
    await drain(errand.pk, ports=Ports(actions=Hands(look=fails)))
    retry = in_thread(lambda: retry_turn(errand.pk, 1, read_person(person("sofia", "Sofia Rossi", "supervisors").pk)))
    await retry()

    await drain(errand.pk, ports=Ports(actions=Hands(fetch=fails)))
    await retry()
    await drain(errand.pk, ports=Ports(actions=Hands()))

    keys = [row.key async for row in Message.objects.order_by("seq")]
    assert keys == ["", "say:begin", "error", "say:found", "error", "say:done"]
    turn = await Turn.objects.aget()
    assert [row.text async for row in turn.messages.order_by("ordinal")] == LINES
    assert await broken() == []


async def test_a_release_that_is_published_between_two_runs_does_not_change_what_the_turn_says(
    errand: Conversation,
) -> None:
    await run_and_die(errand, Hands(look=dies))
    other = ERRAND["run.yaml"].replace("message: Found it.", "message: Something else.")
    await in_thread(publish)({**ERRAND, "run.yaml": other})

    await drain(errand.pk, ports=Ports(actions=Hands()))

    assert [line for _seq, line in await transcript(errand)][1:] == LINES


class Learned:
    """Understanding that has learned something between two runs."""

    def __init__(self, flow: str) -> None:
        self._flow = flow

    async def understand(self, message: str, context: Any) -> Understanding:
        return Understanding((StartFlow(self._flow),))


async def test_what_was_understood_when_a_line_was_read_is_understood_by_the_next_run(errand: Conversation) -> None:
    with pytest.raises(ProcessDied):
        await drain(errand.pk, ports=Ports(lambda _: Learned("run"), Hands(look=dies)))
    await in_thread(lease.end_all)()

    await drain(errand.pk, ports=Ports(lambda _: Learned("nothing"), Hands()))

    assert [line for _seq, line in await transcript(errand)][1:] == LINES


async def test_where_two_runs_differ_nothing_that_was_read_is_lost_and_nothing_is_left_unsaid(
    errand: Conversation,
) -> None:
    await run_and_die(errand, Hands(fetch=dies))
    await Message.objects.filter(key="say:found").aupdate(key="say:other", text="Something else.")

    await drain(errand.pk, ports=Ports(actions=Hands()))

    texts = [line for _seq, line in await transcript(errand)][1:]
    assert texts == ["One moment.", "Something else.", "Found it.", "Here it is."]
    turn = await Turn.objects.aget()
    assert [row.text async for row in turn.messages.order_by("ordinal")] == texts
    assert await broken() == []


async def test_a_line_that_its_turn_did_not_take_over_breaks_an_invariant(errand: Conversation) -> None:
    await drain(errand.pk, ports=Ports(actions=Hands()))
    await Message.objects.filter(key="say:begin").aupdate(turn=None)

    assert await broken() == ["a line that was read before its turn was done belongs to that turn"]


async def test_a_runner_that_lost_its_lease_stores_no_line(errand: Conversation) -> None:
    held = await in_thread(lease.claim)(errand.pk)
    assert held is not None
    work = await in_thread(worker.next_work)(held)
    assert work is not None
    await Conversation.objects.aupdate(epoch=held.epoch + 1)

    with pytest.raises(LeaseLost):
        await worker._run_engine(work, Ports(actions=Hands()))

    assert [line for _seq, line in await transcript(errand)] == ["run an errand"]
    assert not await ActionRun.objects.aexists()


async def test_a_turn_without_an_action_stores_its_lines_with_its_commit() -> None:
    plain = "flow: run\ntitle: an errand\ndescription: Runs.\nexamples: [run an errand]\nsteps:\n"
    conversation = await begun(
        {
            **ERRAND,
            "run.yaml": plain
            + "  - {step: one, type: say, message: One.}\n  - {step: two, type: say, message: Two.}\n",
        }
    )
    await write(conversation, "run an errand")

    await drain(conversation.pk, ports=Ports(actions=StubbedActions()))

    assert (await Event.objects.aget()).basis is None
    assert not await Message.objects.filter(reply_to__isnull=False).aexists()


async def test_an_action_before_which_nothing_was_said_stores_no_line(errand: Conversation) -> None:
    silent = ERRAND["run.yaml"].replace("  - {step: begin, type: say, message: One moment.}\n", "")
    await in_thread(publish)({**ERRAND, "run.yaml": silent})
    seen: list[list[tuple[int, str]]] = []

    async def look() -> None:
        seen.append(await transcript(errand))

    await drain(errand.pk, ports=Ports(actions=Hands(look=look)))

    assert seen == [[(1, "run an errand")]]


async def test_the_explicit_state_is_executing_action_while_an_action_runs_and_not_longer(errand: Conversation) -> None:
    seen: list[str] = []

    @in_thread
    def look() -> str:
        row = Conversation.objects.select_related("release").get(pk=errand.pk)
        return str(conversation_view(row, insight=True)["explicit"])

    async def note() -> None:
        seen.append(await look())

    before = await look()
    await drain(errand.pk, ports=Ports(actions=Hands(look=note, fetch=note)))

    assert [before, *seen, await look()] == ["idle", "executing_action", "executing_action", "idle"]


async def test_a_conversation_whose_runner_died_at_an_action_executes_nothing(errand: Conversation) -> None:
    await run_and_die(errand, Hands(look=dies))

    assert await in_thread(explicit_states)([errand]) == {errand.pk: "idle"}


async def test_an_erased_conversation_keeps_no_line_of_a_turn_that_failed(
    errand: Conversation,
) -> None:
    await drain(errand.pk, ports=Ports(actions=Hands(look=fails)))

    await in_thread(erase_conversation)(errand.pk, CLOCK, "asked for it")

    assert not await Message.objects.aexists()


SECRET = {
    "assistant.yaml": ERRAND["assistant.yaml"],
    "run.yaml": "flow: run\ntitle: an errand\ndescription: Runs.\nexamples: [run an errand]\nslots:\n"
    "  code: {type: text, prompt: Which code?, sensitive: true}\nsteps:\n"
    "  - {step: ask, type: collect, slot: code}\n"
    "  - {step: begin, type: say, message: 'One moment, {code}.'}\n"
    "  - {step: look, type: action, call: look}\n",
}


async def test_a_sensitive_value_in_a_line_is_masked_for_auditors_while_the_action_still_runs() -> None:
    conversation = await begun(SECRET)
    await write(conversation, "run an errand: XK77421")
    seen: list[str] = []

    class Understood:
        async def understand(self, message: str, context: Any) -> Understanding:
            return Understanding((StartFlow("run"), SetSlot("code", "XK77421")))

    async def look() -> None:
        line = await Message.objects.aget(key="say:begin")
        redactor = await in_thread(lambda: redactor_of(Conversation.objects.select_related("release").get()))()
        seen.append(redactor(message_view(line)["text"]))

    await drain(conversation.pk, ports=Ports(lambda _: Understood(), Hands(look=look)))

    assert seen == ["One moment, ••••."]


async def test_a_pause_after_the_lines_is_committed_as_ever(errand: Conversation) -> None:
    asking = ERRAND["run.yaml"].replace(
        "  - {step: fetch, type: action, call: fetch}\n",
        "  - {step: sure, type: confirm, message: Shall I fetch it?}\n",
    )
    await in_thread(publish)({**ERRAND, "run.yaml": asking})

    await drain(errand.pk, ports=Ports(actions=Hands()))

    assert [line for _seq, line in await transcript(errand)][1:] == [*LINES[:2], "Shall I fetch it?"]
    assert (await HITLSession.objects.aget()).kind == "confirm"
    assert await broken() == []


async def test_several_conversations_keep_their_lines_apart() -> None:
    first = await begun(ERRAND)
    second = await begun(ERRAND)
    both = asyncio.Barrier(2)

    for conversation in (first, second):
        await in_thread(accept)(
            conversation.pk, Incoming("message", "m", {"text": "run an errand"}, text="run an errand")
        )
    ports = [Ports(actions=Hands(look=both.wait)) for _ in range(2)]
    await asyncio.gather(drain(first.pk, ports=ports[0]), drain(second.pk, ports=ports[1]))

    for conversation in (first, second):
        assert [line for _seq, line in await transcript(conversation)][1:] == LINES
