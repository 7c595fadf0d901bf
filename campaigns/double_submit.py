"""Two, eight and thirty-two people answer the same gate in the same moment, over HTTP."""

from functools import partial
from random import Random

from campaigns.support.busy_bank import BusyBank, at_once, busy_bank
from campaigns.support.campaign import Campaign, Tally
from tests.support.processes.server import Answer

CROWDS = (2, 8, 32)
ANSWERS = {"approve": {}, "reject": {"reason": "not plausible"}}


def _run(size: int, chance: int, tally: Tally) -> None:
    random = Random(chance)
    with busy_bank() as bank:
        _all(bank, size, random, tally)
    with busy_bank(on_postgres=True) as bank:
        _all(bank, max(1, size // 5), random, tally)


def _all(bank: BusyBank, size: int, random: Random, tally: Tally) -> None:
    approved = sum(_round(bank, crowd, random, tally) for crowd in CROWDS for _ in range(size))
    sent = bank.money_sent()
    if not len(sent) == len(set(sent)) == approved:
        tally.failures.append(f"{approved} gates were approved, {len(sent)} payments left the house")
    tally.failures += bank.broken_promises()


def _round(bank: BusyBank, crowd: int, random: Random, tally: Tally) -> bool:
    """One gate and its crowd; whether it was approved."""
    gate = bank.open_gate()
    wanted = [random.choice(list(ANSWERS)) for _ in range(crowd)]
    answers = at_once([partial(_submit, bank, gate, place, action) for place, action in enumerate(wanted)])
    bank.at_rest([gate])
    for answer in answers:
        tally.outcomes[str(answer.status)] += 1
    tally.count(f"rounds of {crowd}")
    tally.failures += [f"{gate}, {crowd} people: {fault}" for fault in _faults(answers)]
    won = [action for action, answer in zip(wanted, answers, strict=True) if answer.status == 201]
    return won == ["approve"]


def _submit(bank: BusyBank, gate: str, place: int, action: str) -> Answer:
    who = f"racer-{place}"
    return bank.act(gate, "submit", who, action=action, values=ANSWERS[action], idempotency_key=f"{gate}-{who}")


def _faults(answers: list[Answer]) -> list[str]:
    won = [place for place, answer in enumerate(answers) if answer.status == 201]
    if len(won) != 1:
        return [f"{len(won)} of them won: {[answer.status for answer in answers]}"]
    winner = f"Racer {won[0]}"
    lost = [answer for place, answer in enumerate(answers) if place != won[0]]
    return [f"a loser was told {each.status} {each.body}" for each in lost if not _names_winner(each, winner)]


def _names_winner(answer: Answer, winner: str) -> bool:
    told = answer.body
    named = told.get("current", {}).get("decided_by") == winner and winner in told.get("detail", "")
    return answer.status == 409 and told["code"] == "already_submitted" and named


CAMPAIGN = Campaign(
    name="double-submit",
    passes_when="one 201, the rest 409 that name the winner, one event, one payment for each approval, every round",
    ci=8,
    full=50,
    outcomes=("201", "409", *(f"rounds of {crowd}" for crowd in CROWDS)),
    run=_run,
)
