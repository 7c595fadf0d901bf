"""The first part: each task's wishes are given as commands, and the database must be what the task's calls produce."""

from dataclasses import dataclass

from dialogue.engine.language.compiler import Assistant
from tests.bench.tau2.customer import Customer
from tests.bench.tau2.reference import apply_calls, comparable
from tests.bench.tau2.shop import Row, Shop, copy_of
from tests.bench.tau2.wishes import calls_of, customer_of, wishes_of


@dataclass(frozen=True)
class TaskResult:
    """One task: whether the database is as expected, and what differs or was said."""

    task: str
    is_solved: bool
    note: str = ""


async def solve(assistant: Assistant, database: Row, task: Row) -> TaskResult:
    """Have the task's wishes carried out by the assistant, and compare the databases."""
    expected = copy_of(database)
    apply_calls(expected, calls_of(task))
    shop = Shop(database)
    customer = customer_of(task, shop)
    texts: list[str] = []
    if customer is not None:
        person = Customer(assistant, shop, customer)
        for wish in wishes_of(task, shop):
            answer = await person.ask_for(wish)
            texts += [] if answer.is_done else [f"{wish.flow}: {' '.join(answer.texts)}"]
    difference = differing_rows(expected, shop.database)
    return TaskResult(str(task["id"]), not difference, "; ".join([*difference, *texts]))


def differing_rows(expected: Row, actual: Row) -> list[str]:
    """Return the users, orders and products that differ in more than the rounding of sums, each with its fields."""
    pairs = ((name, row, actual[table].get(name, {})) for table, rows in expected.items() for name, row in rows.items())
    changed = ((name, comparable(row), comparable(other)) for name, row, other in pairs if row != other)
    return [
        f"{name} ({', '.join(sorted(field for field in {*row, *other} if row.get(field) != other.get(field)))})"
        for name, row, other in changed
        if row != other
    ]
