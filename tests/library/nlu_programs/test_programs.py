"""Programs as rows: several people at once, and what may not happen in between."""

import pytest
from django.db import IntegrityError, transaction

from dialogue.library.nlu_programs.background_runs import RunAlreadyActive
from dialogue.library.nlu_programs.nlu_runs import RunRequest, begin_run, finish_run, mark_broken
from dialogue.library.nlu_programs.programs import OtherServes, promote_program, serving_program, take_back_program
from dialogue.models import Assistant, NLUProgram, NLURun
from tests.nlu.llm.test_programs import PROGRAM
from tests.support.releases import demo, publish
from tests.support.soni_settings import change
from tests.web.understanding.test_understanding import BETTER, program

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def library(settings: object) -> Assistant:
    change(settings, NLU_MODEL=PROGRAM.model)
    return publish(demo("library")).assistant


def test_numbers_go_up_and_a_promotion_names_what_it_replaced(library: Assistant) -> None:
    first = program(library, BETTER)
    promote_program(library, first.number)
    second = program(library, BETTER, beaten=first)

    promote_program(library, second.number)

    states = dict(NLUProgram.objects.values_list("number", "state"))
    assert states == {1: "retired", 2: "serving"}
    assert take_back_program(library) == first
    assert serving_program(library) == first


def test_promoting_what_serves_already_changes_nothing(library: Assistant) -> None:
    first = program(library, BETTER)

    assert promote_program(library, first.number) == promote_program(library, first.number)
    assert take_back_program(library) is None


def test_two_that_were_compared_with_the_same_cannot_both_be_promoted(library: Assistant) -> None:
    first, second = program(library, BETTER), program(library, BETTER)
    promote_program(library, first.number)

    with pytest.raises(OtherServes):
        promote_program(library, second.number)

    assert serving_program(library) == first


def test_the_database_lets_one_program_serve(library: Assistant) -> None:
    program(library, BETTER)
    program(library, BETTER)

    with pytest.raises(IntegrityError), transaction.atomic():
        NLUProgram.objects.update(state=NLUProgram.State.SERVING)


def test_a_run_ends_once(library: Assistant) -> None:
    run = begin_run(library, RunRequest(NLURun.Kind.EVALUATION, nlu="auto"))
    with pytest.raises(RunAlreadyActive):
        begin_run(library, RunRequest(NLURun.Kind.EVALUATION, nlu="auto"))

    mark_broken(run, "x" * 5_000)
    finish_run(run, {"late": True})

    row = NLURun.objects.get()
    assert (row.state, row.report, len(row.error)) == ("broken", {}, 2_000)
