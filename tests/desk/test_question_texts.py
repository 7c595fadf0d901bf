"""The title of an agent's question in lists and mails."""

import pytest

from dialogue.desk.agent_requests.question_texts import title_of

TITLES = [
    ("May I refund the **boat cover**?\n\nIt is torn.", "May I refund the boat cover?"),
    ("## Run `drop_table`?", "Run drop_table?"),
    ("See [the order](https://shop.example/o/1) and decide", "See the order and decide"),
    ("May I refund [the cover](https://shop.example/o_(1))?", "May I refund the cover?"),
    ("\n- **Ship** it?", "Ship it?"),
    ("2 * 3 * 4", "2 * 3 * 4"),
    ("***", "?"),
    ("x" * 300, "x" * 199 + "…"),
]


@pytest.mark.parametrize(("question", "title"), TITLES)
def test_a_title_is_the_first_line_without_marks_of_markdown(question: str, title: str):
    assert title_of(question) == title
