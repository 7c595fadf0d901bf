"""Flows to read."""

from tests.web.pages import text_of


def test_a_flow_is_read_with_its_lines_its_steps_and_who_waits_there(browser_of, session, olga):
    response = browser_of(olga).get("/flows/bank/transfer_money/")
    nodes = {node["id"]: node for node in response.context["graph"].plain()["nodes"]}
    edges = {(edge["from"], edge["to"], edge["label"]) for edge in response.context["graph"].plain()["edges"]}

    assert nodes["approval"]["waits"] == 1
    assert nodes["ask_iban"]["line"] > 0
    assert ("approval", "refused", "Reject") in edges
    assert ("over_limit", "send", "else") in edges
    assert "1 conversation waits here" in text_of(response)
