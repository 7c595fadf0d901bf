"""A question that the author answers comes before the assistant's own explanations."""

import pytest

from dialogue.engine.language.compiler import Assistant, load_assistant
from dialogue.engine.ports.commands import Command, Digress, SetSlot
from dialogue.nlu.pipeline.nlu_pipeline import build_nlu
from tests.support.nlu.situations import DEMO, situation

TOPICS = """
knowledge:
  why_iban: {questions: [Why do you need my IBAN?], answer: It says which account gets the money.}
  can_do: {questions: [What can you do?], answer: Whatever a bank does.}
  bring: {questions: [What do I need to bring?], answer: Nothing.}
"""


def bank_with_topics() -> Assistant:
    documents = {path.name: path.read_text() for path in sorted((DEMO / "bank").glob("*.yaml"))}
    head, _, topics = documents["assistant.yaml"].partition("knowledge:\n")
    return load_assistant({**documents, "assistant.yaml": head + TOPICS.lstrip() + topics})


async def meant(text: str, at: str = "transfer_money?iban") -> tuple[Command, ...]:
    assistant = bank_with_topics()
    context = situation(assistant, *([at] if at else []), filled={"transfer_money.beneficiary": "Bob"})
    return (await build_nlu(assistant).understand(text, context)).commands


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("why do you need my IBAN?", "why_iban"),
        ("What can you do?", "can_do"),
        ("what do I need to bring?", "bring"),
    ],
)
async def test_the_authors_answer_comes_first(text: str, topic: str) -> None:
    assert await meant(text) == (Digress("question", topic),)


@pytest.mark.parametrize(
    ("text", "at", "command"),
    [
        ("why do you need that?", "transfer_money?iban", Digress("clarification", "iban")),
        ("why do you need the amount?", "transfer_money?amount", Digress("clarification", "amount")),
        ("what is still missing?", "transfer_money?iban", Digress("status")),
        ("help", "transfer_money?iban", Digress("help")),
    ],
)
async def test_other_questions_are_explained(text: str, at: str, command: Command) -> None:
    assert await meant(text, at) == (command,)


async def test_an_answer_and_a_why_are_both_read() -> None:
    answer, question = await meant("50 euros, and why do you need my IBAN?", "transfer_money?amount")

    assert isinstance(answer, SetSlot)
    assert question == Digress("question", "why_iban")
