"""Two servers, two workers, PostgreSQL, Redis and the proxy: the bank's whole journey, with any process killed."""

import signal
from collections.abc import Iterator

import pytest

from tests.journeys.test_streaming import ASKED, WHOLE, line_of
from tests.support.journeys.banking import PEOPLE, TRANSFER, URSULA, approve, effects, keys, opened, say
from tests.support.journeys.errands import PUBLISH, Errands
from tests.support.processes.cluster import Cluster, cluster
from tests.support.processes.crowd import Crowd, lost
from tests.support.processes.raw_socket import RawSocket
from tests.support.processes.server import wait_for

pytestmark = pytest.mark.journey

JOBS = """
from procrastinate.contrib.django.models import ProcrastinateJob as Job
print(Job.objects.filter(task_name="drain").count())
"""


@pytest.fixture(scope="module")
def errands(tmp_path_factory: pytest.TempPathFactory) -> Errands:
    return Errands(tmp_path_factory.mktemp("held") / "errands")


@pytest.fixture(scope="module")
def bank(errands: Errands, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("cluster")
    environment = {
        "SONI_ACTIONS": "tests.support.journeys.slow_bank,dialogue.library.demo.library_actions,"
        "tests.support.journeys.errands",
        "ERRANDS": str(errands.folder),
        "SLOW_BANK_LEDGER": str(folder / "effects"),
        "SLOW_BANK_SECONDS": "1.5",
    }
    with cluster(folder, environment) as running:
        running.shell(PEOPLE)
        yield running


@pytest.fixture
def effects_before(bank: Cluster) -> int:
    return len(effects(bank.folder / "effects"))


def test_a_transfer_goes_its_whole_way_through_the_proxy(bank: Cluster, effects_before: int) -> None:
    path, token = opened(bank)
    say(bank, path, token, 1, TRANSFER)
    say(bank, path, token, 2, "yes")

    approve(bank)

    wait_for(lambda: "say:done" in keys(bank, path, token))
    assert effects(bank.folder / "effects")[effects_before:] == ["check_payee", "send_money"]


def test_a_message_that_is_sent_again_gets_the_first_answer(bank: Cluster) -> None:
    path, token = opened(bank)
    greeting = {"id": "m1", "text": "hello"}

    first = bank.post(f"{path}/messages", greeting, token, Prefer="respond-async")
    again = bank.post(f"{path}/messages", greeting, token, Prefer="respond-async")
    with RawSocket(bank.port, f"/ws/conversations/{path.rsplit('/', 1)[-1]}/?after=0&token={token}") as socket:
        socket.say(type="user.message", **greeting)
        accepted = socket.hear("accepted")

    assert (first.status, again.status) == (202, 202)
    assert first.body == again.body
    assert (accepted["id"], accepted["seq"]) == ("m1", 1)


@pytest.mark.parametrize("kind", ["workers", "servers"])
def test_what_a_killed_process_had_is_finished_by_the_others(bank: Cluster, effects_before: int, kind: str) -> None:
    path, token = opened(bank)
    taken = bank.post(f"{path}/messages", {"id": "m1", "text": TRANSFER}, token, Prefer="respond-async")
    assert taken.status == 202, taken.body
    wait_for(lambda: len(effects(bank.folder / "effects")) > effects_before)

    for member in getattr(bank, kind):
        member.kill()
        member.start()
    bank.wait_until_ready()

    wait_for(lambda: keys(bank, path, token) == ["confirm:transfer_money"])
    say(bank, path, token, 2, "yes")
    approve(bank)
    wait_for(lambda: "say:done" in keys(bank, path, token))
    assert effects(bank.folder / "effects")[effects_before:].count("send_money") == 1


def test_a_line_before_an_action_comes_through_the_proxy_while_another_process_runs_the_action(
    bank: Cluster, errands: Errands
) -> None:
    bank.shell(PUBLISH)
    made = bank.post("/api/v1/conversations", {"assistant": "errand"}).body
    with RawSocket(bank.port, f"/ws/conversations/{made['id']}/?after=0&token={made['token']}") as socket:
        socket.say(type="user.message", id="m1", text=ASKED)
        first = [line_of(socket.hear("message")) for _ in range(2)]
        assert errands.is_held(made["id"])
        errands.let_go(made["id"])

        assert [*first, line_of(socket.hear("message"))] == WHOLE


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT], ids=["TERM", "INT"])
def test_servers_and_workers_that_eight_clients_use_end_when_they_are_told_to(
    bank: Cluster, told: signal.Signals
) -> None:
    crowd = Crowd(bank.port, URSULA, lambda number: ("hello", TRANSFER, "no")[number])
    crowd.start(8)
    wait_for(lambda: crowd.acknowledged > 20)
    bank.wait_until_servers_ready()
    bank.wait_until_workers_ready()

    for member in (bank.servers[0], bank.workers[0]):
        assert member.end(told, 10.0) == 0, member.log.read_text()
        member.start()
    crowd.stop()

    wait_for(lambda: not lost(bank, crowd.lines))
    assert crowd.failures == []
    assert all("could not end in order" not in server.log.read_text() for server in bank.servers)


def test_nothing_is_left_over(bank: Cluster) -> None:
    assert bank.manage("verify_invariants")
    wait_for(lambda: bank.shell(JOBS).strip() == "0")
