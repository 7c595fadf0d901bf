"""The report of a run: text for people, JSON for pages, JUnit for CI."""

import json
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

from dialogue.scenarios.outcome.results import Difference, ScenarioResult, Summary, TurnResult, to_plain


def as_text(result: ScenarioResult) -> str:
    """One scenario: a line when all went as expected, else expected and got, turn by turn."""
    mark = "ok  " if result.passed else "FAIL"
    head = f"{mark} {result.file}: {result.name} ({len(result.turns)} turns, {result.seconds:.2f} s)"
    return "\n".join([head, *_shortfalls(result)])


def as_json(results: Sequence[ScenarioResult]) -> str:
    """`{"scenarios": […], "summary": {…}}`."""
    summary = Summary.of(results)
    plain = {"scenarios": [to_plain(result) for result in results], "summary": {**vars(summary), "text": str(summary)}}
    return json.dumps(plain, ensure_ascii=False, indent=2, default=str)


def as_line(result: ScenarioResult) -> str:
    """One scenario as one line of JSON, for who follows a run."""
    return json.dumps(to_plain(result), ensure_ascii=False, default=str)


def as_junit(results: Sequence[ScenarioResult]) -> str:
    """One suite for each file, one case for each scenario."""
    root = ElementTree.Element("testsuites")
    for file in dict.fromkeys(result.file for result in results):
        own = [result for result in results if result.file == file]
        failures = sum(not result.passed for result in own)
        suite = ElementTree.SubElement(
            root, "testsuite", name=file, tests=str(len(own)), failures=str(failures), errors="0"
        )
        for result in own:
            _case(suite, result)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)


def _case(suite: ElementTree.Element, result: ScenarioResult) -> None:
    case = ElementTree.SubElement(
        suite, "testcase", name=result.name, classname=result.file, time=f"{result.seconds:.3f}"
    )
    if not result.passed:
        failure = ElementTree.SubElement(case, "failure", message="not as expected")
        failure.text = _legal("\n".join(_shortfalls(result)))


def _legal(text: str) -> str:
    """Text without what XML cannot hold."""
    return "".join(each if each.isprintable() or each in "\n\t" else "\ufffd" for each in text)


def _shortfalls(result: ScenarioResult) -> Iterator[str]:
    for turn in result.turns:
        if not turn.passed:
            yield f"     turn {turn.number}, {_one_line(turn.title)}"
            yield from _all_said(turn)
    if result.differences:
        yield "     in the end"
        yield from (line for difference in result.differences for line in _said(difference))


def _all_said(turn: TurnResult) -> Iterator[str]:
    for difference in turn.differences:
        yield from _said(difference)


def _said(difference: Difference) -> Iterator[str]:
    yield f"         {difference.what}"
    yield f"             expected {_one_line(difference.expected, 300)}"
    yield f"             got      {_one_line(difference.got, 300)}"


def _one_line(text: str, longest: int = 100) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"
