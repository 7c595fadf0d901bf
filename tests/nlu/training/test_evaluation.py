"""How understanding is measured: verdicts by meaning, figures, and comparisons."""

import json
from collections.abc import Sequence

import pytest

from dialogue.engine.ports.commands import (
    Affirm,
    CancelFlow,
    CannotHandle,
    Clarify,
    Command,
    CorrectSlot,
    Deny,
    Digress,
    SetSlot,
    StartFlow,
)
from dialogue.engine.understanding import ScriptedNLU
from dialogue.nlu.training.command_equivalence import judge_commands
from dialogue.nlu.training.evaluation import (
    NO_FLOW,
    EvaluationReport,
    FlowConfusion,
    accuracy_gain,
    bootstrap_interval,
    evaluate,
    wilson_interval,
    worse_categories,
)
from dialogue.nlu.training.labelled_examples import (
    ExpectedCommands,
    LabelledExample,
    LabelledExampleRefused,
    examples_digest,
    read_sentences,
    sample_examples,
    split_examples,
)
from dialogue.nlu.training.tables import comparison_table, report_table
from tests.support.nlu.situations import assistant_named, situation

LIBRARY, RESTAURANT = assistant_named("library"), assistant_named("restaurant")


def lesson(message: str, *wanted: Command, stack: Sequence[str] = (), name: str = "library") -> LabelledExample:
    context = situation(assistant_named(name), *stack)
    return LabelledExample(
        message, context, tuple(ExpectedCommands(((each,),)) for each in wanted), f"{name}: {message}"
    )


ALIKE = {
    "setting and correcting": (SetSlot("title", "Dune"), CorrectSlot("title", "Dune", "Dune"), "reserve_book?edition"),
    "an option by value and label": (
        SetSlot("edition", "large_print"),
        SetSlot("edition", "large print"),
        "reserve_book?edition",
    ),
    "amounts": (SetSlot("amount", 3), SetSlot("amount", "3.00"), "pay_fine?amount"),
    "out of bounds": (SetSlot("amount", 99), SetSlot("amount", "99.00"), "pay_fine?amount"),
    "reasons": (CannotHandle("this"), CannotHandle("that"), "reserve_book?title"),
    "the top flow by name": (CancelFlow(""), CancelFlow("reserve_book"), "reserve_book?title"),
    "offers in any order": (Clarify(("a", "b")), Clarify(("b", "a")), "reserve_book?title"),
    "help about anything": (Digress("help"), Digress("help", "x"), "reserve_book?title"),
}


@pytest.mark.parametrize(("wanted", "got", "stack"), ALIKE.values(), ids=list(ALIKE))
def test_what_comes_to_the_same_is_right(wanted: Command, got: Command, stack: str) -> None:
    assert judge_commands(lesson("…", wanted, stack=[stack]), [got]).exact


def test_yes_to_a_yes_or_no_slot_is_its_value() -> None:
    asked = lesson("…", Affirm(), stack=["book_table?terrace"], name="restaurant")

    assert judge_commands(asked, [SetSlot("terrace", True)]).exact
    assert not judge_commands(asked, [Deny()]).exact


def test_one_of_several_ways_is_enough_and_what_is_optional_may_be_left_out() -> None:
    ways = ExpectedCommands(((StartFlow("pay_fine"),), (Clarify(("pay_fine",)),)))
    optional = ExpectedCommands(((SetSlot("amount", 3),),), optional=True)
    either = LabelledExample("…", situation(LIBRARY), (ways, optional))

    assert judge_commands(either, [Clarify(("pay_fine",))]).exact
    assert judge_commands(either, [StartFlow("pay_fine"), SetSlot("amount", "3")]).exact
    assert not judge_commands(either, [StartFlow("pay_fine"), SetSlot("amount", "4")]).exact
    assert not judge_commands(either, []).exact


LESSONS = [
    lesson("a", StartFlow("pay_fine"), SetSlot("amount", 3)),
    lesson("b", StartFlow("reserve_book")),
    lesson("c", CannotHandle()),
    lesson("d", StartFlow("renew_loan")),
]
SCRIPT: dict[str, list[Command]] = {
    "a": [StartFlow("pay_fine"), SetSlot("amount", 4)],
    "b": [StartFlow("renew_loan")],
    "c": [CannotHandle("not understood")],
    "d": [StartFlow("renew_loan")],
}


async def report_of(script: dict[str, list[Command]]) -> EvaluationReport:
    return await evaluate(ScriptedNLU(script), LESSONS)


async def test_a_report_counts_turns_commands_values_and_confusions() -> None:
    report = await report_of(SCRIPT)

    assert (report.turns, report.right, report.exact) == (4, [False, False, True, True], 0.5)
    start = report.commands["start_flow"]
    assert (start.right, start.surplus, start.missed) == (2, 1, 1)
    assert start.f1 == pytest.approx(2 / 3)
    assert report.slots == 0.0
    assert FlowConfusion(wanted="reserve_book", got="renew_loan", times=1) in report.confusion
    assert [miss.message for miss in report.worst] == ["a", "b"]
    assert report.worst[0].expected == [{"start_flow": "pay_fine"}, {"set_slot": {"amount": 3}}]


async def test_a_flow_that_was_not_started_is_a_confusion_with_none() -> None:
    report = await report_of({**SCRIPT, "d": [CannotHandle()]})

    assert FlowConfusion(wanted="renew_loan", got=NO_FLOW, times=1) in report.confusion


async def test_what_got_worse_is_named_even_where_more_is_right() -> None:
    before = await report_of(SCRIPT)
    after = await report_of({**SCRIPT, "a": SCRIPT["a"][:1], "b": [StartFlow("reserve_book")], "c": [Affirm()]})

    assert worse_categories(before, after) == ["cannot_handle"]
    assert worse_categories(before, before) == []


async def test_a_gain_has_an_interval_and_a_figure() -> None:
    better = await report_of({**SCRIPT, "b": [StartFlow("reserve_book")]})

    gain, (low, high) = accuracy_gain(await report_of(SCRIPT), better)

    assert gain == 0.25
    assert low <= gain <= high


def test_the_interval_of_few_turns_is_wide_also_where_all_are_right() -> None:
    low, high = wilson_interval(9, 9)

    assert (round(low, 2), round(high, 2)) == (0.70, 1.0)
    assert wilson_interval(0, 0) == (0.0, 1.0)
    assert wilson_interval(900, 1000)[0] > 0.87


def test_an_interval_by_drawing_again_is_always_the_same() -> None:
    assert bootstrap_interval([1.0] * 8 + [0.0] * 2) == bootstrap_interval([1.0] * 8 + [0.0] * 2)
    assert bootstrap_interval([1.0] * 5) == (1.0, 1.0)
    assert bootstrap_interval([]) == (0.0, 0.0)


async def test_progress_is_told_turn_by_turn() -> None:
    told: list[tuple[int, int]] = []

    await evaluate(ScriptedNLU(SCRIPT), LESSONS, lambda done, of: told.append((done, of)))

    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


async def test_a_report_survives_being_stored() -> None:
    report = await report_of(SCRIPT)

    assert EvaluationReport.model_validate(json.loads(report.model_dump_json())) == report


async def test_the_table_shows_scores_confusions_and_the_worst_turns() -> None:
    shown = "\n".join(report_table(await report_of(SCRIPT)))

    for expected in ("start_flow", "exact turns   0.500", "reserve_book", "expected [", "got      ["):
        assert expected in shown


async def test_two_reports_side_by_side_say_what_is_worse() -> None:
    shown = list(comparison_table(await report_of(SCRIPT), await report_of({**SCRIPT, "c": [Affirm()]})))

    assert [line.split()[0] for line in shown if line.endswith("worse")] == ["exact", "cannot_handle"]


def test_sentences_become_lessons() -> None:
    lines = [
        json.dumps({"text": "pay 3", "intent": "pay_fine", "slots": [["amount", 4, 5, "3"]]}),
        "",
        json.dumps({"text": "who won?", "intent": "oos"}),
    ]

    first, second = read_sentences(iter(lines), LIBRARY)

    assert first.first_commands == (StartFlow("pay_fine"), SetSlot("amount", "3", "3"))
    assert isinstance(second.first_commands[0], CannotHandle)


@pytest.mark.parametrize(
    "line", ["no JSON", "[]", '{"text": "hello"}', '{"text": "a", "intent": "b", "slots": [["c"]]}']
)
def test_a_line_that_holds_no_sentence_is_named(line: str) -> None:
    with pytest.raises(LabelledExampleRefused, match="line 1"):
        list(read_sentences(iter([line]), LIBRARY))


def test_a_sample_and_a_split_are_the_same_each_time_and_never_share_a_sentence() -> None:
    many = [lesson(f"message {number % 60}", StartFlow("pay_fine")) for number in range(100)]

    train, held_out = split_examples(many)

    assert sample_examples(many, 10) == sample_examples(many, 10)
    assert sample_examples(many, None) == many
    assert not {each.message for each in train} & {each.message for each in held_out}
    assert len(train) + len(held_out) == 100
    assert min(len(train), len(held_out)) > 20


def test_the_hash_of_lessons_is_that_of_their_content() -> None:
    assert examples_digest(LESSONS) == examples_digest(list(reversed(LESSONS)))
    assert examples_digest(LESSONS) != examples_digest(LESSONS[:3])
