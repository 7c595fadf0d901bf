"""Messages that somebody wrote to an assistant of their own, judged by what the turn would do."""

from pathlib import Path

import pytest

from bench.nlu.written import Judgement, judge_assistant, table
from bench.nlu.written_assistants import read_assistants

BAKERY = """
assistant: {title: Corner bakery, language: en}
flows:
  - name: order_cake
    title: Order a cake
    description: Orders a cake for a day.
    examples: [I want to order a cake, a cake for Friday please]
    slots:
      - {name: size, type: choice, options: [small, large], prompt: "Which size?"}
      - {name: day, type: date, prompt: "For which day?"}
      - {name: sliced, type: boolean, prompt: "Shall we slice it?"}
  - name: report_mistake
    title: Report a mistake
    description: Tells us what was wrong with an order.
    examples: [my order was wrong]
    slots:
      - {name: story, type: text, prompt: "What happened?"}
topics:
  - {name: opening_hours, questions: ["When are you open?"], answer: "From 7 to 18."}
"""


def judged(tmp_path: Path, cases: str) -> list[Judgement]:
    file = tmp_path / "bakery.yaml"
    file.write_text(BAKERY + cases, encoding="utf-8")
    return judge_assistant(read_assistants(file)[0], by_meaning=False)


def test_a_message_is_right_if_flow_and_values_are_as_written(tmp_path: Path) -> None:
    cases = 'messages: [{text: "I want to order a large cake", wants: [order_cake], values: {size: "large"}}]'

    (judgement,) = judged(tmp_path, cases)

    assert judgement.kind == "right", judgement.errors


def test_a_flow_that_was_not_wanted_is_a_wrong_action(tmp_path: Path) -> None:
    (judgement,) = judged(tmp_path, 'messages: [{text: "I want to order a cake", wants: []}]')

    assert judgement.kind == "wrong"
    assert judgement.errors[0] == "wrong start order_cake"


def test_a_missing_value_is_no_wrong_action(tmp_path: Path) -> None:
    cases = 'messages: [{text: "I want to order a cake", wants: [order_cake], values: {day: "Friday"}}]'

    (judgement,) = judged(tmp_path, cases)

    assert (judgement.kind, judgement.errors) == ("asked", ("no value day",))


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ('asked: size, text: "the large one please", values: {size: "the large one = large"}', "right"),
        ('asked: size, text: "the small one please", values: {size: "the small one = large"}', "wrong"),
        ('asked: day, filled: {size: large}, text: "Friday", values: {day: "Friday"}', "right"),
        ('asked: confirm, filled: {size: large, day: "Friday"}, text: "yes", act: yes', "right"),
        ('asked: confirm, filled: {size: large, day: "Friday"}, text: "yes", act: no', "wrong"),
        ('asked: sliced, text: "yes please", values: {sliced: "yes = true"}', "right"),
        ('asked: sliced, text: "yes please", values: {sliced: "yes = false"}', "wrong"),
        ('asked: day, filled: {size: large}, text: "when are you open?", topic: opening_hours', "right"),
        ('asked: day, filled: {size: large}, text: "cancel", act: cancel', "right"),
    ],
)
def test_an_answer_is_said_where_its_question_is_open(tmp_path: Path, answer: str, kind: str) -> None:
    (judgement,) = judged(tmp_path, f"answers: [{{flow: order_cake, {answer}}}]")

    assert judgement.kind == kind, judgement


@pytest.mark.parametrize(
    ("text", "kind"),
    [("the icing melted", "right"), ("icing melted!", "right"), ("an icing melted", "right"), ("it melted", "wrong")],
)
def test_an_article_before_a_text_and_marks_behind_it_do_not_count(tmp_path: Path, text: str, kind: str) -> None:
    case = f'{{flow: report_mistake, asked: story, text: "{text}", values: {{story: "icing melted"}}}}'
    (judgement,) = judged(tmp_path, f"answers: [{case}]")

    assert judgement.kind == kind, judgement


def test_the_table_has_a_line_for_first_messages_and_answers(tmp_path: Path) -> None:
    file = tmp_path / "bakery.yaml"
    file.write_text(f'{BAKERY}messages: [{{text: "a cake for Friday please", wants: [order_cake]}}]', encoding="utf-8")

    lines = list(table(file, tmp_path / "log.jsonl"))

    assert any(line.startswith("first messages") and "of 1," in line for line in lines)
    assert (tmp_path / "log.jsonl").read_text(encoding="utf-8").count("\n") == 2
