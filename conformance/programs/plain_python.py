"""A program without a framework: it asks a question with a form, and continues with what a person filled in."""

from desk_calls import ORDER, QUESTION, Run, ask_desk, refund, serve

FORM = {
    "type": "object",
    "properties": {"order_id": {"type": "string"}, "amount": {"type": "integer"}},
    "required": ["order_id", "amount"],
}


def program(run: Run) -> str:
    """Ask, then refund what was agreed to."""
    ask = {"question": QUESTION, "form": FORM, "actions": ["approve", {"id": "reject", "reason": True}]}
    answer = ask_desk(run, "plain", ask)
    if answer["action"] != "approve":
        return f"rejected: {answer.get('reason', '')}"
    return refund(run, **{**ORDER, **answer["values"]})


if __name__ == "__main__":
    serve(program)
