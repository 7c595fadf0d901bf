"""The double of understanding."""

from typing import Any

from dialogue.engine.ports.commands import Affirm, CannotHandle, StartFlow
from dialogue.engine.understanding import ScriptedNLU

NOWHERE: Any = None


async def test_a_script_answers_by_the_text():
    nlu = ScriptedNLU({"hi": [{"start_flow": "greet"}]})
    assert (await nlu.understand("hi", NOWHERE)).commands == (StartFlow("greet"),)
    assert isinstance((await nlu.understand("what?", NOWHERE)).commands[0], CannotHandle)


async def test_a_queue_answers_one_after_the_other():
    nlu = ScriptedNLU([[Affirm()], ["affirm", {"start_flow": "x"}]])
    await nlu.understand("a", NOWHERE)
    assert (await nlu.understand("b", NOWHERE)).commands == (Affirm(), StartFlow("x"))


async def test_an_understanding_is_written_as_plain_json():
    nlu = ScriptedNLU([[Affirm()]])
    plain = (await nlu.understand("yes", NOWHERE)).to_json()
    assert plain["commands"] == ["affirm"]
    assert plain["path"] == [{"part": "script", "milliseconds": 0.0, "tokens": 0}]
