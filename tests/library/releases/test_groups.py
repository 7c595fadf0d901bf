"""A group that nobody is in is told to who publishes."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from dialogue.library.documents.folders import write_folder
from dialogue.library.documents.versions import store_documents
from dialogue.library.releases.groups import group_warnings
from dialogue.web.releases.page import publication_preview
from tests.support.transfers import person

pytestmark = pytest.mark.django_db

HEAD = "version: 1\nassistant: refunds\n"
FLOW = """\
flow: refund
description: A refund.
examples: [refund me]
steps:
  - step: gate
    type: human
    title: Refund
    actions: [{id: approve, style: primary}, {id: decline}]
    timeout: 1h
    on_timeout: decline
    MENTION
    next: {approve: paid, decline: refused}
  - {step: paid, type: say, message: Paid., next: end}
  - {step: refused, type: say, message: Declined.}
"""


def documents(mention: str) -> dict[str, str]:
    return {"assistant.yaml": HEAD, "refund.yaml": FLOW.replace("MENTION", mention)}


def told(mention: str) -> list[str]:
    return [str(problem) for problem in group_warnings(documents(mention))]


def test_a_role_that_does_not_exist_is_told_with_the_one_that_was_meant():
    person("sofia", "Sofia Ruiz", "supervisors")

    assert told("role: supervisor") == [
        "refund.yaml:11:11: W-FLOW: there is no group `supervisor`; publishing makes it, with nobody in it. "
        "Did you mean `supervisors`?"
    ]


@pytest.mark.parametrize("mention", ["group: refunds", "escalate: {after: 5m, role: refunds}", "channels: [refunds]"])
def test_a_group_is_told_wherever_it_is_named_until_somebody_is_in_it(mention: str):
    ursula = person("ursula", "Ursula", "refunds", is_active=False)
    (warning,) = told(mention)
    assert "nobody is in the group `refunds`" in warning

    ursula.delete()
    person("olga", "Olga Petrov", "refunds", "operators", email="olga@example.org")

    assert told(mention) == []


def test_members_who_may_not_decide_are_told_of():
    person("ursula", "Ursula", "refunds")

    (warning,) = told("group: refunds")

    assert "nobody in the group `refunds` may decide. Put its people into the group `operators` too" in warning


def test_people_who_are_written_to_need_an_address():
    person("olga", "Olga Petrov", "refunds", "operators")

    (warning,) = told("channels: [refunds]")

    assert "nobody in the group `refunds` has an e-mail address" in warning


def test_who_publishes_reads_it_on_the_page_and_in_the_terminal(tmp_path: Path):
    assistant = store_documents(documents("group: refunds"))
    assert "there is no group `refunds`" in publication_preview(assistant).warnings[0].text

    write_folder(documents("group: refunds"), tmp_path)
    out = StringIO()
    call_command("load_flows", str(tmp_path), publish=True, stdout=out)

    assert f"{tmp_path}/refund.yaml:11:12: W-FLOW: there is no group `refunds`" in out.getvalue()
    assert "release 1 is active" in out.getvalue()
