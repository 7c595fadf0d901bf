"""The gate of another system's agent on the page: its source, its own words, the call, and what each answer does."""

import re

import pytest

from dialogue.desk.command_bar.bar import run_command
from dialogue.desk.command_bar.lines import parse_line
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer
from dialogue.web.gates.rows import form_digest
from tests.support.agents import CALL, agent_gate
from tests.support.browser.strange_texts import ONE_LINE
from tests.support.web.pages import text_of

pytestmark = pytest.mark.usefixtures("session")


def test_the_page_shows_the_source_the_words_of_the_agent_and_the_proposed_call(browser_of, olga):
    gate = agent_gate()

    page = text_of(browser_of(olga).get(f"/gates/{gate.name}/"))

    assert "refunds (LangChain)" in page
    assert 'href="https://agents.example/th_7d21c9" target="_blank" rel="noopener noreferrer nofollow"' in page
    assert "its own words, not checked" in page
    assert "<b>customer</b><span>The cover came torn.</span>" in page
    assert "The photo shows a **tear**." in page, "markdown is shown as text"
    assert 'value="W4120331"' in page
    assert "the agent runs issue_refund with your changes" in page
    assert "the agent does not run issue_refund; it is told why and goes on" in page
    assert "Open in flow" not in page
    assert "leads to step" not in page


def test_the_row_names_the_source(browser_of, olga):
    agent_gate()

    queue = text_of(browser_of(olga).get("/gates/"))

    assert "refunds (LangChain)" in queue
    assert "#i-agent" in queue


def test_a_changed_value_is_sent_from_the_page_and_what_goes_back_is_shown(browser_of, olga):
    gate = agent_gate()
    typed = {"action": "edit", "value.amount": "400", "value.order_id": "W4120331", "version": "1"}

    refused = browser_of(olga).post(f"/gates/{gate.name}/submit/", {**typed, "action": "approve"})
    sent = browser_of(olga).post(f"/gates/{gate.name}/submit/", typed)

    assert (refused.status_code, sent.status_code) == (422, 201)
    assert "sends what was proposed" in text_of(refused)
    gate.refresh_from_db()
    assert (gate.handle, gate.values["amount"]) == ("edit", 400.0)
    assert "The agent does not have it yet" in text_of(browser_of(olga).get(f"/gates/{gate.name}/"))


def test_a_decided_gate_links_to_its_receipt_and_an_open_one_has_none(browser_of, olga, session):
    for gate, action in ((agent_gate(), "approve"), (session, "reject")):
        address, browser = f"/api/v1/sessions/{gate.name}/receipt", browser_of(olga)
        open_page = text_of(browser.get(f"/gates/{gate.name}/"))
        service.submit(gate.pk, olga, Answer(action, reason="No receipt came"))
        decided_page = text_of(browser.get(f"/gates/{gate.name}/"))

        assert address not in open_page
        assert f'href="{address}"' in decided_page
        assert f'download="receipt-{gate.name}.json"' in decided_page
        assert browser.get(address).json()["payload"]["session"] == gate.name


def test_an_argument_that_may_be_changed_stands_once_with_what_was_proposed(browser_of, olga):
    gate = agent_gate()
    typed = {"action": "approve", "value.amount": "400", "value.order_id": "W4120331", "version": "1"}

    page = text_of(browser_of(olga).get(f"/gates/{gate.name}/"))
    refused = text_of(browser_of(olga).post(f"/gates/{gate.name}/submit/", typed))

    assert 'data-proposed="W4120331"' in page
    assert '<table class="values">' not in page
    assert 'class="proposed changed"' not in page
    assert refused.count('class="proposed changed" data-proposed="420.0"') == 1


def test_who_may_only_read_an_open_call_sees_its_arguments_as_text(browser_of, audrey):
    gate = agent_gate()

    page = text_of(browser_of(audrey).get(f"/gates/{gate.name}/"))

    values = page.split("Values at stake")[1].split("</table>")[0]
    assert re.findall(r'<th scope="row">(.*?)</th>\s*<td class="num">(.*?)</td>', values) == [
        ("Amount", "420.0"),
        ("Order ID", "W4120331"),
    ]
    assert values.count("as proposed") == 2
    assert 'name="value.' not in page


def test_a_decided_call_has_one_row_an_argument_with_what_had_been_proposed(browser_of, olga):
    gate = agent_gate()
    service.submit(gate.pk, olga, Answer("edit", {"amount": 400.0}))

    page = text_of(browser_of(olga).get(f"/gates/{gate.name}/"))

    values = page.split("Values that were decided on")[1].split("</table>")[0]
    assert re.findall(r'<th scope="row">(.*?)</th>\s*<td class="num">(.*?)</td>', values) == [
        ("Amount", "400"),
        ("Order ID", "W4120331"),
    ]
    assert re.findall(r"was </span>(.*?)</s>", values) == ["420"]
    assert (values.count("answered"), values.count("as proposed")) == (1, 1)
    assert f'href="/audit/?q={gate.name}"' in page


@pytest.mark.parametrize(
    ("typed", "action", "changed"),
    [
        ('{\r\n "lines": [\r\n  1\r\n ]\r\n}', "edit", False),
        ('{"lines":[1]}', "edit", False),
        ('{"lines": [2]}', "edit", True),
        ('{"lines": [2]}', "reject", True),
    ],
)
def test_a_part_in_json_counts_as_changed_by_its_value_and_not_by_its_blanks(
    browser_of, olga, typed: str, action: str, changed: bool
):
    call = {"name": "ship", "args": {"parts": {"lines": [1]}, "amount": 1.0}}
    gate = agent_gate(ask={"action_requests": [call]})
    sent = {"action": action, "value.parts": typed, "value.amount": "2", "reason": "Why not", "version": "1"}
    assert browser_of(olga).post(f"/gates/{gate.name}/submit/", sent).status_code == 201

    page = text_of(browser_of(olga).get(f"/gates/{gate.name}/"))

    values = page.split("Values that were decided on")[1].split("</table>")[0]
    parts = values.split(">Parts<")[1].split("</tr>")[0]
    assert ("as proposed" not in parts) is changed


def test_an_argument_that_was_emptied_is_told_as_such(browser_of, olga):
    gate = agent_gate()
    typed = {"action": "edit", "value.amount": "", "value.order_id": "W4120331", "version": "1"}
    assert browser_of(olga).post(f"/gates/{gate.name}/submit/", typed).status_code == 201

    page = text_of(browser_of(olga).get(f"/gates/{gate.name}/"))

    values = page.split("Values that were decided on")[1].split("</table>")[0]
    assert re.findall(r'<td class="num">(.*?)</td>', values) == ["empty", "W4120331"]


def test_several_people_get_no_form_for_a_call_that_they_may_not_change(browser_of, olga):
    gate = agent_gate(people=2)

    page = text_of(browser_of(olga).get(f"/gates/{gate.name}/"))

    assert 'name="value.amount"' not in page
    assert "as proposed" in page
    assert service.submit(gate.pk, olga, Answer("approve")).status == 202


def test_a_line_of_the_command_bar_decides_it(olga):
    gate = agent_gate()

    run_command(parse_line(f"@{gate.name} reject Too much"), olga)

    gate.refresh_from_db()
    assert (gate.handle, gate.reason) == ("reject", "Too much")


def test_gates_with_the_same_call_can_be_answered_together():
    call = {"name": "close", "args": {"ticket": 7}}
    config = {"action_name": "close", "allowed_decisions": ["approve", "reject"]}
    ask = {"action_requests": [call], "review_configs": [config]}
    gates = [agent_gate(ref=ref, ask=ask) for ref in ("a", "b")]

    assert form_digest(gates[0]) == form_digest(gates[1])


@pytest.mark.parametrize("text", ONE_LINE[:20])
def test_strange_words_of_an_agent_stay_text(browser_of, olga, text: str):
    gate = agent_gate(
        source=f"s {text}"[:100],
        thread=f"t {text}"[:200],
        ask={"action_requests": [{**CALL, "description": f"d {text}", "args": {"a": text, "b": [text]}}]},
        details={"run": text, "link": "", "context": [f"{text}: {text}", text]},
    )
    plain = agent_gate(ref="r-2")

    page = text_of(browser_of(olga).get(f"/gates/{gate.name}/"))
    usual = text_of(browser_of(olga).get(f"/gates/{plain.name}/"))

    assert page.count("<script") == usual.count("<script")
    assert page.count("<img") == usual.count("<img")


def test_an_agent_that_is_told_no_answer_says_so_on_the_page(browser_of, olga):
    gate = agent_gate(dialect="plain", ask={"question": "Which colour?"}, on_timeout="no_answer")

    page = text_of(browser_of(olga).get(f"/gates/{gate.name}/"))

    assert "the agent gets no answer" in page
    service.submit(gate.pk, olga, Answer("respond", reason="Blue"))
    assert "Blue" in text_of(browser_of(olga).get(f"/gates/{gate.name}/"))
