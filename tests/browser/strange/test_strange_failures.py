"""The 120 texts in what went wrong, and in names that only administrators read: shown as text, and nothing runs."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.desk.test_answer_page import mailed_path
from tests.support.browser.house import Case, House
from tests.support.browser.strange_texts import ONE_LINE, nothing_ran
from tests.support.browser.windows import Windows

pytestmark = pytest.mark.browser

EVERY = " ~ ".join(ONE_LINE)
LEARNED = EVERY[:190]
"""The table of an assistant's understanding shows the beginning of an error."""

WRITE = """
import json
from pathlib import Path
from django.contrib.auth.models import User
from django.utils.timezone import now
from dialogue.models import *
every = json.loads(Path({file!r}).read_text())
home = Assistant.objects.get(name="failures")
learned = {{"state": "broken", "error": every, "began_at": now()}}
LearnedModel.objects.update_or_create(release=home.active_release, defaults=learned)
ScenarioRun.objects.create(
    assistant=home, state="broken", error=every, sha256="f" * 64, started_at=now(), beat_at=now()
)
document = ScenarioDocument.objects.create(assistant=home, name="failures", text="", saved_at=now())
differs = [{{"what": every, "expected": every, "got": every}}]
seen = {{"messages": [{{"key": every}}], "stack": [every]}}
turn = {{"number": 1, "title": "user: " + every, "seen": seen, "differences": differs}}
scenario = Scenario.objects.create(
    assistant=home, document=document, place=1, title="falls short", turns=1, passed=False, fact="1:" + every,
    result={{"turns": [turn], "differences": differs}},
)
Event.objects.filter(conversation="{conversation}", number=1).update(state="incident", error=every, attempts=3)
Notice.objects.filter(link__session__number={gate}).update(state="incident", error=every)
person = User.objects.create(username="failing", first_name=every, last_name=every)
ApiToken.objects.create(user=person, name=every, sha256="f" * 64)
User.objects.create(username="warden", is_staff=True, is_superuser=True)
print(scenario.pk)
"""
FORGET = """
from django.contrib.auth.models import User
from dialogue.models import *
Flow.objects.filter(assistant__name="failures").update(archived=True)
Assistant.objects.filter(name="failures").update(active_release=None)
ScenarioDocument.objects.filter(assistant__name="failures").delete()
Event.objects.filter(conversation="{conversation}", number=1).update(state="done", error="")
User.objects.filter(username__in=["failing", "warden"]).delete()
"""


DOCUMENTS = {
    "assistant": {"version": 1, "assistant": "failures", "title": "Failures"},
    "words": {
        "flow": "words",
        "description": "Says a word.",
        "steps": [{"step": "a", "type": "say", "message": "Word"}],
    },
}


@pytest.fixture
def failed(house: House, tmp_path: Path) -> Iterator[tuple[Case, str]]:
    """A case in which much went wrong, and the number of a scenario that did too."""
    for name, document in DOCUMENTS.items():
        (tmp_path / f"{name}.yaml").write_text(json.dumps(document))
    house.server.manage("load_flows", str(tmp_path), "--publish")
    found = house.transfer()
    mailed_path(house, found)
    file = house.server.data / "every.json"
    file.write_text(json.dumps(EVERY))
    number = found.gate.removeprefix("g")
    scenario = house.server.shell(WRITE.format(file=str(file), conversation=found.conversation, gate=number)).strip()
    house.sign_in()
    yield found, scenario
    house.server.shell(FORGET.format(conversation=found.conversation))


def test_errors_differences_and_the_names_of_tokens_are_text(window: Windows, failed: tuple[Case, str]):
    case, scenario = failed
    places = [
        ("sofia", case.story, EVERY),
        ("sofia", case.page, EVERY),
        ("arthur", f"/scenarios/failures/?s={scenario}", EVERY),
        ("arthur", "/understanding/failures/", LEARNED),
        ("warden", "/admin/dialogue/apitoken/", EVERY),
        ("warden", "/admin/auth/user/", EVERY),
    ]
    unread = []
    for who, path, text in places:
        page = window(who, path)
        expect(page.locator("body")).to_be_visible()
        shown = " ".join(str(page.locator("body").text_content()).split())
        unread += [] if " ".join(text.split()) in shown else [path]
        assert nothing_ran(page), path

    assert unread == []
