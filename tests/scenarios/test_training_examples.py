"""What scenarios teach: their messages, the situations they are said in, and what they mean."""

from pathlib import Path

import pytest
from django.utils import timezone

from dialogue.engine.ports.commands import SetSlot, StartFlow
from dialogue.models import ScenarioDocument
from dialogue.nlu.pipeline.nlu_pipeline import build_nlu
from dialogue.nlu.settings import NLUSettings
from dialogue.scenarios import nlu_training
from dialogue.scenarios.format.reading import read_script
from dialogue.scenarios.nlu_training import (
    NLUPerAssistant,
    NoExamples,
    active_definition,
    evaluate_examples,
    examples_at,
    own_examples,
    split_training_data,
)
from dialogue.scenarios.training_examples import examples_in
from tests.support.releases import demo, publish

pytestmark = pytest.mark.django_db(transaction=True)
FILE = """
assistant: flows
clock: 2026-11-23T09:00:00Z
scenarios:
  - name: A fine, after all
    turns:
      - user: I want to pay my fine
        commands: [{start_flow: pay_fine}]
      - user: 3 euros
        commands: [{set_slot: {amount: 3}}]
      - choose: "yes"
      - user: reserve Dune for me
        commands: [{start_flow: reserve_book}, {set_slot: {title: Dune}, optional: true}]
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "flows").mkdir()
    for name, text in demo("library").items():
        (tmp_path / "flows" / name).write_text(text)
    file = tmp_path / "talks.yaml"
    file.write_text(FILE)
    return file


def test_each_message_is_a_lesson_in_its_situation(path: Path) -> None:
    first, second, third = examples_in(read_script(path))

    assert (first.message, first.first_commands, first.context.stack) == (
        "I want to pay my fine",
        (StartFlow("pay_fine"),),
        (),
    )
    assert second.context.awaited_slot is not None and second.context.awaited_slot.name == "amount"
    assert second.first_commands == (SetSlot("amount", 3),)
    assert third.expected[1].optional
    assert third.source == "A fine, after all, turn 4"


def test_lessons_are_measured_with_any_understanding(path: Path) -> None:
    report = evaluate_examples("learned", NLUSettings(), list(examples_in(read_script(path))))

    assert (report.turns, report.exact, report.calls) == (3, 1.0, 0)


def test_nothing_to_measure_with_is_said() -> None:
    with pytest.raises(NoExamples):
        evaluate_examples("learned", NLUSettings(), [])


def test_an_assistants_own_scenarios_are_played_with_its_active_release(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assistant = publish(demo("library")).assistant
    ScenarioDocument.objects.create(assistant=assistant, name="talks", text=FILE, saved_at=timezone.now())
    read: list[Path] = []
    monkeypatch.setattr(nlu_training, "use_temporary_database", nothing)
    monkeypatch.setattr(
        nlu_training, "play_examples", lambda paths: [each for one in paths for each in noted(one, read)]
    )

    lessons = own_examples(assistant)

    assert [path.name for path in read] == ["talks.yaml"]
    assert len(lessons) == 3


def noted(path: Path, read: list[Path]) -> list[object]:
    read.append(path)
    return list(examples_in(read_script(path)))


class nothing:
    def __enter__(self) -> None: ...

    def __exit__(self, *why: object) -> None: ...


def test_sentences_need_an_assistant(tmp_path: Path) -> None:
    file = tmp_path / "said.jsonl"
    file.write_text('{"text": "pay my fine", "intent": "pay_fine"}\n')
    assistant = publish(demo("library")).assistant

    lessons = examples_at([file], active_definition(assistant))

    assert lessons[0].first_commands == (StartFlow("pay_fine"),)
    with pytest.raises(NoExamples, match=r"said\.jsonl"):
        examples_at([file])


def test_learning_and_held_out_halves_have_every_lesson_once(path: Path) -> None:
    lessons = list(examples_in(read_script(path)))

    material = split_training_data(lessons)

    assert sorted(each.message for each in (*material.train, *material.held_out)) == sorted(e.message for e in lessons)


async def test_one_understanding_is_built_for_each_assistant(path: Path) -> None:
    built: list[str] = []

    class Counting(NLUPerAssistant):
        def _build(self, assistant):
            built.append(assistant.assistant)
            return build_nlu(assistant, "learned")

    nlu = Counting("learned", NLUSettings())
    from tests.support.nlu.situations import assistant_named, situation

    for name in ("library", "bank", "library"):
        await nlu.understand("hello", situation(assistant_named(name)))

    assert built == ["library", "bank"]
