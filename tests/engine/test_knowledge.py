"""The two ports that digressions are answered from."""

from dialogue.engine.knowledge import AssistantHelp, AssistantKnowledge
from tests.engine.dialogue_harness import assistant_of, travel_agency
from tests.engine.sample_flows import NAME, PING

HOURS = "knowledge:\n  hours: {questions: [When?], answer: From nine to five.}\n"


class Weather:
    """A knowledge base that knows one thing."""

    def answer(self, topic: str, language: str) -> str | None:
        return "Sunny." if topic == "weather" else None


class Guide:
    """A help generator of few words."""

    def help(self, language: str) -> str:
        return "everything"


def test_an_assistant_answers_from_what_its_author_wrote():
    knowledge = AssistantKnowledge(assistant_of(PING, head=HOURS))
    assert knowledge.answer("hours", "en") == "From nine to five."
    assert knowledge.answer("weather", "en") is None


def test_an_assistant_s_help_names_what_can_be_asked_for():
    assert AssistantHelp(assistant_of(PING, NAME)).help("en") == "ping, tell your name"


async def test_another_knowledge_base_takes_the_place_of_the_author_s():
    talk = travel_agency(head=HOURS)
    talk.knowledge = Weather()
    assert await talk.does({"digress": {"kind": "question", "topic": "weather"}}) == ["answer:weather"]
    assert talk.texts == ["Sunny."]
    assert await talk.does({"digress": {"kind": "question", "topic": "hours"}}) == ["no_answer"]


async def test_another_help_generator_takes_the_place_of_the_list_of_flows():
    talk = travel_agency()
    talk.helper = Guide()
    await talk.does({"digress": "help"})
    assert talk.texts == ["I can help you with this: everything."]
