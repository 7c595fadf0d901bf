"""Running stored scenarios beside the server: in a process and a database of their own, with their progress in rows."""

import json
import logging
import subprocess
import sys
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from queue import Empty, Queue
from tempfile import TemporaryDirectory
from threading import Thread
from typing import IO, Any

from django.db import connections, transaction
from django.db.models import F

from dialogue.engine.language.documents import digest_of
from dialogue.library.documents.folders import write_folder
from dialogue.library.knowledge.documents import DOCUMENTS_FOLDER, dump_documents
from dialogue.library.nlu_programs.background_runs import close_silent_runs, insert_run, process_environment
from dialogue.models import Assistant, Scenario, ScenarioDocument, ScenarioRun
from dialogue.models.account import Account
from dialogue.turns import clock

log = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 3.0
"""Seconds between two signs of life of a run that has nothing new to say."""
MAX_SILENCE = timedelta(seconds=30)
MAX_DURATION = timedelta(minutes=20)

State = ScenarioRun.State


class NothingToRun(Exception):
    """The assistant has no scenarios yet."""


def start_run(
    assistant: Assistant,
    documents: Mapping[str, str],
    by: Account | None,
    *,
    only: Scenario | None = None,
    nlu: str = "given",
) -> ScenarioRun:
    """Begin a run of these texts in a thread of its own, and give its row. Raises RunAlreadyActive, NothingToRun."""
    run = open_run(assistant, documents, by, only=only, nlu=nlu)
    texts = dict(documents)
    transaction.on_commit(lambda: Thread(target=_play_in_thread, args=(run, texts, only), daemon=True).start())
    return run


def open_run(
    assistant: Assistant,
    documents: Mapping[str, str],
    by: Account | None,
    *,
    only: Scenario | None = None,
    nlu: str = "given",
) -> ScenarioRun:
    """The row of a run that is about to begin. One that has shown no sign of life for long is given up first."""
    total = 1 if only else assistant.scenarios.count()
    if not total:
        raise NothingToRun
    close_lost_runs(assistant)
    facts = {"sha256": digest_of(documents), "nlu": nlu, "whole": only is None, "total": total}
    return insert_run(ScenarioRun(assistant=assistant, started_by=by, **facts))


def close_lost_runs(assistant: Assistant) -> None:
    """A run whose server went away will never end; it is marked so, and another may begin."""
    close_silent_runs(assistant.scenario_runs.all(), MAX_SILENCE, "The server was stopped while this ran.")


def play_run(run: ScenarioRun, documents: Mapping[str, str], only: Scenario | None = None) -> None:
    """Play the scenarios and write down each result as it comes. Whatever goes wrong is kept in the run's row."""
    with TemporaryDirectory(prefix="scenario-run-") as folder:
        home = Path(folder)
        write_folder(documents, home / "assistant")
        dump_documents(run.assistant, home / "assistant" / DOCUMENTS_FOLDER)
        texts = {document.filename: document.text for document in _scenario_documents(run, only)}
        write_folder(texts, home / "scenarios")
        try:
            complaint = _follow_process(run, _run_command(run, home, only))
        except Exception as error:
            log.exception("the scenarios of %s could not be run", run.assistant_id)
            complaint = f"{type(error).__name__}: {error}"
    state = State.BROKEN if complaint else State.DONE
    ScenarioRun.objects.filter(pk=run.pk).update(state=state, error=complaint[:4000], ended_at=clock.now())


def store_result(run: ScenarioRun, result: Mapping[str, Any]) -> None:
    """Write down what one scenario came to."""
    row = Scenario.objects.filter(
        assistant=run.assistant_id, document__name=Path(result["file"]).stem, title=result["name"][:300]
    )
    row.update(
        passed=result["passed"],
        fact=first_difference(result),
        seconds=round(result["seconds"], 2),
        sha256=run.sha256,
        result=dict(result),
    )
    failed = 0 if result["passed"] else 1
    ScenarioRun.objects.filter(pk=run.pk).update(done=F("done") + 1, failed=F("failed") + failed, beat_at=clock.now())


def first_difference(result: Mapping[str, Any]) -> str:
    """The first difference, as "turn:what"; turn 0 is the end of the scenario, and nothing is the empty text."""
    for turn in result["turns"]:
        if turn["differences"]:
            return f"{turn['number']}:{turn['differences'][0]['what']}"[:500]
    return f"0:{result['differences'][0]['what']}"[:500] if result["differences"] else ""


def _play_in_thread(run: ScenarioRun, documents: Mapping[str, str], only: Scenario | None) -> None:
    try:
        play_run(run, documents, only)
    finally:
        connections.close_all()


def _scenario_documents(run: ScenarioRun, only: Scenario | None) -> list[ScenarioDocument]:
    if only is not None:
        return [only.document]
    return list(ScenarioDocument.objects.filter(assistant=run.assistant_id).order_by("name"))


def _run_command(run: ScenarioRun, home: Path, only: Scenario | None) -> list[str]:
    python = [sys.executable, "-m", "django", "run_scenarios", str(home / "scenarios")]
    options = ["--assistant", str(home / "assistant"), "--nlu", run.nlu, "--format", "lines"]
    return [*python, *options, *([f"--only={only.title}"] if only else [])]


def _follow_process(run: ScenarioRun, command: list[str]) -> str:
    """Run the command, take its lines as they come, and give what it had to complain of."""
    stderr_lines: list[str] = []
    with subprocess.Popen(
        command, env=process_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        reader = Thread(target=stderr_lines.extend, args=(process.stderr,), daemon=True)
        reader.start()
        try:
            for line in _result_lines(run, process.stdout):
                store_result(run, json.loads(line))
        finally:
            process.kill()
            reader.join()
    complaints = [line.strip() for line in stderr_lines if ": E-" in line or "Error" in line]
    done = ScenarioRun.objects.filter(pk=run.pk).values_list("done", flat=True).get()
    return "\n".join(complaints) if done < run.total else ""


def _result_lines(run: ScenarioRun, stream: IO[str]) -> Iterator[str]:
    """The lines as they come; between them the run shows that it lives. Ends with the stream, or after the longest."""
    lines: Queue[str | None] = Queue()
    Thread(target=_queue_lines, args=(stream, lines), daemon=True).start()
    deadline = clock.now() + MAX_DURATION
    while clock.now() < deadline:
        try:
            line = lines.get(timeout=HEARTBEAT_SECONDS)
        except Empty:
            ScenarioRun.objects.filter(pk=run.pk).update(beat_at=clock.now())
            continue
        if line is None:
            return
        yield line


def _queue_lines(stream: IO[str], lines: "Queue[str | None]") -> None:
    for line in stream:
        lines.put(line)
    lines.put(None)
