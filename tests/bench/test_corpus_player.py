"""The player of corpora, with a corpus of its own: two goals, and people who answer with their own sentences."""

from pathlib import Path

import pytest

from bench.nlu.corpus_player import Person, PlayResult, play
from bench.nlu.multidogo import Turn, asked_slots, person_of, write_assistant

ASKED = {"bookflight": ["departure_city", "name"], "checkclaimstatus": ["claimid"]}
ANNA = Person(
    "bookflight",
    "book flight",
    {"name": {"Anna Berg"}, "departure_city": {"Oslo"}},
    {"name": "Anna Berg", "departure_city": "Oslo"},
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_assistant(tmp_path, "travel", ASKED)
    return tmp_path


def played(folder: Path, person: Person) -> PlayResult:
    return play(person, folder, ASKED, by_meaning=False)


def test_a_person_who_answers_each_question_reaches_the_task(folder: Path) -> None:
    result = played(folder, ANNA)

    assert (result.reached, result.right_values, result.values) == (True, 2, 2)
    assert (result.turns, result.needed_turns, result.wrong_actions) == (3, 3, [])


def test_what_the_person_never_said_is_skipped(folder: Path) -> None:
    result = played(folder, Person("bookflight", "book flight", {"name": {"Anna Berg"}}, {"name": "Anna Berg"}))

    assert (result.reached, result.right_values, result.values) == (True, 1, 1)


def test_another_goal_is_a_wrong_action(folder: Path) -> None:
    result = played(folder, Person("bookflight", "check claim status", ANNA.values, ANNA.sentences))

    assert not result.reached
    assert result.wrong_actions == ["started checkclaimstatus"]


def test_a_value_that_was_never_given_is_a_wrong_action(folder: Path) -> None:
    result = played(folder, Person("bookflight", "book flight", {"name": {"Ann"}}, {"name": "Bo Nilsson"}))

    assert result.wrong_actions == ["stored name"]


def test_an_opening_that_is_not_understood_is_repeated_once(folder: Path) -> None:
    result = played(folder, Person("bookflight", "hmm", {}, {}))

    assert (result.reached, result.turns, result.wrong_actions) == (False, 2, [])


def test_people_are_read_with_the_sentence_of_each_value() -> None:
    turns = [
        Turn(("hello",), ("O",), ("openinggreeting",)),
        Turn(("book", "a", "flight"), ("O", "O", "O"), ("bookflight",)),
        Turn(("from", "New", "York"), ("O", "departure_city", "departure_city"), ("contentonly",)),
    ]

    goals = asked_slots([turns])

    assert goals == {"bookflight": ["departure_city"]}
    assert person_of(turns, goals) == Person(
        "bookflight", "book a flight", {"departure_city": {"New York"}}, {"departure_city": "from New York"}
    )


def test_several_goals_in_one_sentence_are_left_out() -> None:
    turns = [Turn(("both",), ("O",), ("bookflight", "checkclaimstatus"))]

    assert person_of(turns, asked_slots([turns])) is None
