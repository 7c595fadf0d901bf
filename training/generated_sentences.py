"""Sentences made from slots, values and phrases: requests, answers, corrections, and messages without any value."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from training.examples import Example, SlotTexts, Span, slot_texts
from training.generated_values import VALUES, capital
from training.slot_kinds import KINDS, SlotKind
from training.word_lists import lines, one

Part = tuple[str, tuple[Span, ...]]
"""Words of a sentence, and where its values are in them."""

JOINTS = (" ", " ", " ", ", ", " and ", ". ", "; ", ", and ")
TOLD_KINDS = ("complaint",)
# Values that may be of several of these kinds.
CLOSE_KINDS = {"person", "company", "title", "place", "address", "city", "complaint", "reason", "note"}
CLOSE_KINDS |= {"first_name", "last_name", "thing", "dish"}


@dataclass(frozen=True)
class _Asked:
    """A slot of an example: its kind, name and texts."""

    kind: SlotKind
    name: str
    texts: SlotTexts

    @property
    def words(self) -> str:
        return self.name.replace("_", " ")


def slot_bank(random: Random, copies: int = 2) -> tuple[_Asked, ...]:
    """Return every slot of the kinds with texts; names that occur twice have different descriptions."""
    return tuple(_asked(random, kind, name, text) for kind in KINDS for name, text in kind.names for _ in range(copies))


def _asked(random: Random, kind: SlotKind, name: str, description: str) -> _Asked:
    values = [VALUES[kind.value](random) for _ in range(8)]
    return _Asked(kind, name, slot_texts(random, name, description, kind.prompts, values))


def generated(random: Random, count: int) -> Iterator[Example]:
    """Yield examples of all forms."""
    bank = slot_bank(random)
    forms = (
        _opening,
        _opening,
        _opening,
        _answer,
        _answer,
        _answer,
        _correction,
        _correction,
        _act,
        _other_slots,
        _unasked,
    )
    for _ in range(count):
        yield random.choice(forms)(random, _chosen(random, bank))


def _chosen(random: Random, bank: Sequence[_Asked]) -> tuple[_Asked, ...]:
    """Two to seven slots with different names and kinds."""
    chosen: dict[str, _Asked] = {}
    for asked in random.sample(bank, random.randint(3, 9)):
        kinds = {other.kind.value.replace("act_", "") for other in chosen.values()}
        if asked.kind.value.replace("act_", "") not in kinds:
            chosen.setdefault(asked.name, asked)
    return tuple(chosen.values())


def _opening(random: Random, slots: Sequence[_Asked]) -> Example:
    """A request with up to three values, in any order."""
    parts: list[Part] = [(one(random, "openings").format(r=one(random, "requests")), ())]
    for asked in slots[: random.choice((0, 1, 1, 2, 2, 3))]:
        parts.append(_filled(random, random.choice(asked.kind.mentions), asked))
    if random.random() < 0.15:
        parts = [*parts[1:], parts[0]]
    return _joined(random, parts, slots, (random.choice(slots).name,) if random.random() < 0.3 else ())


def _answer(random: Random, slots: Sequence[_Asked]) -> Example:
    """An answer to a question; sometimes another slot's value comes with it or instead."""
    first, *others = slots
    answers = (*lines("answers"), *first.kind.answers * 2)
    parts = [_filled(random, random.choice(answers), first)]
    if others and random.random() < 0.25:
        parts.append(_filled(random, random.choice(others[0].kind.mentions), others[0]))
    awaited = (
        random.choice(others).name if others and random.random() < 0.1 and len(parts[0][0]) > len("{v}") else first.name
    )
    return _joined(random, parts, slots, (awaited,))


def _unasked(random: Random, slots: Sequence[_Asked]) -> Example:
    """A complaint that opens the talk, without a request."""
    told = [asked for asked in slots if asked.kind.value in TOLD_KINDS]
    if not told:
        return _opening(random, slots)
    return _joined(
        random, [_filled(random, random.choice(("{v}", "{v}", "hi, {v}", "{v}!", "look, {v}")), told[0])], slots, ()
    )


def _correction(random: Random, slots: Sequence[_Asked]) -> Example:
    """Another value for a slot, while nothing or another slot is awaited."""
    first, *others = slots
    parts = [_filled(random, one(random, "corrections"), first)]
    if others and random.random() < 0.15:
        parts.insert(random.randint(0, 1), _filled(random, random.choice(others[0].kind.mentions), others[0]))
    awaited = (random.choice(others).name,) if others and random.random() < 0.4 else ()
    return _joined(random, parts, slots, awaited)


def _act(random: Random, slots: Sequence[_Asked]) -> Example:
    texts = random.sample(lines("acts"), random.choice((1, 1, 1, 2)))
    if random.random() < 0.12:
        texts = [one(random, "refusals").format(w=VALUES[slots[0].kind.value](random))]
    text = random.choice((", ", ". ", " ")).join(texts)
    return Example(random.choice((capital, str))(text), _texts(slots), (), frozenset({random.choice(slots).name}))


def _other_slots(random: Random, slots: Sequence[_Asked]) -> Example:
    """A request whose value is of a slot that is not asked for."""
    first, *others = slots
    parts: list[Part] = [(one(random, "openings").format(r=one(random, "requests")), ())]
    text, _ = _filled(random, random.choice(first.kind.mentions), first)
    if first.kind.value in CLOSE_KINDS or not others:
        return _opening(random, slots)
    return _joined(random, [*parts, (text, ())], others, ())


def _filled(random: Random, phrase: str, asked: _Asked) -> Part:
    """The phrase with a value, and where it is."""
    value, wrong = VALUES[asked.kind.value](random), VALUES[asked.kind.value](random)
    body = value.rstrip(".!?") or value
    before, after = (part.replace("{n}", asked.words).replace("{w}", wrong) for part in phrase.split("{v}"))
    if not before and random.random() < 0.4:
        body = capital(body)
    return f"{before}{body}{after}", ((asked.name, len(before), len(before) + len(body)),)


def _joined(random: Random, parts: Sequence[Part], slots: Sequence[_Asked], awaited: Sequence[str]) -> Example:
    text = ""
    spans: list[Span] = []
    for part, part_spans in parts:
        if text:
            text += "" if part[:1] in (":", ".", ",", ";") else random.choice(JOINTS)
        spans += [(name, start + len(text), end + len(text)) for name, start, end in part_spans]
        text += part
    text = capital(text) if random.random() < 0.5 else text
    ending = random.choice(("", "", "", ".", ".", "!", "?", " please", ", thanks"))
    return Example(text + ending, _texts(slots), tuple(spans), frozenset(awaited))


def _texts(slots: Sequence[_Asked]) -> Mapping[str, SlotTexts]:
    return {asked.name: asked.texts for asked in slots}
