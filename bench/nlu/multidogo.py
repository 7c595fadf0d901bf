"""MultiDoGO's five domains, led by our bot: the flows are written from the names of intents and slots only.

A flow asks for the slots that at least 15 % of the training part's people with this intent give, in the order of their
frequency. The people are those of the dev part. Peskov et al., "Multi-Domain Goal-Oriented Dialogues (MultiDoGO)",
EMNLP 2019.
"""

import csv
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.nlu.corpus_player import Person, PlayResult, play
from bench.nlu.figures import share_line

DOMAINS = ("airline", "fastfood", "insurance", "media", "software")
# Intents that steer a dialogue, and are no goal.
STEERING = frozenset(
    ["openinggreeting", "closinggreeting", "contentonly", "confirmation", "rejection", "thankyou", "outofdomain"]
)
MIN_SHARE, MAX_SLOTS, MAX_PEOPLE = 0.15, 6, 60
# The intents' names as words.
GOALS: Mapping[str, str] = {
    "bookflight": "book flight",
    "getboardingpass": "get boarding pass",
    "getseatinfo": "get seat info",
    "changeseatassignment": "change seat assignment",
    "orderdrinkintent": "order drink",
    "ordersaladintent": "order salad",
    "orderpizzaintent": "order pizza",
    "orderburgerintent": "order burger",
    "ordersideintent": "order side",
    "orderdessertintent": "order dessert",
    "orderbreakfastintent": "order breakfast",
    "getproofofinsurance": "get proof of insurance",
    "checkclaimstatus": "check claim status",
    "reportbrokenphone": "report broken phone",
    "startserviceintent": "start service",
    "getinformationintent": "get information",
    "viewbillsintent": "view bills",
    "startorder": "start order",
    "expensereport": "expense report",
    "reportbrokensoftware": "report broken software",
    "softwareupdate": "software update",
    "checkserverstatus": "check server status",
}
SLOT_WORDS: Mapping[str, str] = {
    "phonenumber": "phone number",
    "policyid": "policy id",
    "claimid": "claim id",
    "datacategoryvalues": "data category values",
    "current_zipcode": "current zip code",
    "new_zipcode": "new zip code",
}


@dataclass(frozen=True)
class Turn:
    """One line of a customer: the words, a slot or "O" for each word, and the intents."""

    words: tuple[str, ...]
    labels: tuple[str, ...]
    intents: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join(self.words)

    def spans(self) -> Iterator[tuple[str, str]]:
        """Yield (slot, words) of each run of equal labels."""
        start = 0
        for index in range(1, len(self.words) + 1):
            if index == len(self.words) or self.labels[index] != self.labels[start]:
                if self.labels[start] != "O":
                    yield self.labels[start], " ".join(self.words[start:index])
                start = index


def table(folder: Path) -> Iterator[str]:
    """The figures of each domain, with and without the sentence model."""
    for by_meaning in (True, False):
        way = "with" if by_meaning else "without"
        yield f"MultiDoGO, {MAX_PEOPLE} people of each dev part, {way} the sentence model"
        for domain in DOMAINS:
            yield from _lines(domain, play_domain(folder, domain, by_meaning=by_meaning))


def play_domain(folder: Path, domain: str, people: int = MAX_PEOPLE, *, by_meaning: bool = True) -> list[PlayResult]:
    """Play the first `people` of the dev part, shuffled with seed 0."""
    goals = asked_slots(read_conversations(folder / f"{domain}.train.tsv"))
    persons = [
        person
        for turns in read_conversations(folder / f"{domain}.dev.tsv")
        if (person := person_of(turns, goals)) is not None
    ]
    random.Random(0).shuffle(persons)
    with TemporaryDirectory(prefix="multidogo-") as name:
        write_assistant(Path(name), domain, goals)
        return [play(person, Path(name), goals, by_meaning=by_meaning) for person in persons[:people]]


def _lines(domain: str, results: Sequence[PlayResult]) -> Iterator[str]:
    reached = [result for result in results if result.reached]
    yield share_line(f"{domain}: task reached", len(reached), len(results))
    yield share_line("  values right", sum(r.right_values for r in results), sum(r.values for r in results))
    wrong = Counter(action.split()[0] for result in results for action in result.wrong_actions)
    kinds = ", ".join(f"{number} {kind}" for kind, number in wrong.most_common()) or "none"
    extra = sum(result.extra_turns for result in reached) / max(len(reached), 1)
    yield f"  wrong actions: {kinds}; {extra:.2f} extra turns in a conversation that reached its task"


def read_conversations(path: Path) -> list[list[Turn]]:
    """The customer's turns of each conversation. Lines whose labels do not fit their words are left out."""
    conversations: dict[str, list[Turn]] = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            words, labels = (tuple((row[key] or "").split()) for key in ("utterance", "slot-labels"))
            if words and len(words) == len(labels):
                intents = tuple((row["intent"] or "").split("<div>"))
                conversations[row["conversationId"]].append(Turn(words, labels, intents))
    return list(conversations.values())


def goal_of(turns: Sequence[Turn]) -> tuple[str, Turn] | None:
    """The first goal, and the turn that says it; None without one, or with several in that turn."""
    for turn in turns:
        goals = [intent for intent in turn.intents if intent in GOALS]
        if goals:
            return (goals[0], turn) if len(goals) == 1 else None
    return None


def asked_slots(conversations: Sequence[Sequence[Turn]]) -> dict[str, list[str]]:
    """The slots that each goal's flow asks for, the most frequent first."""
    people: Counter[str] = Counter()
    given: dict[str, Counter[str]] = defaultdict(Counter)
    for turns in conversations:
        goal = goal_of(turns)
        if goal is not None:
            people[goal[0]] += 1
            given[goal[0]].update({slot for turn in turns for slot, _words in turn.spans()})
    return {
        goal: [slot for slot, number in given[goal].most_common(MAX_SLOTS) if number >= MIN_SHARE * people[goal]]
        for goal in people
    }


def person_of(turns: Sequence[Turn], goals: Mapping[str, Sequence[str]]) -> Person | None:
    """The person of one conversation; None if they have no goal of ours, or give no value that its flow asks for."""
    goal = goal_of(turns)
    if goal is None or goal[0] not in goals:
        return None
    values: dict[str, set[str]] = defaultdict(set)
    sentences: dict[str, str] = {}
    for turn in turns:
        for slot, words in turn.spans():
            if slot in goals[goal[0]]:
                values[slot].add(words)
                sentences.setdefault(slot, turn.text)
    return Person(goal[0], goal[1].text, values, sentences) if values else None


def write_assistant(folder: Path, domain: str, goals: Mapping[str, Sequence[str]]) -> None:
    """Write the domain's assistant: for each goal a flow that asks for its slots, each of which can be skipped."""
    inputs = {f"finish_{goal}": dict.fromkeys(slots, "optional text") for goal, slots in goals.items()}
    actions = {name: {"inputs": slots, "outputs": {}} for name, slots in inputs.items()}
    head = {"version": 1, "assistant": domain, "title": domain.title(), "language": "en", "actions": actions}
    (folder / "assistant.yaml").write_text(json.dumps(head), encoding="utf-8")
    for goal, slots in goals.items():
        (folder / f"{goal}.yaml").write_text(json.dumps(_flow(goal, slots)), encoding="utf-8")


def _flow(goal: str, slots: Sequence[str]) -> dict[str, object]:
    words = {slot: SLOT_WORDS.get(slot, slot.replace("_", " ")) for slot in slots}
    return {
        "flow": goal,
        "title": GOALS[goal],
        "description": GOALS[goal].capitalize() + ".",
        "examples": [GOALS[goal], f"I want to {GOALS[goal]}"],
        "slots": {
            slot: {"type": "text", "required": False, "description": name, "prompt": f"What is the {name}?"}
            for slot, name in words.items()
        },
        "steps": [
            *({"step": f"ask_{slot}", "type": "collect", "slot": slot} for slot in slots),
            {"step": "finish", "type": "action", "call": f"finish_{goal}", "inputs": {slot: slot for slot in slots}},
            {"step": "done", "type": "say", "message": "Done."},
        ],
    }
