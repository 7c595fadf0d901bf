"""Requests of public data, to make small assistants from: sentences, a title and a description of each flow.

CLINC150's and SNIPS's sentences, MultiDoGO's turns with a goal, and SGD's turns that say a new wish.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from bench.nlu.multidogo import read_conversations
from bench.nlu.sgd_flows import slot_definition
from training.examples import Span
from training.public_turns import json_lines, labelled_spans
from training.word_lists import lines

MIN_SENTENCES, MAX_SENTENCES, MIN_TURN_WORDS, MIN_SAID = 20, 60, 4, 10
# Subjects that are for reporting only. Nothing is trained on a sentence of them.
REPORTED_SUBJECTS = frozenset({"travel", "work", "airline", "insurance", "media", "snips2"})
# Requests that mean the same in several sources: an assistant has those of one source only, and the others are not
# "something else" for it.
SAME_MATTER: Mapping[str, str] = {
    name: matter
    for matter, names in {
        "restaurant": "restaurant_reservation restaurant_suggestion restaurant_reviews accept_reservations "
        "cancel_reservation confirm_reservation meal_suggestion how_busy BookRestaurant ReserveRestaurant "
        "FindRestaurants",
        "flight": "book_flight flight_status bookflight SearchOnewayFlight SearchRoundtripFlights "
        "ReserveOnewayFlight ReserveRoundtripFlights",
        "hotel": "book_hotel ReserveHotel SearchHotel",
        "car rental": "car_rental GetCarsAvailable ReserveCar",
        "music": "play_music next_song what_song PlaySong LookupSong PlayMusic LookupMusic PlayMedia update_playlist "
        "AddToPlaylist",
        "weather": "weather GetWeather",
        "bank": "balance transfer CheckBalance TransferMoney",
        "calendar": "calendar calendar_update reminder reminder_update schedule_meeting meeting_schedule AddEvent "
        "GetEvents GetAvailableTime next_holiday",
        "taxi": "uber GetRide",
        "order": "order order_status startorder orderpizzaintent orderdrinkintent ordersaladintent orderburgerintent "
        "orderdessertintent",
        "film": "FindMovies PlayMovie SearchScreeningEvent SearchCreativeWork",
        "events": "FindEvents BuyEventTickets GetEventDates",
        "insurance": "insurance insurance_change getproofofinsurance",
        "time": "date time timezone calendar alarm timer",
        "bill": "pay_bill bill_balance bill_due min_payment viewbillsintent",
        "complaint": "complain complaint problem trouble",
        "phone": "find_phone reportbrokenphone",
    }.items()
    for name in names.split()
}


@dataclass
class Request:
    """What a flow or topic is asked for. `spans` are the values in a sentence; `slots` as in YAML.

    `examples` are an author's, where they are not taken from the `sentences`; `values` are what people said for slots.
    """

    source: str
    subject: str
    name: str
    title: str
    description: str
    sentences: list[str] = field(default_factory=list)
    examples: list[str] = field(default_factory=list)
    values: dict[str, Counter[str]] = field(default_factory=dict)
    spans: dict[str, tuple[Span, ...]] = field(default_factory=dict)
    slots: dict[str, Any] = field(default_factory=dict)

    def template(self, sentence: str) -> str:
        """Return the sentence with holes for the values of its slots."""
        for name, start, end in sorted(self.spans.get(sentence, ()), key=lambda span: -span[1]):
            if name in self.slots:
                sentence = f"{sentence[:start]}{{{name}}}{sentence[end:]}"
        return sentence

    @property
    def is_topic(self) -> bool:
        """Return whether it is a question for the knowledge."""
        return self.title.endswith("?")

    @property
    def matter(self) -> str:
        """Return what it is about, over all sources."""
        return SAME_MATTER.get(self.name, f"{self.source} {self.name}")


def request_pools(data: Path, random: Random) -> tuple[list[Request], list[str]]:
    """Return all requests, and sentences that are none of them."""
    written = {(request.source, request.name): request for request in _written_requests()}
    small_talk = _add_clinc(data, written)
    _add_labelled(data, written)
    _add_complaints(random, [request for request in written.values() if request.source == "own"])
    others = small_talk + [row["text"] for row in json_lines(data / "clinc" / "oos_val.jsonl")]
    requests = [*written.values(), *_sgd_requests(data / "sgd")]
    return [request for request in requests if len(request.sentences) >= MIN_SENTENCES], others


Written = Mapping[tuple[str, str], Request]


def _add_clinc(data: Path, written: Written) -> list[str]:
    """Return the small talk, which is no request. What steers a dialogue is neither."""
    small_talk = []
    for part in ("train_20shot_s0", "val"):
        for row in json_lines(data / "clinc" / f"{part}.jsonl"):
            request = written.get(("clinc", row["intent"]))
            if request is not None:
                request.sentences.append(row["text"])
            elif row["intent"] not in ("yes", "no", "cancel", "repeat"):
                small_talk.append(row["text"])
    return small_talk


def _add_labelled(data: Path, written: Written) -> None:
    for row in json_lines(data / "snips" / "train.jsonl"):
        spans = [(slot[0].lower(), slot[1], slot[2]) for slot in row["slots"]]
        _add(written["snips", row["intent"]], row["text"], spans)
    for name, sentence, spans in _multidogo_sentences(data / "multidogo"):
        if ("multidogo", name) in written:
            _add(written["multidogo", name], sentence, spans)
    for request in written.values():
        request.slots |= {slot: _text_slot(slot) for slot, said in request.values.items() if said.total() >= MIN_SAID}


def _add(request: Request, sentence: str, spans: Sequence[Span]) -> None:
    for slot, start, end in spans:
        request.values.setdefault(slot, Counter())[sentence[start:end].lower()] += 1
    if len(request.sentences) < MAX_SENTENCES:
        request.sentences.append(sentence)
        request.spans[sentence] = tuple(spans)


def _text_slot(name: str) -> dict[str, str]:
    words = name.replace("_", " ")
    return {"type": "text", "description": words.capitalize(), "prompt": f"What is the {words}?"}


def _add_complaints(random: Random, requests: Sequence[Request]) -> None:
    """Give the flows for complaints what people complain about; they hardly say that they complain."""
    faults = [f"my {thing} {random.choice(lines('faults'))}" for thing in lines("thing_names")]
    tails = [f"{fault} {random.choice(lines('fault_tails'))}" for fault in faults]
    for request in requests:
        request.examples = [f"I want to {request.title}", "I have a complaint", "I am not satisfied", "I'm unhappy"]
        request.sentences = [*lines("sentences"), *random.sample(faults, 30), *random.sample(tails, 30)]
        request.slots = {"story": {"type": "text", "description": "What happened", "prompt": "What happened?"}}


def _written_requests() -> Iterator[Request]:
    for line in lines("request_flows"):
        if line and not line.startswith("#"):
            source, subject, name, title, description = (part.strip() for part in line.split("|"))
            yield Request(source, subject, name, title, description)


def _multidogo_sentences(folder: Path) -> Iterator[tuple[str, str, list[Span]]]:
    """Yield (goal, turn, values' spans) of the training part. The shortest turns have the labels of earlier ones."""
    for domain in ("airline", "fastfood", "insurance", "media", "software"):
        for turns in read_conversations(folder / f"{domain}.train.tsv"):
            for turn in turns:
                if len(turn.intents) == 1 and len(turn.words) >= MIN_TURN_WORDS:
                    yield turn.intents[0], turn.text, list(labelled_spans(turn.words, turn.labels))


def _sgd_requests(folder: Path) -> list[Request]:
    """Return the intents of the services that the dialogues for reporting do not have."""
    reported = {service["service_name"] for service in json.loads((folder / "schema.json").read_text(encoding="utf-8"))}
    schema = json.loads((folder / "schema_train.json").read_text(encoding="utf-8"))
    requests = {
        (service["service_name"], intent["name"]): _sgd_request(service, intent)
        for service in schema
        if service["service_name"] not in reported
        for intent in service["intents"]
    }
    for dialogue in json_lines(folder / "train.jsonl.gz"):
        for turn in dialogue["turns"]:
            frame = turn["frames"][0]
            is_wish = len(turn["frames"]) == 1 and any(act[0] == "INFORM_INTENT" for act in frame["user_acts"])
            request = requests.get((frame["service"], frame["active_intent"]))
            if is_wish and request is not None and len(request.sentences) < MAX_SENTENCES:
                spans = [(slot, start, end) for slot, start, end in frame["spans"] if slot in request.slots]
                _add(request, turn["user"], spans)
    return list(requests.values())


def _sgd_request(service: Mapping[str, Any], intent: Mapping[str, Any]) -> Request:
    known = {slot["name"]: slot for slot in service["slots"]}
    wanted = [*intent["required_slots"], *intent["optional_slots"]]
    slots = {name: slot_definition(known[name]) for name in wanted}
    title = re.sub(r"(?<=[a-z])([A-Z])", r" \1", intent["name"]).lower()
    subject = service["service_name"]
    return Request("sgd", subject, intent["name"], title, intent["description"], slots=slots)


def by_subject(requests: Sequence[Request]) -> Mapping[str, list[Request]]:
    """Return the requests of each subject."""
    subjects: dict[str, list[Request]] = defaultdict(list)
    for request in requests:
        subjects[request.subject].append(request)
    return subjects
