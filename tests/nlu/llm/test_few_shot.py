"""Of many demonstrations a message is asked with the nearest ones."""

import json

from dialogue.nlu.llm.few_shot import MAX_FIXED_DEMOS, MAX_NEAREST_DEMOS, with_nearest_demos
from dialogue.nlu.llm.model_answer import Said
from dialogue.nlu.llm.programs import Demo, LLMProgram, dspy_version, signature_digest

TOPICS = ("a fine", "a loan", "a card", "a room", "a seat", "a film", "a song", "a meal", "a trip", "a coat")


def demo(message: str, running: str = "", awaited: object = None, means: str = "") -> Demo:
    situation = {"running": running, "awaited": awaited}
    return Demo(
        flows="",
        situation=json.dumps({name: value for name, value in situation.items() if value}),
        last_bot_message="",
        message=message,
        commands=(Said(command="start_flow", name=means or message),),
    )


def program(*demos: Demo) -> LLMProgram:
    return LLMProgram(
        signature=signature_digest(),
        dspy=dspy_version(),
        model="openai/tiny",
        optimizer="nearest",
        data="0" * 64,
        instructions="Answer.",
        demos=demos,
    )


def shown(made: LLMProgram, asked: Demo) -> list[str]:
    narrowed = with_nearest_demos(made, asked.model_dump(exclude={"commands"}))
    assert narrowed is not None
    return [each.message for each in narrowed.demos]


MANY = program(*(demo(f"something about {topic}") for topic in TOPICS))


def test_the_nearest_words_come_last_and_the_rest_is_left_out() -> None:
    messages = shown(MANY, demo("I lost a song that I like"))

    assert messages[-1] == "something about a song"
    assert len(messages) == MAX_NEAREST_DEMOS


def test_what_answers_the_same_question_is_near() -> None:
    asked_size = {"slot": "size", "type": "choice"}
    made = program(*MANY.demos, demo("the big one", "order_pizza", asked_size))

    messages = shown(made, demo("whichever fits a family", "order_pizza", asked_size))

    assert messages[-1] == "the big one"


def test_a_yes_is_shown_a_yes_to_a_confirmation_and_no_yes_out_of_nothing() -> None:
    made = program(*MANY.demos, demo("fine by me"), demo("sounds right", "order_pizza", "confirming"))

    messages = shown(made, demo("that will do", "order_pizza", "confirming"))

    assert messages[-1] == "sounds right"


def test_each_meaning_is_shown_once_by_the_demonstration_that_is_nearest() -> None:
    thanks = [demo(f"thank you {word}", means="thanks") for word in ("so much", "a lot", "for the ride")]

    messages = shown(program(*thanks, *MANY.demos), demo("thank you for the ride"))

    assert messages[-1] == "thank you for the ride"
    assert len([each for each in messages if each.startswith("thank")]) == 1
    assert len(messages) == MAX_NEAREST_DEMOS


def test_a_program_of_few_demonstrations_shows_them_all_in_its_own_order() -> None:
    few = program(*MANY.demos[:MAX_FIXED_DEMOS])

    assert with_nearest_demos(few, demo("a song").model_dump(exclude={"commands"})) is few
    assert with_nearest_demos(None, {}) is None
