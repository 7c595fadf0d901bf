"""The report of a run: text for people, JSON for pages, JUnit for CI."""

import json
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

from dialogue.scenarios.outcome.results import Difference, ScenarioResult, Summary, TurnResult, result_to_json


def text_report(result: ScenarioResult) -> str:
    """One scenario: a line when all went as expected, else expected and got, turn by turn."""
    mark = "ok  " if result.has_passed else "FAIL"
    head = f"{mark} {result.file}: {result.name} ({len(result.turns)} turns, {result.seconds:.2f} s)"
    return "\n".join([head, *_failure_lines(result)])


def json_report(results: Sequence[ScenarioResult]) -> str:
    """`{"scenarios": […], "summary": {…}}`."""
    summary = Summary.of(results)
    plain = {
        "scenarios": [result_to_json(result) for result in results],
        "summary": {**vars(summary), "text": str(summary)},
    }
    return json.dumps(plain, ensure_ascii=False, indent=2, default=str)


def json_line(result: ScenarioResult) -> str:
    """One scenario as one line of JSON, for who follows a run."""
    return json.dumps(result_to_json(result), ensure_ascii=False, default=str)


def junit_report(results: Sequence[ScenarioResult]) -> str:
    """One suite for each file, one case for each scenario."""
    root = ElementTree.Element("testsuites")
    for file in dict.fromkeys(result.file for result in results):
        file_results = [result for result in results if result.file == file]
        failures = sum(not result.has_passed for result in file_results)
        suite = ElementTree.SubElement(
            root, "testsuite", name=file, tests=str(len(file_results)), failures=str(failures), errors="0"
        )
        for result in file_results:
            _add_case(suite, result)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)


def _add_case(suite: ElementTree.Element, result: ScenarioResult) -> None:
    case = ElementTree.SubElement(
        suite, "testcase", name=result.name, classname=result.file, time=f"{result.seconds:.3f}"
    )
    if not result.has_passed:
        failure = ElementTree.SubElement(case, "failure", message="not as expected")
        failure.text = _without_illegal_characters("\n".join(_failure_lines(result)))


def _without_illegal_characters(text: str) -> str:
    """Text without what XML cannot hold."""
    return "".join(character if character.isprintable() or character in "\n\t" else "\ufffd" for character in text)


def _failure_lines(result: ScenarioResult) -> Iterator[str]:
    for turn in result.turns:
        if not turn.has_passed:
            yield f"     turn {turn.number}, {_one_line(turn.title)}"
            yield from _turn_lines(turn)
    if result.differences:
        yield "     in the end"
        yield from (line for difference in result.differences for line in _difference_lines(difference))


def _turn_lines(turn: TurnResult) -> Iterator[str]:
    for difference in turn.differences:
        yield from _difference_lines(difference)


def _difference_lines(difference: Difference) -> Iterator[str]:
    yield f"         {difference.what}"
    yield f"             expected {_one_line(difference.expected, 300)}"
    yield f"             got      {_one_line(difference.got, 300)}"


def _one_line(text: str, max_characters: int = 100) -> str:
    line = " ".join(text.split())
    return line if len(line) <= max_characters else line[: max_characters - 1] + "…"
