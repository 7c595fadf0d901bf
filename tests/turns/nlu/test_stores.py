"""The rows behind understanding by language models, in whole turns against a server that says what it is told to."""

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from asgiref.sync import async_to_sync

from dialogue.models import Alert, Assistant, Conversation, NLUAnswer, NLUProgram, NLUSpending, Turn
from dialogue.nlu.llm.component import breaker_for
from dialogue.sweep import sweep
from dialogue.turns import clock, compiled_releases
from dialogue.turns.accept import Incoming, accept, open_conversation
from dialogue.turns.nlu.stores import ANSWER_LIFETIME, StoredAnswers, forget_answers, serving_program
from dialogue.turns.worker import drain
from dialogue.web.shared.limits import origin_of
from tests.nlu.llm.test_programs import PROGRAM
from tests.support.nlu.recorded_server import Answer, Recorded, commands, recorded_server
from tests.support.releases import demo, publish
from tests.support.soni_settings import change

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]
ODD = "it was on my sister's mind, the thing with Middlemarch, you know"


@pytest.fixture
def server(settings: Any) -> Iterator[Recorded]:
    with recorded_server() as recorded:
        change(settings, NLU="llm", NLU_MODEL="openai/tiny", NLU_API_BASE=recorded.address)
        compiled_releases.forget_releases()
        yield recorded
    compiled_releases.forget_releases()
    breaker_for.cache_clear()


def chat() -> Conversation:
    return open_conversation(library().name)[0]


def library() -> Assistant:
    return Assistant.objects.filter(name="library").first() or publish(demo("library")).assistant


def say(conversation: Conversation, text: str, number: int) -> Turn:
    accept(conversation.pk, Incoming("message", f"m{number}", {"text": text}, text=text))
    async_to_sync(drain)(conversation.pk)
    return Turn.objects.filter(conversation=conversation).latest("number")


def test_what_a_conversation_costs_is_counted(server: Recorded, settings: Any) -> None:
    change(settings, NLU_PRICES=(Decimal("1"), Decimal("5")))
    compiled_releases.forget_releases()
    server.will_say("no JSON", commands(("digress", "help")))
    conversation = chat()

    turn = say(conversation, ODD, 1)

    row = NLUSpending.objects.get(conversation=conversation)
    assert (row.calls, row.tokens, round(row.money, 6)) == (2, 240, Decimal("0.000400"))
    assert (turn.llm_calls, turn.tokens) == (2, 240)


def test_what_was_answered_is_not_asked_again_in_this_conversation_nor_in_another(server: Recorded) -> None:
    server.will_say(commands(("chitchat",)))
    first, second = chat(), chat()

    say(first, ODD, 1)
    turn = say(second, ODD, 1)

    assert len(server.asked) == 1
    assert [entry["part"] for entry in turn.record["path"]][-1] == "cache"
    assert NLUAnswer.objects.get().conversation is None


def test_an_answer_with_values_is_the_conversations_own_and_goes_with_it(server: Recorded) -> None:
    server.will_say(commands(("start_flow", "reserve_book"), ("set_slot", "title", "Middlemarch")))
    first, second = chat(), chat()

    say(first, ODD, 1)
    say(second, ODD, 1)

    assert len(server.asked) == 2
    assert set(NLUAnswer.objects.values_list("conversation", flat=True)) == {first.pk, second.pk}


def test_a_spent_conversation_goes_on_with_help_and_at_last_with_a_person(server: Recorded, settings: Any) -> None:
    change(settings, NLU_CONVERSATION_LIMITS=(1, 0, 0.0, Decimal(0)))
    compiled_releases.forget_releases()
    server.will_say(commands(("chitchat",)))
    conversation = chat()
    say(conversation, ODD, 1)

    turns = [say(conversation, "brmpf xyzzy", number) for number in (2, 3)]
    say(conversation, "reserve a book", 4)
    last = [say(conversation, "how far is the moon?", number) for number in (5, 6, 7)][-1]

    assert len(server.asked) == 1
    assert [turn.record["messages"] for turn in turns] == [["cannot_handle"], ["cannot_handle"]]
    assert last.record["messages"] == ["handoff"]


def test_one_address_has_a_models_budget_for_all_its_conversations_of_a_day(server: Recorded, settings: Any) -> None:
    change(settings, NLU_ADDRESS_LIMITS=(2, 0, 0.0, Decimal(0)))
    compiled_releases.forget_releases()
    server.will_say(*[commands(("start_flow", "reserve_book"), ("set_slot", "title", "Middlemarch"))] * 4)
    name, mallory, ursula = library().name, origin_of("203.0.113.9"), origin_of("198.51.100.7")

    def say_from(origin: str) -> None:
        say(open_conversation(name, origin=origin)[0], ODD, 1)

    for origin in (mallory, mallory, mallory, ursula, "", ""):
        say_from(origin)
    asked = len(server.asked)
    Conversation.objects.filter(origin=mallory).update(active_at=clock.now() - timedelta(days=2))
    say_from(mallory)

    assert asked == 5  # two for Mallory, one for Ursula, and one for each that an account opened
    assert len(server.asked) == 6


def test_old_answers_are_forgotten_by_the_sweep(server: Recorded) -> None:
    server.will_say(commands(("chitchat",)))
    say(chat(), ODD, 1)

    with clock.frozen(clock.now() + ANSWER_LIFETIME - timedelta(minutes=1)):
        kept = forget_answers()
    with clock.frozen(clock.now() + ANSWER_LIFETIME + timedelta(minutes=1)):
        async_to_sync(sweep)()

    assert (kept, NLUAnswer.objects.count()) == (0, 0)


def test_a_refused_key_is_one_alert_until_a_key_works(server: Recorded) -> None:
    server.will_say(Answer(status=401))
    conversation = chat()
    for number in (1, 2):
        say(conversation, ODD, number)
        breaker_for.cache_clear()
        compiled_releases.forget_releases()
    alert = Alert.objects.get()
    server.will_say(commands(("chitchat",)))

    say(conversation, ODD, 3)

    assert (alert.kind, alert.subject, alert.times, alert.over_at) == ("key_refused", "openai/tiny", 2, None)
    assert Alert.objects.get().over_at is not None


def stored(**changes: Any) -> NLUProgram:
    """The program of other tests, serving the library."""
    given = {
        "artefact": PROGRAM.canonical_json(),
        "sha256": PROGRAM.sha256,
        "state": NLUProgram.State.SERVING,
        **changes,
    }
    return NLUProgram.objects.create(assistant=library(), number=1, made_at=clock.now(), **given)


def test_the_program_that_serves_is_what_the_next_message_is_understood_by(server: Recorded) -> None:
    server.will_say(commands(("start_flow", "pay_fine")))
    conversation = chat()
    say(conversation, ODD, 1)
    stored()

    turn = say(conversation, f"{ODD}!", 2)

    assert "Answer as a librarian would." not in server.prompt(0)
    assert "Answer as a librarian would." in server.prompt(1)
    assert PROGRAM.sha256[:12] in turn.record["path"][-1]["note"]


def test_a_program_that_was_altered_in_the_database_does_not_serve(server: Recorded) -> None:
    row = stored(artefact=PROGRAM.canonical_json().replace("librarian", "pirate"))
    server.will_say(commands(("chitchat",)))

    say(chat(), ODD, 1)

    assert serving_program(row.assistant_id, "openai/tiny") is None
    assert "pirate" not in server.prompt()


def test_nothing_is_kept_of_what_was_erased_while_the_model_answered() -> None:
    conversation = chat()
    answers = StoredAnswers(conversation.pk)
    Conversation.objects.filter(pk=conversation.pk).update(erased_at=clock.now())

    async_to_sync(answers.keep)("its own", (), shared=False)
    async_to_sync(answers.keep)("everybody's", (), shared=True)

    assert [row.key for row in NLUAnswer.objects.all()] == ["everybody's"]
