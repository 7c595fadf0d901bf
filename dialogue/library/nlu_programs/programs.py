"""Programs for an assistant's language model: made as candidates, promoted when nothing gets worse, taken back."""

from dataclasses import dataclass
from typing import Any

from django.db import transaction

from dialogue.audit import chain
from dialogue.conf import soni
from dialogue.library.documents.versions import Author
from dialogue.models import Assistant, NLUProgram
from dialogue.nlu.llm.programs import LLMProgram, read_program
from dialogue.nlu.training.evaluation import EvaluationReport, worse_categories
from dialogue.turns import clock

State = NLUProgram.State


class WouldWorsen(Exception):
    """A promotion that would make something worse on the held-out data; `categories` name what."""

    def __init__(self, categories: list[str]) -> None:
        super().__init__(", ".join(categories))
        self.categories = categories


class OtherServes(Exception):
    """The program was compared with another one than serves now; evaluate it again, then promote it."""


class NotEvaluated(Exception):
    """The program was never evaluated on held-out data."""


class ProgramNotFound(Exception):
    """This assistant has no program of that number."""


class NothingServes(Exception):
    """The built-in program serves already; there is nothing to take back."""


@dataclass(frozen=True)
class Comparison:
    """What an evaluation on held-out data came to: the program's report, and that of `beaten`, which served then."""

    report: EvaluationReport
    baseline: EvaluationReport
    beaten: NLUProgram | None


def serving_program(assistant: Assistant) -> NLUProgram | None:
    """The row that serves; None is the built-in program."""
    return NLUProgram.objects.filter(assistant=assistant, state=State.SERVING).first()


def program_numbered(assistant: Assistant, number: int) -> NLUProgram:
    """The assistant's program of this number. Raises ProgramNotFound."""
    row = NLUProgram.objects.filter(assistant=assistant, number=number).first()
    if row is None:
        raise ProgramNotFound(number)
    return row


def artefact_of(row: NLUProgram) -> LLMProgram:
    """The stored program. Raises ProgramRefused when it was altered or may not serve here."""
    return read_program(row.artefact, row.sha256, soni.NLU_MODEL)


@transaction.atomic
def store_program(assistant: Assistant, artefact: LLMProgram, compared: Comparison, by: Author = None) -> NLUProgram:
    """Store a new candidate with what it scored."""
    locked = Assistant.objects.select_for_update(of=("self",)).get(pk=assistant.pk)
    last = locked.nlu_programs.order_by("-number").values_list("number", flat=True).first() or 0
    row = NLUProgram.objects.create(
        assistant=locked,
        number=last + 1,
        artefact=artefact.canonical_json(),
        sha256=artefact.sha256,
        signature=artefact.signature,
        dspy=artefact.dspy,
        model=artefact.model,
        optimizer=artefact.optimizer,
        data=artefact.data,
        made_by=by,
        made_at=clock.now(),
        **_score_fields(compared),
    )
    _record_act("program_made", row, by, None)
    return row


def store_scores(row: NLUProgram, compared: Comparison) -> None:
    """Note a newer evaluation."""
    NLUProgram.objects.filter(pk=row.pk).update(**_score_fields(compared))


def _score_fields(compared: Comparison) -> dict[str, Any]:
    return {
        "scores": compared.report.model_dump(mode="json"),
        "baseline": compared.baseline.model_dump(mode="json"),
        "beaten": compared.beaten,
    }


@transaction.atomic
def promote_program(assistant: Assistant, number: int, by: Author = None) -> NLUProgram:
    """Let a program serve from the next message on.

    Raises ProgramNotFound, ProgramRefused, NotEvaluated, OtherServes, and WouldWorsen; the old one serves on then.
    """
    locked = Assistant.objects.select_for_update(of=("self",)).get(pk=assistant.pk)
    row, before = program_numbered(locked, number), serving_program(locked)
    if before is not None and before.pk == row.pk:
        return row
    artefact_of(row)
    _check_promotable(row, before)
    _switch_programs(row, before)
    row.replaced = before
    row.save(update_fields=["replaced"])
    _record_act("program_promoted", row, by, before)
    return row


@transaction.atomic
def take_back_program(assistant: Assistant, by: Author = None) -> NLUProgram | None:
    """Let what served before serve again; None is the built-in program.

    Raises NothingServes, and ProgramRefused when that one may not serve any more.
    """
    locked = Assistant.objects.select_for_update(of=("self",)).get(pk=assistant.pk)
    row = serving_program(locked)
    if row is None:
        raise NothingServes
    earlier = row.replaced
    if earlier is not None:
        artefact_of(earlier)
    _switch_programs(earlier, row)
    _record_act("program_taken_back", row, by, earlier)
    return earlier


def _check_promotable(row: NLUProgram, before: NLUProgram | None) -> None:
    if not row.scores or not row.baseline:
        raise NotEvaluated
    if row.beaten_id != (before.pk if before else None):
        raise OtherServes
    worse = worse_categories(EvaluationReport.model_validate(row.baseline), EvaluationReport.model_validate(row.scores))
    if worse:
        raise WouldWorsen(worse)


def _switch_programs(row: NLUProgram | None, before: NLUProgram | None) -> None:
    if before is not None:
        NLUProgram.objects.filter(pk=before.pk).update(state=State.RETIRED)
    if row is not None:
        NLUProgram.objects.filter(pk=row.pk).update(state=State.SERVING, promoted_at=clock.now())
        row.refresh_from_db()


def _record_act(act: str, row: NLUProgram, by: Author, other: NLUProgram | None) -> None:
    facts = {"program": row.number, "sha256": row.sha256, "other": other.number if other else 0}
    name = by.get_username() if by else "system"
    done = chain.Act(act, name, by.pk if by else None, row.assistant.name, facts)
    chain.record(chain.CONSOLE, [done], clock.now())
