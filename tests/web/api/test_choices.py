"""Choices from data over the API: what is pending names the options of the page, and a choice answers by value."""

import pytest

from tests.support.releases import publish

from .conftest import Program

committed = pytest.mark.django_db(transaction=True)

ASSISTANT = """\
version: 1
assistant: shelf
slots:
  books:
    type: list
    items: {type: object, fields: {code: text, title: text}}
    default: [{code: b1, title: Emma}, {code: b2, title: Ulysses}, {code: b3, title: Dubliners}]
"""
LEND = """\
flow: lend
title: lend a book
description: Lends a book.
examples: [lend me a book]
slots:
  book:
    type: choice
    prompt: Which book?
    options: {from: books, value: code, label: "{title}", page_size: 2}
steps:
  - {step: ask, type: collect, slot: book}
  - {step: done, type: say, message: "Here is {book}."}
"""


@committed
@pytest.mark.database
def test_the_page_of_options_is_pending_and_a_value_chooses(visitor: Program):
    publish({"assistant.yaml": ASSISTANT, "lend.yaml": LEND})
    body = visitor.post("/conversations", assistant="shelf").json()
    path, reader = f"/conversations/{body['id']}", Program(body["token"])

    asked = reader.post(f"{path}/messages", id="m1", text="lend me a book").json()
    assert asked["pending"][0]["choices"] == [
        {"value": "b1", "label": "Emma"}, {"value": "b2", "label": "Ulysses"}, {"value": "more:2", "label": "More"},
    ]  # fmt: skip
    more = reader.post(f"{path}/messages", id="m2", choice="more:2").json()
    assert more["pending"] == reader.get(path).json()["pending"]
    assert more["pending"][0]["choices"] == [{"value": "b3", "label": "Dubliners"}]

    lent = reader.post(f"{path}/messages", id="m3", choice="b3").json()
    assert [line["text"] for line in lent["messages"]] == ["Here is Dubliners."]
