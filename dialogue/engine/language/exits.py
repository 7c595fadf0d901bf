"""Where a step may lead: the one place to extend for a new kind of exit."""

from collections.abc import Iterator

from dialogue.engine.language.compiler import (
    END,
    Action,
    AnyStep,
    Assign,
    Branch,
    Call,
    Collect,
    Confirm,
    Flow,
    Handoff,
    Human,
    Link,
    Say,
    While,
)


def exits_of(flow: Flow, step: AnyStep) -> Iterator[str]:
    """Where a step may lead, END included."""
    following = flow.next_step(step.step)
    match step:
        case Link():
            yield END
        case Branch():
            yield from (each.next for each in step.cases)
            yield step.otherwise or following
        case While():
            yield from (step.do[0].step, following)
        case Human():
            yield from (step.next.get(each.id, following) for each in step.actions)
            yield step.expiry_step or following
        case Confirm():
            yield from (step.on_confirm or following, step.on_deny or END)
            yield from (each.next for each in step.further_answers if each.next)
        case Collect(on_failure=other) | Action(on_error=other) | Handoff(on_timeout=other):
            yield from (following, other or END)
        case Say() | Assign() | Call():
            yield following
