"""Flows to read."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dialogue.engine.slots.builtin_responses import RESPONSES
from dialogue.library.demo.starter_templates import create_assistant
from dialogue.library.documents.versions import Edit, documents_of, keep_draft, save_flow, store_documents
from dialogue.library.releases.releases import publish
from dialogue.models import Assistant, Flow, FlowDraft
from dialogue.web.flows.flow_cards import title_of_text
from dialogue.web.flows.graph import condition_words, graph_of
from dialogue.web.flows.panel_words import panel_words
from dialogue.web.flows.views import first_flow_text
from tests.support.engine.small_flows import changed, shop
from tests.support.nlu.situations import assistant_named
from tests.support.releases import demo
from tests.support.web.pages import text_of


def test_a_flow_is_read_with_its_lines_its_steps_and_who_waits_there(browser_of, session, olga):
    response = browser_of(olga).get("/flows/bank/transfer_money/")
    page = text_of(response)
    nodes = {node["id"]: node for node in response.context["graph"].plain()["nodes"]}
    edges = {(edge["from"], edge["to"], edge["label"]) for edge in response.context["graph"].plain()["edges"]}

    assert nodes["approval"]["waits"] == 1
    assert nodes["ask_iban"]["line"] > 0
    assert ("approval", "refused", "Reject") in edges
    assert ("over_limit", "send", "else") in edges
    assert 'class="count" title="1 conversation waits here"' in page
    assert "data-waits-legend>" in page


def test_where_no_conversation_waits_nothing_explains_numbers(browser_of, arthur, payments):
    store_documents(demo("bank"))

    assert "data-waits-legend hidden" in text_of(browser_of(arthur).get("/flows/bank/check_balance/"))


def test_an_empty_test_offers_examples_of_the_flow_that_can_be_sent_as_they_are(browser_of, arthur, payments):
    store_documents(demo("bank"))

    response = browser_of(arthur).get("/flows/bank/transfer_money/")

    expected = ("I want to send money", "make a transfer", "quiero enviar dinero", "hacer una transferencia")
    assert response.context["edited"].starters == expected
    assert "data-starter>make a transfer<" in text_of(response)


def test_without_the_bundle_a_plain_field_stands_in(browser_of, arthur, conversation, monkeypatch):
    monkeypatch.setattr("dialogue.web.flows.views.bundle_exists", lambda: False)

    page = text_of(browser_of(arthur).get("/flows/bank/transfer_money/"))

    assert "js/studio/plain.js" in page
    assert "bundle/studio.js" not in page
    assert "data-check" in page
    assert "flow: transfer_money" in page


def test_a_reader_gets_the_text_without_the_tools(browser_of, olga, conversation):
    page = text_of(browser_of(olga).get("/flows/bank/transfer_money/"))

    assert "data-act" not in page
    assert "data-writes" not in page


def test_many_flows_come_page_by_page_with_as_many_queries_as_few(
    browser_of, arthur, conversation, monkeypatch, django_assert_num_queries
):
    author = browser_of(arthur)
    with CaptureQueriesContext(connection) as few:
        author.get("/flows/")
    flows = [Flow(assistant=conversation.assistant, name=f"flow_{number:03}") for number in range(250)]
    Flow.objects.bulk_create(flows)

    with django_assert_num_queries(len(few)):
        first = author.get("/flows/")
    last = author.get("/flows/?page=3")

    assert sum(len(group.flows) for group in first.context["assistant_flows"]) == 100
    assert 'href="?page=2"' in text_of(first)
    assert "flow_249" in text_of(last) and "flow_249" not in text_of(first)
    assert f"/flows/{conversation.assistant.name}/" in text_of(last)


def test_from_the_flows_one_comes_to_what_belongs_to_all_of_them_and_from_its_problems_back(browser_of, arthur):
    store_documents(demo("bank"))
    author = browser_of(arthur)

    listed, page = text_of(author.get("/flows/")), author.get("/flows/bank/assistant/")

    assert 'href="/flows/bank/assistant/"' in listed
    assert 'href="../block_card/#line-27"><b>block_card.yaml:27</b>' in text_of(page)
    assert 'data-at="' not in text_of(page)
    assert not page.context["edited"].shows_last_valid_graph
    assert 'data-act="add"' not in text_of(page)


def test_the_address_of_an_assistant_shows_its_flows_and_no_others(browser_of, olga, conversation):
    store_documents(demo("library"))

    page = text_of(browser_of(olga).get("/flows/bank/"))

    assert "transfer_money" in page
    assert "renew_loan" not in page
    assert browser_of(olga).get("/flows/nowhere/").status_code == 404


def test_what_a_flow_needs_is_drawn_before_its_first_step():
    flow = assistant_named("parcels").flows["stop_parcel"]
    graph = graph_of(flow, {}, {})

    assert [(node.id, node.sub) for node in graph.nodes][:2] == [
        ("needs.customer", "identify"),
        ("ask_parcel", "parcel"),
    ]
    assert (graph.edges[0].source, graph.edges[0].target) == ("needs.customer", "ask_parcel")


def test_failures_that_the_flow_leads_to_a_step_are_drawn_from_each_step():
    pay = changed("slots:", "settings: {on_error: sorry}\nslots:", changed(", on_error: sorry}", "}"))
    edges = {(edge.source, edge.target): edge.label for edge in graph_of(shop(pay).flows["pay"], {}, {}).edges}

    assert edges["pay", "sorry"] == "error"


def card_of(response, name):
    return next(card for group in response.context["assistant_flows"] for card in group.cards if card.flow.name == name)


def test_cards_say_what_is_not_published_yet_and_who_changed_it(browser_of, arthur):
    home = store_documents(demo("bank"))
    publish(home)
    user = User.objects.get(pk=arthur.user)
    text = demo("bank")["check_balance.yaml"]
    save_flow(home, Edit("check_balance", text + "# checked\n", 1), user)
    keep_draft(home, Edit("block_card", "flow: block_card\n", 1), user)
    save_flow(home, Edit("gold", first_flow_text("gold", "Buy gold")), user)

    response = browser_of(arthur).get("/flows/")

    kinds = {name: card_of(response, name).kind for name in ("check_balance", "block_card", "gold", "transfer_money")}
    assert kinds == {"check_balance": "changed", "block_card": "draft", "gold": "new", "transfer_money": "live"}
    assert card_of(response, "check_balance").editor == "Arthur Penn"
    assert (card_of(response, "gold").title, card_of(response, "transfer_money").title) == ("Buy gold", "Send money")
    page = text_of(response)
    assert "unpublished changes" in page and "draft, not saved" in page
    assert "3 documents with unpublished changes" in page
    assert "Connecting" not in page


def test_a_text_that_came_back_to_what_is_published_has_no_unpublished_changes(browser_of, arthur):
    home = store_documents(demo("bank"))
    publish(home)
    text = demo("bank")["check_balance.yaml"]
    save_flow(home, Edit("check_balance", text + "# checked\n", 1), None)
    save_flow(home, Edit("check_balance", text, 2), None)

    assert card_of(browser_of(arthur).get("/flows/"), "check_balance").kind == "live"


def test_a_title_is_read_from_its_line_in_the_readers_language():
    untitled = ("title: [broken\n", "flow: pay\n", "title:\n  en: Pay\n")

    assert title_of_text("pay_bill", "flow: pay_bill\ntitle: {en: pay, es: pagar}\n") == "Pay"
    assert title_of_text("pay_bill", 'title: "Say: hello"  # a greeting\n') == "Say: hello"
    assert {title_of_text("pay_bill", text) for text in untitled} == {"Pay bill"}


def test_a_refused_name_is_told_at_its_field_and_stays_in_it(browser_of, arthur):
    store_documents(demo("bank"))

    response = browser_of(arthur).post("/flows/bank/", {"name": "24/7"})

    field = text_of(response).partition('id="new-bank"')[2].partition(">")[0]
    assert response.status_code == 422
    assert 'value="24/7"' in field and 'aria-describedby="refused-bank" autofocus' in field
    assert text_of(response).count("is not a valid flow name") == 1


def test_a_title_makes_the_name_of_a_new_flow(browser_of, arthur):
    home = store_documents(demo("bank"))

    response = browser_of(arthur).post("/flows/bank/", {"name": 'Reparación: "en casa"'})

    assert response["Location"] == "/flows/bank/reparacion_en_casa/"
    draft = FlowDraft.objects.get(flow__assistant=home, flow__name="reparacion_en_casa")
    assert r'title: "Reparación: \"en casa\""' in draft.text.splitlines()


def test_operators_see_the_cards_without_the_tools_of_authors(browser_of, olga):
    store_documents(demo("bank"))

    page = text_of(browser_of(olga).get("/flows/"))

    assert "New flow" not in page and "Publish…" not in page and "Import" not in page
    assert 'href="/flows/bank/transfer_money/"' in page


def test_a_new_flow_of_a_spanish_assistant_begins_with_spanish_texts(browser_of, arthur):
    home = create_assistant("banca", "Banca", "empty", None, "es")

    browser_of(arthur).post("/flows/banca/", {"name": "Abrir una cuenta"})

    draft = FlowDraft.objects.get(flow__assistant=home, flow__name="abrir_una_cuenta")
    assert "Escribe aquí para qué es este flujo." in draft.text
    assert "prompt: ¿Qué quiere saber?" in draft.text


def test_an_assistant_begins_in_the_language_in_which_its_author_reads_the_console(browser_of, arthur):
    browser = browser_of(arthur)
    browser.post("/language/", {"language": "es", "next": "/"})

    browser.post("/assistants/new/", {"title": "Mi banco", "template": "empty"})

    assert "language: es" in documents_of(Assistant.objects.get(name="mi_banco"))["assistant.yaml"]


def test_conditions_on_the_graph_have_words_for_what_only_programs_write():
    assert condition_words("filled(answer) and not filled(day)") == "answer has a value and day has no value"
    assert condition_words("true") == "always"
    assert condition_words("amount > 5") == "amount > 5"


def test_the_head_of_the_editor_shows_the_flows_title_and_the_settings_those_of_the_assistant(browser_of, arthur):
    store_documents(demo("bank"))
    browser = browser_of(arthur)

    assert '<span class="clip" title="check_balance.yaml">Check the balance</span>' in text_of(
        browser.get("/flows/bank/check_balance/")
    )
    assert "Settings of Harbour Bank" in text_of(browser.get("/flows/bank/assistant/"))


def test_every_response_has_its_words_and_a_group_in_the_settings():
    responses = panel_words()["responses"]

    assert responses.keys() == RESPONSES.keys()
    assert all(words["text"] and words["group"] for words in responses.values())
    assert "Others" not in {words["group"] for words in responses.values()}


@pytest.mark.parametrize("path", ["/flows/", "/understanding/", "/releases/bank/", "/scenarios/bank/"])
def test_an_assistant_has_its_title_in_the_language_of_the_reader(browser_of, arthur, path):
    store_documents(demo("bank"))
    browser = browser_of(arthur)
    in_english = text_of(browser.get(path))
    browser.post("/language/", {"language": "es", "next": "/"})
    in_spanish = text_of(browser.get(path))

    assert "Harbour Bank" in in_english
    assert "Banco del Puerto" in in_spanish and "Harbour Bank" not in in_spanish
