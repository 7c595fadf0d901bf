"""The commands about understanding, on sentences: what they print, what they refuse, what they leave in rows."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from dialogue.library.nlu_programs.nlu_runs import RunRequest, begin_run
from dialogue.models import Assistant, NLUProgram, NLURun
from dialogue.nlu.llm.component import breaker_for
from tests.support.nlu.recorded_server import Recorded, commands, recorded_server
from tests.support.releases import demo, publish
from tests.support.soni_settings import change

pytestmark = pytest.mark.django_db
SENTENCES = [
    ("I owe you something", "pay_fine"),
    ("longer, please", "renew_loan"),
    ("who won?", "oos"),
    ("that novel", "reserve_book"),
]


@pytest.fixture
def library() -> Assistant:
    return publish(demo("library")).assistant


@pytest.fixture
def said(tmp_path: Path) -> Path:
    path = tmp_path / "said.jsonl"
    path.write_text("\n".join(json.dumps({"text": text, "intent": intent}) for text, intent in SENTENCES))
    return path


@pytest.fixture
def model(settings: Any) -> Iterator[Recorded]:
    with recorded_server() as recorded:
        change(settings, NLU_MODEL="openai/tiny", NLU_API_BASE=recorded.address)
        recorded.will_say(commands(("start_flow", "pay_fine")))
        yield recorded
    breaker_for.cache_clear()


def run(name: str, *arguments: object, **options: Any) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command(name, *map(str, arguments), stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


def test_an_evaluation_prints_scores_and_tells_its_progress_beside(library: Assistant, said: Path) -> None:
    out, err = run("evaluate_nlu", said, "--assistant", "library", "--nlu", "learned")

    assert "start_flow" in out and "exact turns" in out and "model calls   0" in out
    assert "after: 4 of 4" in err


def test_an_evaluation_for_machines_is_one_report(library: Assistant, said: Path) -> None:
    out, _ = run(
        "evaluate_nlu", said, "--assistant", "library", "--nlu", "learned", "--format", "json", "--sample", "2"
    )

    assert json.loads(out)["turns"] == 2


def test_a_program_is_made_promoted_and_taken_back(library: Assistant, said: Path, model: Recorded) -> None:
    made, told = run("optimize_nlu", "library", "--optimizer", "labeled", "--train", said, "--val", said)
    promoted, _ = run("promote_nlu", "library", 1)
    back, _ = run("promote_nlu", "library", "--back")

    assert "Program 1 of library is a candidate." in made
    assert "learning: 1 of 1" in told and "after: 4 of 4" in told
    assert "is used from the next message on" in promoted
    assert "The built-in program of library serves again." in back


def test_two_programs_are_shown_beside_each_other(library: Assistant, said: Path, model: Recorded) -> None:
    run("optimize_nlu", "library", "--train", said, "--val", said)

    out, _ = run(
        "evaluate_nlu", said, "--assistant", "library", "--nlu", "llm", "--program", "1", "--against", "built-in"
    )

    assert "category" in out
    assert "of 4 held-out turns" in out


def test_a_promotion_that_would_worsen_a_category_is_refused(library: Assistant, said: Path, model: Recorded) -> None:
    run("optimize_nlu", "library", "--train", said, "--val", said)
    row = NLUProgram.objects.get()
    worse = {**row.scores, "right": [False] * 4}
    NLUProgram.objects.update(scores=worse)

    with pytest.raises(CommandError, match="would worsen: exact turns"):
        run("promote_nlu", "library", 1)
    run("promote_nlu", "library", 1, "--held-out", said)

    assert NLUProgram.objects.get().state == NLUProgram.State.SERVING


def test_a_run_of_the_console_is_told_how_far_it_is_and_what_came_of_it(library: Assistant, said: Path) -> None:
    row = begin_run(library, RunRequest(NLURun.Kind.EVALUATION, nlu="learned"))

    run("evaluate_nlu", said, "--nlu", "learned", "--run", row.pk)

    row.refresh_from_db()
    assert (row.state, row.stage, row.done, row.total) == ("done", "after", 4, 4)
    assert row.report["turns"] == 4


def test_a_run_that_fails_says_why_in_its_row(library: Assistant, tmp_path: Path) -> None:
    row = begin_run(library, RunRequest(NLURun.Kind.EVALUATION, nlu="learned"))
    broken = tmp_path / "broken.jsonl"
    broken.write_text("no JSON\n")

    with pytest.raises(CommandError, match="line 1"):
        run("evaluate_nlu", broken, "--run", row.pk)

    row.refresh_from_db()
    assert (row.state, "line 1" in row.error) == ("broken", True)


MISTAKES = {
    "no data": (("evaluate_nlu",), "Name a data set"),
    "no such file": (("evaluate_nlu", "nowhere.yaml"), "There is no nowhere.yaml"),
    "no such assistant": (("optimize_nlu", "nobody"), "There is no assistant 'nobody'. There are: library."),
    "no such program": (("promote_nlu", "library", "7"), "library has no program 7"),
    "nothing named": (("promote_nlu", "library"), "Name the number of a program, or --back."),
    "nothing to take back": (("promote_nlu", "library", "--back"), "The built-in program serves already"),
}


@pytest.mark.parametrize(("arguments", "why"), MISTAKES.values(), ids=list(MISTAKES))
def test_a_mistake_is_answered_with_a_sentence(library: Assistant, arguments: tuple[str, ...], why: str) -> None:
    with pytest.raises(CommandError, match=why):
        run(*arguments)


def test_without_a_model_no_program_is_made(library: Assistant, said: Path) -> None:
    with pytest.raises(CommandError, match="set NLU_MODEL"):
        run("optimize_nlu", "library", "--train", said, "--val", said)
