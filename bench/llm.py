"""`make bench-llm MODEL=PATH ARGS="--data FOLDER"`: a real language model always asked, when needed, and never.

Prints, for scenarios and for SGD's dialogues, exact turns with their bootstrap interval, F1, calls a turn, tokens and
times: the language model asked the bare question (no demonstration at all), as it is built in, and with a program made
from the half of the turns that is not measured; then what each gains on the one before, turn by turn.
`--sample N` measures so many turns of each only, `--minutes M` those that it gets to; the whole takes hours on a small
machine. Turns come in an order by chance and each is asked all ways before the next, so that any part of them is fair.
`--ways bare llm` asks only these ways; `--log FILE` keeps every turn, one JSON object a line.
"""

import argparse
import asyncio
import json
import os
import platform
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dialogue.engine.ports.commands import to_plain
from dialogue.engine.understanding import NLU
from dialogue.nlu.llm.programs import OPTIMIZERS, LLMProgram, Optimizer
from dialogue.nlu.settings import NLUSettings
from dialogue.nlu.training.evaluation import EvaluationReport, EvaluationTally, accuracy_gain, evaluate
from dialogue.nlu.training.labelled_examples import LabelledExample, sample_examples, split_examples

OWN = Path(__file__).parents[1] / "tests" / "scenarios"
DEMO = Path(__file__).parents[1] / "dialogue/library/demo/scenarios"
SCENARIOS = ("bank_approvals", "library_conversations", "clinic_visits", "town_hall")
SECONDS = 600.0
SEED = 0
MOST_CALLS = 0.5
WAYS = ("learned", "bare", "llm", "auto")
OPTIMISED = "optimised"
HEAD = f"{'':34}{'exact':>7}  {'95 % interval':16}{'F1':>6}{'slots':>7}{'calls':>7}{'tokens':>8}{'ms':>9}"


@dataclass
class Contender:
    """One way of understanding, and what it got right so far: one line of the table."""

    name: str
    nlu: NLU
    tally: EvaluationTally = field(default_factory=EvaluationTally)

    @property
    def report(self) -> EvaluationReport:
        return self.tally.report()

    def __str__(self) -> str:
        report = self.report
        low, high = report.interval
        shares = f"{100 * report.exact:6.1f} %  [{100 * low:5.1f}, {100 * high:5.1f}]"
        tokens = (report.prompt_tokens + report.completion_tokens) / max(1, report.turns)
        rest = f"{report.total.f1:7.2f}{report.slots:7.2f}{report.calls_per_turn:7.2f}{tokens:8.0f}{report.median:9.1f}"
        return f"  {self.name:32}{shares}{rest}"

    def line(self) -> dict[str, Any]:
        """The last turn, for the log."""
        lesson, got = self.tally.examples[-1], self.tally.understandings[-1]
        return {
            "way": self.name,
            "right": self.tally.verdicts[-1].exact,
            "message": lesson.message,
            "source": lesson.source,
            "expected": [place.to_plain_data() for place in lesson.expected],
            "got": [to_plain(each) for each in got.commands],
            "tokens": got.usage.prompt_tokens,
            "seconds": round(self.tally.milliseconds[-1] / 1_000, 1),
        }


def scenario_lessons() -> list[LabelledExample]:
    from dialogue.scenarios.nlu_training import examples_at

    return examples_at([*sorted(DEMO.glob("*.yaml")), *(OWN / f"{name}.yaml" for name in SCENARIOS)])


def sgd_lessons(data: Path) -> list[LabelledExample]:
    from bench.nlu.lessons import dialogue_lessons
    from bench.nlu.sgd_flows import assistant_of

    return list(dialogue_lessons(data / "sgd", assistant_of(data / "sgd")))


def table(lessons: Sequence[LabelledExample], settings: NLUSettings, options: argparse.Namespace) -> Iterator[str]:
    """The ways side by side, those that ask the model again with a program."""
    train, held_out = split_examples([each for each in lessons if each.expected])
    lines = contenders(settings, made(train, options.optimizer, settings), options.ways)
    asked = sample_examples(by_chance(held_out), options.sample)
    done = play([*lines.values()], asked, options)
    yield f"{done} of {len(held_out)} held-out turns; a program is made of {len(train)} others"
    yield HEAD
    yield from map(str, lines.values())
    yield from gains({name: each.report for name, each in lines.items()})
    yield from verdicts({name: each.report for name, each in lines.items()})


def by_chance(lessons: Sequence[LabelledExample]) -> list[LabelledExample]:
    return random.Random(SEED).sample(lessons, len(lessons))


def made(train: Sequence[LabelledExample], optimizer: Optimizer, settings: NLUSettings) -> LLMProgram:
    from dialogue.nlu.training.optimisation import optimise

    return optimise(train, optimizer, settings)


def contenders(settings: NLUSettings, program: LLMProgram, ways: Sequence[str]) -> dict[str, Contender]:
    """The lines of the table by their names, as far as their way is asked for."""
    from dialogue.scenarios.nlu_training import NLUPerAssistant

    programs = {"bare": bare(program)}
    plain = {way: NLUPerAssistant("llm" if way == "bare" else way, settings, programs.get(way)) for way in ways}
    taught = {f"{way}, {OPTIMISED}": NLUPerAssistant(way, settings, program) for way in ways if way in ("llm", "auto")}
    return {name: Contender(name, nlu) for name, nlu in {**plain, **taught}.items()}


def bare(program: LLMProgram) -> LLMProgram:
    """The question alone: the built-in instructions without any demonstration."""
    from dialogue.nlu.llm.signatures import Understand

    return program.model_copy(update={"instructions": Understand.instructions, "demos": ()})


def play(ways: Sequence[Contender], lessons: Sequence[LabelledExample], options: argparse.Namespace) -> int:
    """How many turns were asked in that time."""
    done, until = 0, time.monotonic() + 60 * options.minutes
    with asyncio.Runner() as loop, open(options.log or os.devnull, "a", encoding="utf-8") as log:
        for lesson in lessons:
            for each in ways:
                loop.run(each.tally.ask(each.nlu, lesson))
                print(json.dumps(each.line(), ensure_ascii=False, default=str), file=log, flush=True)
            done += 1
            right = ", ".join(f"{each.name} {sum(each.report.right)}" for each in ways)
            print(
                f"    {time.strftime('%H:%M:%S')} {done} of {len(lessons)}; right: {right}", file=sys.stderr, flush=True
            )
            if time.monotonic() > until:
                break
    return done


def gains(lines: Mapping[str, EvaluationReport]) -> Iterator[str]:
    """From the bare question to the built-in one to the program, each turn beside itself."""
    steps = (
        ("bare", "llm"),
        ("llm", f"llm, {OPTIMISED}"),
        ("bare", f"llm, {OPTIMISED}"),
        ("auto", f"auto, {OPTIMISED}"),
    )
    for before, after in steps:
        if before in lines and after in lines:
            gain, (low, high) = accuracy_gain(lines[before], lines[after])
            yield f"  {before} → {after}: {100 * gain:+.1f} points  [{100 * low:+.1f}, {100 * high:+.1f}]"


def verdicts(lines: Mapping[str, EvaluationReport]) -> Iterator[str]:
    for name in ("", f", {OPTIMISED}"):
        if f"auto{name}" not in lines or f"llm{name}" not in lines:
            continue
        auto, always = lines[f"auto{name}"], lines[f"llm{name}"]
        held = auto.calls_per_turn <= MOST_CALLS and auto.exact >= always.exact
        yield (
            f"  auto{name} asks {auto.calls_per_turn:.2f} times a turn (at most {MOST_CALLS}), right "
            f"{100 * auto.exact:.1f} % beside {100 * always.exact:.1f} %: {'held' if held else 'NOT HELD'}"
        )


def asks(lessons: Sequence[LabelledExample], settings: NLUSettings) -> str:
    """On how many of all turns `auto` asks at all; a model that says the least stands in for the real one."""
    from dialogue.scenarios.nlu_training import NLUPerAssistant
    from tests.support.nlu.recorded_server import commands, recorded_server

    with recorded_server() as silent:
        silent.will_say(commands(("cannot_handle",)))
        nlu = NLUPerAssistant("auto", replace(settings, model="openai/silent", api_base=silent.address))
        report = asyncio.run(evaluate(nlu, lessons))
    share = report.calls_per_turn
    verdict = "held" if share <= MOST_CALLS else "NOT HELD"
    return f"  auto asks on {report.calls} of all {report.turns} turns: {share:.3f} (at most {MOST_CALLS}: {verdict})"


def main() -> None:
    options = _options()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "soni_admin.settings")
    os.environ.setdefault("SONI_DATA", tempfile.mkdtemp(prefix="soni-bench-"))
    import django

    django.setup()
    from dialogue.nlu.text.embeddings.minilm import is_installed
    from dialogue.scenarios.nlu_training import UNLIMITED_FAILURES
    from tests.llm.real_model import real_model

    sets = {"scenarios": scenario_lessons}
    if options.data:
        sets["SGD dev_300"] = lambda: sgd_lessons(options.data)
    print(f"{options.model.name}, {options.optimizer}, Python {platform.python_version()}", flush=True)
    with real_model(options.model) as address:
        settings = NLUSettings(
            use_embeddings=is_installed(),
            model="openai/real",
            api_base=address,
            time_limit=SECONDS,
            max_failures=UNLIMITED_FAILURES,
            retries=0,
        )
        for name, lessons in sets.items():
            if options.only in (None, name.split()[0].lower()):
                _print(name, lessons(), settings, options)


def _print(name: str, lessons: list[LabelledExample], settings: NLUSettings, options: argparse.Namespace) -> None:
    print(f"\n{name}\n{asks(lessons, settings)}", flush=True)
    if options.sample != 0:
        for line in table(lessons, settings, options):
            print(line, flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path, help="a GGUF file")
    parser.add_argument("--data", type=Path, help="folder of sgd/")
    parser.add_argument("--sample", type=int, help="so many held-out turns of each; 0: only how often is asked")
    parser.add_argument(
        "--minutes", type=float, default=24 * 60, help="no turn is begun after so long, for each of them"
    )
    parser.add_argument("--only", choices=("scenarios", "sgd"))
    parser.add_argument("--ways", nargs="+", default=WAYS, choices=WAYS)
    parser.add_argument("--log", type=Path, help="every turn: what was wanted, and what each way got")
    parser.add_argument("--optimizer", default=OPTIMIZERS[0], choices=OPTIMIZERS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
