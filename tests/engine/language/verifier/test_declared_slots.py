"""What is found about the slots that a flow declares and collects."""

from dialogue.engine.language.compiler import check_documents

ASSISTANT = """\
version: 1
assistant: shop
records: {order: {fields: {order_id: text, items: {type: list, items: {type: object, fields: {name: text}}}}}}
slots: {orders: list of order}
"""
CHOICE = """\
flow: cancel
description: Cancels an order.
slots: {order: {type: order, OPTIONS prompt: Which order?}}
steps: [{step: ask, type: collect, slot: order}]
"""


def rules(options: str) -> list[str]:
    documents = {"assistant.yaml": ASSISTANT, "cancel.yaml": CHOICE.replace("OPTIONS", options)}
    return [problem.rule for problem in check_documents(documents) if problem.severity == "error"]


def test_a_record_with_a_list_can_be_chosen_from_data_but_not_be_written():
    assert rules("options: {from: orders, value: order_id},") == []
    assert rules("") == ["not_collectable"]
