"""Deliberate faults, each one line of the product's code: a test that is named beside it has to catch it."""

import compileall
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from py_compile import PycInvalidationMode
from tempfile import TemporaryDirectory

from campaigns.support.campaign import Campaign, Tally
from campaigns.support.ready import copy_migrated
from tests.support.processes.server import ROOT

COPIED = (
    "dialogue",
    "soni_admin",
    "tests",
    "templates",
    "static",
    "locale",
    "manage.py",
    "pyproject.toml",
    "README.md",
)
AT_ONCE = 2


@dataclass(frozen=True)
class Mutant:
    """What is broken, where, by which change, and which test says so."""

    fault: str
    file: str
    line: str
    becomes: str
    caught_by: str


# fmt: off
MUTANTS = (
    Mutant("a lease without its epoch", "dialogue/turns/lease.py",
           '"id": self.conversation, "epoch": self.epoch, "lease_owner": self.owner',
           '"id": self.conversation, "lease_owner": self.owner',
           "tests/turns/actions/test_fence.py::test_an_older_lease_of_the_same_process_is_not_renewed"),
    Mutant("a claim that does not raise the epoch", "dialogue/turns/lease.py",
           '"epoch": F("epoch") + 1}', '"epoch": F("epoch")}',
           "tests/turns/actions/test_fence.py::test_a_turn_whose_lease_was_lost_writes_nothing"),
    Mutant("a result of an action that any epoch may store", "dialogue/turns/actions/ledger.py",
           '"state": ActionRun.State.RUNNING, "epoch": self.lease.epoch}\n        if not',
           '"state": ActionRun.State.RUNNING}\n        if not',
           "tests/turns/actions/test_fence.py::test_a_zombie_s_result_of_an_action_is_not_stored_over_the_next_runner_s"),
    Mutant("an action that runs again though its result is stored", "dialogue/turns/actions/ledger.py",
           "            case ActionRun.State.SUCCEEDED:\n", "            case ActionRun.State.INTENDED if False:\n",
           "tests/turns/actions/test_ledger.py::test_a_result_that_is_known_is_given_again_without_a_call"),
    Mutant("an action that may not be repeated, repeated after its process died", "dialogue/turns/actions/ledger.py",
           "case ActionRun.State.RUNNING if not run.idempotent:", "case ActionRun.State.RUNNING if False:",
           "tests/turns/actions/test_ledger.py::test_an_action_that_died_while_it_ran_is_unknown_and_not_called_again"),
    Mutant("an unknown outcome, taken for a failure", "dialogue/engine/steps/action.py",
           "    if isinstance(outcome, Unknown) and not contract.repeatable:\n", "    if False:\n",
           "tests/engine/steps/test_action.py::"
           "test_a_call_of_unknown_outcome_that_may_not_be_repeated_is_asked_about"),
    Mutant("an approval that is bound to no values", "dialogue/engine/steps/action.py",
           "    _check_approvals(run, reads)\n", "",
           "tests/engine/steps/test_action.py::test_an_approval_of_other_values_does_not_let_the_action_run"),
    Mutant("lines before an action that a re-run says again", "dialogue/turns/transcript.py",
           "        if self.stored[index].key == key:\n", "        if False:\n",
           "tests/turns/test_transcript.py::"
           "test_the_turn_that_runs_again_says_the_same_lines_under_the_same_numbers"),
    Mutant("lines before an action that are stored with the commit", "dialogue/turns/actions/ledger.py",
           "        if self.lines is not None and self.lines.pending:\n", "        if False:\n",
           "tests/turns/test_transcript.py::"
           "test_a_line_is_in_the_transcript_while_the_action_after_it_runs"),
    Mutant("a turn that leaves its event due", "dialogue/turns/commit.py",
           "    _mark_done(work.event, at)\n", "",
           "tests/turns/test_worker.py::test_a_message_is_answered_and_everything_about_it_is_committed_together"),
    Mutant("the outbox after the commit", "dialogue/turns/sessions.py",
           "self.acts += invite_people(row, self.at)",
           "__import__('django').db.transaction.on_commit(lambda row=row: invite_people(row, self.at))",
           "tests/turns/test_sessions.py::test_whoever_is_asked_outside_has_a_link_and_a_mail_in_the_same_commit"),
    Mutant("checkpoints in the order of the wall clock", "dialogue/turns/checkpointer.py",
           'order_by("-number")).first()', 'order_by("-checkpoint_id")).first()',
           "tests/turns/test_checkpointer.py::"
           "test_the_newest_checkpoint_is_the_last_written_even_when_a_clock_was_behind"),
    Mutant("the same id with another text taken for a repetition", "dialogue/turns/accept.py",
           "    if earlier.body_sha256 != incoming.digest():\n", "    if False:\n",
           "tests/turns/test_accept.py::test_the_same_id_with_another_text_is_refused"),
    Mutant("a flood that is let in", "dialogue/turns/accept.py",
           "            raise TooManyWaiting(row.pk)\n", "            pass\n",
           "tests/turns/test_accept.py::"
           "test_the_twenty_first_waiting_message_is_refused_and_nothing_of_it_is_kept"),
    Mutant("a deadly event that is tried for ever", "dialogue/turns/worker.py",
           "    if suspect:\n", "    if False:\n",
           "tests/turns/actions/test_fence.py::"
           "test_an_event_that_ends_its_process_three_times_is_an_incident_and_tells_the_user"),
    Mutant("the deadline left out of the update", "dialogue/desk/sessions/operation.py",
           "        if move.before_deadline:\n            where", "        if False:\n            where",
           "tests/desk/sessions/test_decisions.py::test_the_deadline_is_judged_inside_the_update"),
    Mutant("the state left out of the update", "dialogue/desk/sessions/operation.py",
           "pk=row.pk, state=row.state, version=row.version, assignee=row.assignee_id, delivery=row.delivery",
           "pk=row.pk",
           "tests/desk/sessions/test_decisions.py::test_a_row_that_changed_between_reading_and_writing_is_looked_at_again"),
    Mutant("an expiry that approves", "dialogue/desk/sessions/decisions.py",
           'handle=F("on_timeout"),', 'handle="approve",',
           "tests/desk/sessions/test_decisions.py::test_the_clock_expires_what_is_due_once_and_never_approves"),
    Mutant("a decision whose event is not in its transaction", "dialogue/desk/sessions/decisions.py",
           '    _send_event(operation.session)\n    crash_point("C2")\n', '    crash_point("C2")\n',
           "tests/desk/sessions/test_decisions.py::"
           "test_a_decision_is_written_with_its_submission_audit_event_and_inbox_row"),
    Mutant("who asked may approve", "dialogue/desk/sessions/decisions.py",
           "    if session.four_eyes and", "    if False and",
           "tests/desk/sessions/test_links.py::test_who_asked_cannot_approve_by_mail_either"),
    Mutant("an audit entry that does not hold the one before it", "dialogue/audit/chain.py",
           "        previous_sha256=previous,\n", "        previous_sha256=_START,\n",
           "tests/audit/test_chain.py::test_an_untouched_chain_verifies"),
    Mutant("text that is taken for markup", "templates/dialogue/conversations/message_body.html",
           "<p>{{ line.text }}</p>", "<p>{{ line.text|safe }}</p>",
           "tests/web/inbox/test_chats.py::test_what_somebody_typed_is_shown_as_text"),
    Mutant("other people's conversations", "dialogue/desk/access/conversations.py",
           "every_conversation().filter(reduce(or_, conversation_parts(person)))", "every_conversation()",
           "tests/web/inbox/test_chats.py::test_a_conversation_out_of_scope_does_not_exist"),
    Mutant("an erasure that leaves the reasons", "dialogue/desk/maintenance/erasure.py",
           "    erased.delete(AuditDetail.objects.filter(entry__chain=str(row.pk)))\n", "",
           "tests/desk/maintenance/test_erasure.py::test_erased_text_is_in_no_table"),
)
# fmt: on


class LineNotThere(Exception):
    """The line that a mutant changes is not there exactly once; the list has to follow the code."""


def _run(size: int, chance: int, tally: Tally) -> None:
    chosen = MUTANTS[:size]
    with _copies() as copies:
        passes, told = _tests(copies[0], [each.caught_by for each in chosen])
        if not passes:
            tally.failures.append(f"without any fault: {told}")
            return
        with ThreadPoolExecutor(AT_ONCE) as pool:
            works = [pool.submit(_each, copy, chosen[place::AT_ONCE]) for place, copy in enumerate(copies)]
    for mutant, survived in (found for work in works for found in work.result()):
        tally.count("survived" if survived else "caught")
        if survived:
            tally.failures.append(f"{mutant.fault} ({mutant.file}) is not caught by {mutant.caught_by}")


def _each(copy: Path, mutants: Sequence[Mutant]) -> list[tuple[Mutant, bool]]:
    return [(mutant, _survives(copy, mutant)) for mutant in mutants]


def _survives(copy: Path, mutant: Mutant) -> bool:
    file = copy / mutant.file
    text = file.read_text()
    file.write_text(changed(mutant, text))
    try:
        return _tests(copy, [mutant.caught_by])[0]
    finally:
        file.write_text(text)


def changed(mutant: Mutant, text: str) -> str:
    """The text of its file with the fault in it. Raises LineNotThere."""
    if text.count(mutant.line) != 1:
        raise LineNotThere(f"{mutant.fault}: {mutant.line!r} stands {text.count(mutant.line)} times in {mutant.file}")
    return text.replace(mutant.line, mutant.becomes)


@contextmanager
def _copies() -> Iterator[list[Path]]:
    """As many copies of the product as are tried at a time."""
    with TemporaryDirectory(prefix="soni-mutants-") as name:
        copies = [Path(name) / str(number) for number in range(AT_ONCE)]
        for copy in copies:
            _copy(copy)
        yield copies


def _copy(to: Path) -> None:
    to.mkdir()
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, to / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
        else:
            shutil.copy2(ROOT / name, to / name)
    compileall.compile_dir(to, quiet=1, invalidation_mode=PycInvalidationMode.CHECKED_HASH)


def _tests(copy: Path, tests: Sequence[str]) -> tuple[bool, str]:
    """Whether these tests pass in the copy, and what they said."""
    database = copy / "ready"
    shutil.rmtree(database, ignore_errors=True)
    copy_migrated(database)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "--reuse-db",
        "-p",
        "no:cacheprovider",
        "--no-header",
        *tests,
    ]
    # Bytecode is known by its text's hash and none is written: a fault may keep its file's size and second.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "DATABASE_URL": ""}
    environment["SONI_TEST_DATABASE"] = str(database / "soni.sqlite3")
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    return done.returncode == 0, done.stdout[-1500:] + done.stderr[-500:]


CAMPAIGN = Campaign(
    name="mutants",
    passes_when="each deliberate fault is caught by the test that is named beside it",
    ci=8,
    full=len(MUTANTS),
    outcomes=("caught",),
    run=_run,
    computes=True,
)
