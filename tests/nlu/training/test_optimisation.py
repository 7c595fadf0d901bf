"""Optimisers of DSPy at work, over HTTP, on a model that gets right what it has seen an example of."""

import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dialogue.engine.ports.commands import CorrectSlot, Digress, SetSlot, StartFlow
from dialogue.nlu import build_nlu
from dialogue.nlu.llm.component import breaker_for
from dialogue.nlu.llm.model_answer import Said
from dialogue.nlu.llm.ports import ConversationStores, FixedProgramStore
from dialogue.nlu.llm.programs import OPTIMIZERS, Optimizer, read_program
from dialogue.nlu.settings import NLUSettings
from dialogue.nlu.training.evaluation import accuracy_gain, evaluate
from dialogue.nlu.training.labelled_examples import ExpectedCommands, LabelledExample
from dialogue.nlu.training.optimisation import ModelUnfit, NoUsableExamples, OptimizerMissing, optimise
from dialogue.nlu.training.trainset import diverse_sample, training_examples
from tests.support.nlu.recorded_server import Recorded, recorded_server
from tests.support.nlu.situations import assistant_named, situation

LIBRARY, BANK = assistant_named("library"), assistant_named("bank")


def lesson(message: str, *wanted: Any, stack: str = "", name: str = "library") -> LabelledExample:
    context = situation(assistant_named(name), *([stack] if stack else []))
    return LabelledExample(message, context, tuple(ExpectedCommands(((each,),)) for each in wanted), message)


TRAIN = [
    lesson("something about my fine", StartFlow("pay_fine")),
    lesson("3 euros of what I owe", StartFlow("pay_fine"), SetSlot("amount", 3)),
    lesson("the big letters one", SetSlot("edition", "large_print"), stack="reserve_book?edition"),
    lesson("when do you close", Digress("question", "opening_hours")),
    lesson("for longer, L1234", StartFlow("renew_loan"), SetSlot("loan_id", "L1234")),
    lesson("rather Emma", CorrectSlot("title", "Emma"), stack="reserve_book?edition"),
]


class Apt(Recorded):
    """Knows what a message means when the prompt shows the very same message with its meaning; else says small talk."""

    known = {each.message: each for each in TRAIN}

    def next(self) -> Any:
        wanted = self.asked[-1]["response_format"]["json_schema"]["schema"]["properties"]
        if "commands" not in wanted:  # an optimizer asks for better instructions
            self.will_say(json.dumps(dict.fromkeys(wanted, "Understand what is meant.")))
            return super().next()
        said = self.asked[-1]["messages"]
        message, shown = str(said[-1]["content"]), "\n".join(str(each["content"]) for each in said[:-1])
        meant = next((each for text, each in self.known.items() if text in message), None)
        taught = meant is not None and meant.message in shown
        answer = (
            training_examples([meant])[0].demo.commands if meant is not None and taught else (Said(command="chitchat"),)
        )
        self.will_say(json.dumps({"commands": [each.model_dump() for each in answer]}))
        return super().next()


@pytest.fixture
def model() -> Iterator[Recorded]:
    with recorded_server(Apt) as recorded:
        yield recorded
    breaker_for.cache_clear()


def settings_for(server: Recorded) -> NLUSettings:
    return NLUSettings(model="openai/apt", api_base=server.address, max_failures=1_000)


def test_lessons_are_shown_as_the_model_is_asked_and_with_the_messages_own_words() -> None:
    first, second, third, *_ = training_examples(TRAIN)

    assert '"flow": "pay_fine"' in first.demo.flows
    assert [each.value for each in second.demo.commands] == ["", "3 euros"]
    assert third.demo.commands[0].value == "big letters"


def test_a_demonstration_shows_the_flows_that_matter_and_two_others() -> None:
    exercise = training_examples([lesson("that is about money", StartFlow("block_card"), name="bank")])[0]

    flows = [json.loads(line) for line in exercise.short_demo().flows.splitlines()]

    assert "block_card" in [each.get("flow") for each in flows]
    assert len(flows) <= 3
    assert len(exercise.short_demo().flows) < len(exercise.demo.flows)


def test_a_brief_demonstration_shows_only_what_matters() -> None:
    filled = situation(BANK, "transfer_money?amount", filled={"transfer_money.iban": "•••• 3000"})
    said = LabelledExample("my card is gone", filled, (ExpectedCommands(((StartFlow("block_card"),),)),))

    brief = training_examples([said])[0].minimal_demo()

    assert {json.loads(line)["flow"] for line in brief.flows.splitlines()} == {"transfer_money", "block_card"}
    assert "examples" not in brief.flows
    assert json.loads(brief.situation)["awaited"]["slot"] == "amount"
    assert "filled" not in json.loads(brief.situation)


def test_a_demonstration_holds_no_sensitive_value_in_its_answer_either() -> None:
    iban = "DE89370400440532013000"
    said = lesson(f"send 5 euros to {iban}", StartFlow("transfer_money"), SetSlot("iban", iban), name="bank")

    demo = training_examples([said])[0].demo

    assert iban not in demo.model_dump_json()
    assert demo.commands[1].value in demo.message


def test_the_first_demonstrations_show_many_kinds_of_commands() -> None:
    chosen = diverse_sample(training_examples(TRAIN), 4)

    kinds = {kind for each in chosen for kind in each.command_names}
    assert kinds == {"start_flow", "set_slot", "correct_slot", "digress"}


def test_answers_to_sensitive_questions_are_no_lessons() -> None:
    asked = lesson(
        "DE89370400440532013000", SetSlot("iban", "DE89370400440532013000"), stack="transfer_money?iban", name="bank"
    )

    assert training_examples([asked]) == []


@pytest.mark.parametrize("optimizer", ["nearest", "labeled"])
async def test_labelled_examples_raise_what_the_model_gets_right(model: Recorded, optimizer: Optimizer) -> None:
    settings = settings_for(model)

    program = optimise(TRAIN, optimizer, settings)
    plain, taught = [
        await evaluate(
            build_nlu(LIBRARY, "llm", settings).with_stores(ConversationStores(programs=FixedProgramStore(each))), TRAIN
        )
        for each in (None, program)
    ]

    gain, (low, _) = accuracy_gain(plain, taught)
    assert (plain.exact, taught.exact) == (0.0, 1.0)
    assert gain == low == 1.0


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_every_optimizer_makes_a_program_that_may_serve(model: Recorded, optimizer: Optimizer) -> None:
    told: list[tuple[int, int]] = []

    program = optimise(TRAIN, optimizer, settings_for(model), lambda done, of: told.append((done, of)))

    assert read_program(program.canonical_json(), program.sha256, "openai/apt") == program
    assert program.optimizer == optimizer
    assert told
    assert all(0 < done <= of for done, of in told)


async def test_of_many_labelled_turns_the_nearest_is_in_view(model: Recorded) -> None:
    settings = settings_for(model)
    others = [lesson(f"fine number {number}", StartFlow("pay_fine")) for number in range(30)]
    program = optimise([*others, *TRAIN], "nearest", settings)

    nlu = build_nlu(LIBRARY, "llm", settings).with_stores(ConversationStores(programs=FixedProgramStore(program)))
    report = await evaluate(nlu, TRAIN)

    assert len(program.demos) == len(others) + len(TRAIN)
    assert report.exact == 1.0
    assert model.prompt().count("fine number") < len(others)


def test_nothing_cannot_be_learned_from(model: Recorded) -> None:
    with pytest.raises(NoUsableExamples):
        optimise([], "labeled", settings_for(model))


async def test_contradictions_one_example_and_many_make_a_program_too(model: Recorded) -> None:
    twice = [lesson("hm", StartFlow("pay_fine")), lesson("hm", StartFlow("renew_loan"))]
    many = [lesson(f"fine number {number}", StartFlow("pay_fine")) for number in range(300)]

    for lessons in (twice, twice[:1], many):
        program = optimise(lessons, "labeled", settings_for(model))
        assert 1 <= len(program.demos) <= 8


def test_a_model_that_answers_no_json_leaves_the_optimizer_alive(
    model: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Apt, "next", Recorded.next)
    model.will_say("no JSON at all")

    program = optimise(TRAIN, "bootstrap", settings_for(model))

    assert program.demos


def test_an_optimizer_whose_package_is_missing_names_the_file_that_brings_it(
    model: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "optuna" else there(name))

    with pytest.raises(OptimizerMissing) as refusal:
        optimise(TRAIN, "mipro", settings_for(model))

    named = re.search(r"requirements/\w+\.txt", str(refusal.value))
    assert named is not None
    packages = (Path(__file__).parents[3] / named[0]).read_text()
    assert re.search(r"^optuna==", packages, re.MULTILINE) and re.search(r"^dspy==", packages, re.MULTILINE)


@pytest.mark.parametrize("optimizer", ["mipro", "gepa"])
def test_a_model_that_cannot_be_improved_by_itself_is_said_to_be_unfit_or_left_as_it_is(
    model: Recorded, monkeypatch: pytest.MonkeyPatch, optimizer: Optimizer
) -> None:
    monkeypatch.setattr(Apt, "next", Recorded.next)
    model.will_say("no JSON at all")

    try:
        program = optimise(TRAIN, optimizer, settings_for(model))
    except ModelUnfit as why:
        assert "could not be read" in str(why)
    else:
        assert program.instructions
