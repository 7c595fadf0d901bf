"""Programs for the language model: what they change, and which of them are refused."""

import json
import pickle
from collections.abc import Iterator

import pytest

from dialogue.engine.ports.commands import StartFlow
from dialogue.nlu import build_nlu
from dialogue.nlu.llm.component import breaker_for
from dialogue.nlu.llm.model_answer import Said
from dialogue.nlu.llm.ports import ConversationStores, FixedProgramStore
from dialogue.nlu.llm.programs import (
    Demo,
    LLMProgram,
    ProgramRefused,
    dspy_version,
    read_program,
    sha256_of,
    signature_digest,
)
from dialogue.nlu.settings import NLUSettings
from tests.support.nlu.recorded_server import Recorded, commands, recorded_server
from tests.support.nlu.situations import assistant_named, situation

LIBRARY = assistant_named("library")
ODD = "it was on my sister's mind, the thing with Middlemarch, you know"
DEMO = Demo(
    flows='{"flow": "pay_fine"}',
    situation="{}",
    last_bot_message="",
    message="I owe you three euros",
    commands=(Said(command="start_flow", name="pay_fine"), Said(command="set_slot", name="amount", value="three")),
)
PROGRAM = LLMProgram(
    signature=signature_digest(),
    dspy=dspy_version(),
    model="openai/tiny",
    optimizer="labeled",
    data="0" * 64,
    instructions="Answer as a librarian would.",
    demos=(DEMO,),
)


@pytest.fixture
def server() -> Iterator[Recorded]:
    with recorded_server() as recorded:
        yield recorded
    breaker_for.cache_clear()


async def test_a_program_brings_its_instructions_and_its_demonstrations(server: Recorded) -> None:
    server.will_say(commands(("start_flow", "pay_fine")))
    settings = NLUSettings(model="openai/tiny", api_base=server.address)
    nlu = build_nlu(LIBRARY, "llm", settings).with_stores(ConversationStores(programs=FixedProgramStore(PROGRAM)))

    understanding = await nlu.understand(ODD, situation(LIBRARY))

    assert understanding.commands == (StartFlow("pay_fine"),)
    assert "Answer as a librarian would." in server.prompt()
    assert "I owe you three euros" in server.prompt()
    assert "margherita" not in server.prompt()
    assert f"program {PROGRAM.sha256[:12]}" in understanding.path[-1].note


def test_a_stored_program_is_read_as_it_was_written() -> None:
    assert read_program(PROGRAM.canonical_json(), PROGRAM.sha256, "openai/tiny") == PROGRAM


def changed(**changes: object) -> tuple[str, str]:
    """The program with these fields, and its own right hash."""
    text = json.dumps({**json.loads(PROGRAM.canonical_json()), **changes})
    return text, sha256_of(text)


REFUSED = {
    "altered text": (PROGRAM.canonical_json().replace("librarian", "pirate"), PROGRAM.sha256),
    "the hash of another": (PROGRAM.canonical_json(), "0" * 64),
    "another signature": changed(signature="f" * 64),
    "another DSPy": changed(dspy="2.0.0"),
    "another model": changed(model="openai/large"),
    "another format": changed(format=2),
    "unknown fields": changed(lm={"api_base": "http://elsewhere.example"}),
    "no instructions": changed(instructions=""),
    "demonstrations of unknown commands": changed(
        demos=[{**json.loads(DEMO.model_dump_json()), "commands": [{"command": "format_disk"}]}]
    ),
    "a pickle": (repr(pickle.dumps(print)), sha256_of(repr(pickle.dumps(print)))),
    "nothing": ("", sha256_of("")),
}


@pytest.mark.parametrize(("text", "sha256"), REFUSED.values(), ids=list(REFUSED))
def test_what_is_altered_or_foreign_is_refused(text: str, sha256: str) -> None:
    with pytest.raises(ProgramRefused):
        read_program(text, sha256, "openai/tiny")
